"""What a command means, once composed: the input of the plan."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

from ragsweep.documents import PdfReader, Settings
from ragsweep.setups import Setup
from ragsweep.sweep.run_settings import RunSettings

Launch = Callable[[str, str, list[tuple[str, str]]], None]
"""Runs jobs, (setup id, folder name), of the frozen plan at a path, in a run folder; what it returns is never read."""


@dataclass(frozen=True)
class Row:
    """One combination: the keys it set, the option chosen for each group, its setup, its name beside the grid, and the reading
    of the files that it is to work on: the value of ``pdf``."""

    asked: Mapping[str, Any]
    choices: Mapping[str, str]
    setup: Setup
    name: str | None = None
    reading: PdfReader = "pypdf"


@dataclass(frozen=True)
class Wanted:
    """A whole sweep. Paths in ``files``, ``questions`` and ``root`` are relative to ``base``.

    ``skipped`` are the impossible combinations that were left out, with the reason of each (on_invalid: skip).
    ``problems`` are the mistakes found while composing, to be shown with those in files and questions. ``sample`` is True
    when the command named neither files nor an experiment, ``as_written`` when it changed nothing that the experiment says.
    ``written`` are the keys that the user wrote, wherever. ``reading`` is how files are read, but for what a row says itself.
    ``prices_file`` is where prices may be edited after the run: the experiment's file, unless the command line gave them.
    ``side_by_side`` is how many setups the launcher runs at a time, None for n_jobs. ``launcher`` is the ``choice`` of a Hydra
    launcher and its ``values``.
    """

    experiment: str | None
    sample: bool
    base: Path
    files: str | list[str] | None
    questions: str | list[Any] | None
    root: str | None
    store: str | None
    axes: Mapping[str, Sequence[Any]]
    rows: Sequence[Row]
    problems: Sequence[str]
    settings: RunSettings
    reading: Settings = field(default_factory=Settings)
    on_bad_file: Literal["error", "skip"] = "error"
    skipped: Sequence[str] = ()
    as_written: bool = True
    written: Sequence[str] = ()
    side_by_side: int | None = None
    launcher: Mapping[str, Any] = field(default_factory=dict)
    prices_file: Path | None = None

    def set(self, **changes: Any) -> "Wanted":
        """The same with other settings of the run."""
        return replace(self, settings=replace(self.settings, **changes))

    @property
    def readings(self) -> dict[str, Settings]:
        """How files are read for each reading that a row asks for, at least one, by its name."""
        asked = dict.fromkeys(row.reading for row in self.rows) or [self.reading.pdf]
        return {name: replace(self.reading, pdf=name) for name in asked}
