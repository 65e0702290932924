"""What two setups or recorded systems made of the same questions: of one folder, or of two."""

import sys
from collections.abc import Sequence
from dataclasses import dataclass

from ragsweep import files
from ragsweep.errors import InputError, nearest
from ragsweep.recorded import System
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
from ragsweep.sweep.named import in_folder, run_and_name
from ragsweep.sweep.painting import Painter
from ragsweep.sweep.progress import say
from ragsweep.sweep.runs import read_runs
from ragsweep.sweep.sides import Held


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

    ``first`` is written RUN_DIR:NAME, ``second`` NAME of the same folder, or RUN_DIR:NAME of another. Raises InputError for
    names that are not there, the same setup twice, two that share neither answers nor contexts, and runs of other files or
    questions.
    """
    folder, name = run_and_name(first)
    other_folder, other_name = in_folder(second) or (folder, second)
    folders = list(dict.fromkeys((folder, other_folder)))
    runs = read_runs(folders, todays_labels=True, found=())
    held = {each: Held.of(runs, each) for each in folders}
    meant = [(held[folder], held[folder].named(name)), (held[other_folder], held[other_folder].named(other_name))]
    if meant[0] == meant[1]:
        raise InputError(f"{first} {second}: both are the setup {meant[0][1].name!r}: name two")
    sides = [of.side(found) for of, found in meant]
    answers, contexts = (all(getattr(side, what) for side in sides) for what in ("generates", "contexts"))
    if not (answers or contexts):
        without = {what: next(side.name for side in sides if not getattr(side, what)) for what in ("generates", "contexts")}
        raise InputError(
            f"{first} {second}: {without['generates']!r} does not answer, and {without['contexts']!r} recorded no contexts: "
            "there is nothing to compare them by"
        )
    asked = [of.asked(found) for of, found in meant]
    compared = [Compared(one[0].question, one, two, answers, contexts) for one, two in zip(*asked, strict=True)]
    shown = show.of(compared)
    for notice in [*runs.notices, *(said for _, found in meant if isinstance(found, System) for said in found.notices)]:
        say(f"notice: {notice}")
    if show.as_json:
        sys.stdout.write(files.strict_json(difference_json(compared, shown, *sides), indent=2).decode() + "\n")
    else:
        _write(Painter(), compared, shown, sides, show)
    return 0


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
