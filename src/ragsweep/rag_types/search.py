"""search: retrieve, rerank. The quickest way to compare chunkers and retrievers."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import ClassVar

from ragsweep.parts import Generator, Need
from ragsweep.steps import Outcome, Steps


@dataclass(frozen=True)
class Search:
    """Search only, without an answer; 2 steps."""

    version: ClassVar[int] = 1
    needs: ClassVar[frozenset[Need]] = frozenset()

    def answer(self, question: str, steps: Steps) -> Outcome:
        """Status "searched"; final are the top_n hits."""
        return Outcome("searched", steps.rerank(question, steps.retrieve([question])))

    @property
    def asks(self) -> tuple[Mapping[str, int], Mapping[str, int]]:
        """No answer."""
        return {"rerank": 1}, {"rerank": 1}

    def queries(self, question: str, generator: Generator | None) -> Iterable[str]:
        """The question."""
        return (question,)
