"""What two setups made of the same questions: of one run, or of two."""

import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace

from ragsweep import files
from ragsweep.errors import InputError, nearest
from ragsweep.reporting.asked import Asked
from ragsweep.reporting.chunking import Line
from ragsweep.reporting.difference import (
    CONTEXTS,
    KINDS,
    SHOWN,
    Compared,
    Kind,
    Side,
    difference_json,
    heading,
    side_lines,
    summary,
)
from ragsweep.sweep.collect import scored_records
from ragsweep.sweep.frozen import PLAN, FrozenPlan, Job, thaw
from ragsweep.sweep.named import in_folder, named, run_and_name
from ragsweep.sweep.painting import Painter
from ragsweep.sweep.progress import say
from ragsweep.sweep.runs import Runs, read_runs


@dataclass(frozen=True)
class Show:
    """Which questions: those of one kind, or one by its ``id``. How: long chunks ``full``, or all as JSON."""

    only: Kind | None = None
    id: str | None = None
    full: bool = False
    as_json: bool = False

    def of(self, compared: Sequence[Compared]) -> list[Compared]:
        """Those that are meant: all that differ, the lost ones first. Raises InputError for an id that is not there."""
        if self.id is not None:
            found = [each for each in compared if each.question.id == self.id]
            if not found:
                known = [each.question.id for each in compared]
                raise InputError(f"--question-id {self.id}: there is no such question; {nearest(self.id, known)}")
            return found
        kinds = [self.only] if self.only else KINDS[:-1]
        return [each for kind in kinds for each in compared if each.kind == kind]


def diff(first: str, second: str, show: Show) -> int:
    """Print which questions ``second`` won and lost against ``first``, and both contexts beside each other.

    ``first`` is written RUN_DIR:NAME, ``second`` NAME of the same run, or RUN_DIR:NAME of another. Raises InputError for names
    that are not there, the same setup twice, and runs of other files or questions.
    """
    folder, name = run_and_name(first)
    other_folder, other_name = in_folder(second) or (folder, second)
    plans = {each: thaw(each / PLAN) for each in dict.fromkeys((folder, other_folder))}
    jobs = named(plans[folder], name), named(plans[other_folder], other_name)
    if folder == other_folder and jobs[0].id == jobs[1].id:
        raise InputError(f"{first} {second}: both are the setup {jobs[0].name!r}: name two")
    runs = read_runs(list(plans), todays_labels=True)
    sides = [_side(plans[at], job) for at, job in zip((folder, other_folder), jobs, strict=True)]
    asked = [_asked(runs, plan, job) for plan, job in zip((runs.plans[0], runs.plans[-1]), jobs, strict=True)]
    answers = all(side.generates for side in sides)
    compared = [Compared(one[0].question, one, two, answers) for one, two in zip(*asked, strict=True)]
    shown = show.of(compared)
    for notice in runs.notices:
        say(f"notice: {notice}")
    if show.as_json:
        sys.stdout.write(files.strict_json(difference_json(compared, shown, *sides), indent=2).decode() + "\n")
    else:
        _write(Painter(), compared, shown, sides, show)
    return 0


def _side(plan: FrozenPlan, job: Job) -> Side:
    return Side(job.name, plan.folder, job.setup.chunker, "generator" in job.setup.needs)


def _asked(runs: Runs, plan: FrozenPlan, job: Job) -> list[list[Asked]]:
    """Every question of a setup by the records of this run alone, each with all its askings."""
    job = plan.job(job.id)
    documents, repeats = runs.texts[job.reading].documents, plan.settings.repeats
    rows = [
        Asked(job.name, question, record, documents, None if score.missing else score)
        for question, record, score in scored_records(replace(runs, plans=[plan], jobs=[job]), job)
    ]
    return [rows[start : start + repeats] for start in range(0, len(rows), repeats)]


def _write(
    painter: Painter, compared: Sequence[Compared], shown: Sequence[Compared], sides: Sequence[Side], show: Show
) -> None:
    first, second = sides
    painter.write([*summary(compared, first, second), _EMPTY, *map(heading, shown[:SHOWN])])
    if len(shown) > SHOWN:
        painter.write([Line([(f"... and {len(shown) - SHOWN:,} more: --only won|lost|changed, or --json", "faint")])])
    for each in shown[:CONTEXTS]:
        one, other = (askings[min(each.asking, len(askings) - 1)] for askings in (each.first, each.second))
        left = list(side_lines(first, "A", one, each.first, full=show.full))
        right = list(side_lines(second, "B", other, each.second, full=show.full))
        painter.write([_EMPTY, heading(each)])
        if painter.is_wide:
            painter.write_beside(left, right)
        else:
            painter.write([*left, _EMPTY, *right])
    if len(shown) > CONTEXTS:
        painter.write([_EMPTY, Line([(f"contexts of {CONTEXTS} of {len(shown):,}: --question-id ID shows any", "faint")])])


_EMPTY = Line([("", "")])
