"""Scores by a key of the questions: of each setup, the questions of each value by themselves."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ragsweep.reporting.columns import SORTS
from ragsweep.reporting.stages import Number
from ragsweep.results import Result

NUMBERS: Sequence[Number] = (
    *(Number(key, SORTS[key].value, SORTS[key].label) for key in ("recall", "mrr", "ndcg", "hit", "answered")),
    Number("token_f1", lambda result: result.grades.f1 if result.grades else None, "Token F1"),
    Number("required_facts", lambda result: result.grades.facts if result.grades else None, "Required facts"),
    Number("refused", SORTS["refused"].value, "Refused"),
    Number("n_ok", lambda result: result.n_ok, "ran", ".0f"),
    Number("n", lambda result: result.n, "n", ".0f"),
    Number("answerable", lambda result: result.n - result.unanswerable, "answerable", ".0f"),
)
"""What is shown of a group. Means are over its answerable questions, failed ones as 0."""


@dataclass(frozen=True)
class Group:
    """The questions of one setup with one ``value`` of ``key``; None: those without the key."""

    key: str
    value: str | None
    result: Result
    numbers: Sequence[Number] = NUMBERS

    @property
    def name(self) -> str:
        """The value, in a table."""
        return f"(no {self.key})" if self.value is None else self.value


def breakdown(results: Sequence[Result]) -> Iterator[Group]:
    """The groups of each key, by setup, the values in the order of the questions."""
    for key in results[0].by if results else ():
        for result in results:
            for value, part in result.by[key].items():
                yield Group(key, value, part)
