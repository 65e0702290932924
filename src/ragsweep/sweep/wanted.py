"""What a command means, once composed: the input of the plan."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from ragsweep.documents import Settings
from ragsweep.setups import Setup
from ragsweep.types import Match

Launch = Callable[[str, str, list[tuple[str, str]]], None]
"""Runs jobs, (setup id, folder name), of the frozen plan at a path, in a run folder; what it returns is never read."""


@dataclass(frozen=True)
class Row:
    """One combination: the keys it set, the option chosen for each group, its setup, and its name beside the grid."""

    asked: Mapping[str, Any]
    choices: Mapping[str, str]
    setup: Setup
    name: str | None = None


@dataclass(frozen=True)
class Wanted:
    """A whole sweep. Paths in ``files``, ``questions`` and ``root`` are relative to ``base``.

    ``skipped`` are the impossible combinations that were left out, with the reason of each (on_invalid: skip).
    ``problems`` are the mistakes found while composing, to be shown with those in files and questions. ``sample`` is True
    when the command named neither files nor an experiment, ``as_written`` when it changed nothing that the experiment says.
    ``side_by_side`` is how many setups the launcher runs at a time, None for n_jobs.
    """

    experiment: str | None
    sample: bool
    base: Path
    files: str | list[str] | None
    questions: str | list[Any] | None
    root: str | None
    n_jobs: int | None
    store: str | None
    sort: str | None
    axes: Mapping[str, Sequence[Any]]
    rows: Sequence[Row]
    problems: Sequence[str]
    reading: Settings = field(default_factory=Settings)
    on_bad_file: Literal["error", "skip"] = "error"
    match: Match = "union"
    skipped: Sequence[str] = ()
    as_written: bool = True
    side_by_side: int | None = None
