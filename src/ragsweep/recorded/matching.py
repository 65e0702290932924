"""Rows -> the questions that they answer."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches

from ragsweep.recorded.rows import Row
from ragsweep.text.normalise import normalise
from ragsweep.types import Question

_MOST_HINTS = 20
"""Unknown names for which near ones are looked up: hundreds of them have one cause, and the look-up takes its time."""


@dataclass(frozen=True)
class Matched:
    """The rows of each system by the ids of their questions, what is wrong with others, and of each system the number of rows
    whose questions were not asked."""

    rows: dict[str, dict[str, Row]] = field(default_factory=lambda: defaultdict(dict))
    mistakes: list[str] = field(default_factory=list)
    unasked: dict[str, int] = field(default_factory=lambda: defaultdict(int))


def matched(rows: Sequence[Row], questions: Sequence[Question], *, partial: bool) -> Matched:
    """Each row beside its question. The rows of Ragas that ask the same are those of the questions that do, in turn.

    A row of an unknown question is a mistake, unless ``questions`` are ``partial``: some of those that the system answered.
    """
    found, near = Matched(), _Near()
    texts, ids = [question.text for question in questions], [question.id for question in questions]
    by_name: dict[tuple[str, str], list[str]] = defaultdict(list)
    for question in questions:
        by_name["id", question.id].append(question.id)
        by_name["text", _asked(question.text)].append(question.id)
    in_two: dict[tuple[str, str, str], list[tuple[str, Row, Row]]] = defaultdict(list)
    taken: dict[tuple[str, tuple[str, str]], int] = defaultdict(int)
    for row in rows:
        name = ("id", row.id) if row.id else ("text", _asked(row.question))
        meant, place = by_name.get(name, []), taken[row.system, name]
        taken[row.system, name] += 1
        if place < len(meant):
            found.rows[row.system][meant[place]] = row
        elif meant:
            first = found.rows[row.system][meant[-1]]
            if _file(first) == _file(row) and first.where != row.where:
                found.mistakes.append(f"{row.where}: {meant[-1]!r} stands there twice: {first.where} too")
            else:
                in_two[row.system, _file(first), _file(row)].append((meant[-1], first, row))
        elif partial:
            found.unasked[row.system] += 1
        elif row.id:
            found.mistakes.append(f"{row.where}: there is no question {row.id!r}{near(row.id, ids)}")
        else:
            found.mistakes.append(f"{row.where}: no question asks {row.question[:100]!r}{near(row.question[:1000], texts)}")
    found.mistakes.extend(_in_two_files(*questions) for questions in in_two.values())
    return found


class _Near:
    """A hint for a name that is not known."""

    def __init__(self) -> None:
        self._hints = 0

    def __call__(self, name: str, known: Sequence[str]) -> str:
        self._hints += 1
        close = get_close_matches(name, known, n=1, cutoff=0.6) if self._hints <= _MOST_HINTS else []
        return f"; did you mean {close[0]!r}?" if close else f"; there are {len(known)}: ragsweep export-questions lists them"


def _file(row: Row) -> str:
    return row.where.rpartition(":")[0]


def _in_two_files(question: tuple[str, Row, Row], *more: tuple[str, Row, Row]) -> str:
    id, first, again = question
    said = f"{id!r} and {len(more)} more questions stand" if more else f"{id!r} stands"
    whose = f"both are of the system {again.system!r}: rename a file, or write system in it"
    return f"{again.where}: {said} there twice: {first.where} too; {whose}"


def _asked(text: str) -> str:
    return normalise(text).text.strip()
