"""What a command means, once composed: the input of the plan."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

from ragsweep.documents import PdfReader, Settings
from ragsweep.judges.judging import Judge
from ragsweep.results import Cut, Price
from ragsweep.setups import Setup
from ragsweep.types import Match, Timing

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
    ``gate`` is as written: limits by metric, and the name of a setup under ``setup``. ``limit`` is how many questions to ask at
    most: the first ones, or those that ``limit_seed`` draws. ``written`` are the keys that the
    user wrote, wherever. ``side_by_side`` is how many setups the launcher runs at a time,
    None for n_jobs. ``reading`` is how files are read, but for what each row says itself.
    ``max_failures`` is how many questions may fail before the run stops: a whole number, or a fraction of all of them.
    ``max_setup_s`` are the seconds that one setup may take in an attempt.
    ``in_flight`` questions of a setup are asked at the same time. ``timing`` says which questions give p50 and p95.
    ``share_answers``: identical requests at temperature 0 are answered once for all setups.
    ``prices_file`` is where prices may be edited after the run: the experiment's file, unless the command line gave them.
    ``by`` are the keys of questions by which scores are broken down, ``weights`` those of the stages in the scorecard.
    ``judge`` is asked about answers when all are there; None for nobody.
    ``launcher`` is the ``choice`` of a Hydra launcher and its ``values``.
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
    score_at: Sequence[Cut] = ("top_k",)
    skipped: Sequence[str] = ()
    as_written: bool = True
    gate: Mapping[str, Any] = field(default_factory=dict)
    limit: int | None = None
    limit_seed: int | None = None
    repeats: int = 1
    written: Sequence[str] = ()
    side_by_side: int | None = None
    max_failures: float | None = None
    retry_failed: bool = True
    max_setup_s: float | None = None
    in_flight: int = 1
    timing: Timing = "sweep"
    share_answers: bool = False
    launcher: Mapping[str, Any] = field(default_factory=dict)
    prices: Mapping[str, Price] = field(default_factory=dict)
    prices_file: Path | None = None
    by: Sequence[str] = ()
    weights: Mapping[str, float] = field(default_factory=dict)
    judge: Judge | None = None

    @property
    def readings(self) -> dict[str, Settings]:
        """How files are read for each reading that a row asks for, at least one, by its name."""
        asked = dict.fromkeys(row.reading for row in self.rows) or [self.reading.pdf]
        return {name: replace(self.reading, pdf=name) for name in asked}
