"""simple: retrieve, rerank, generate."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import ClassVar

from ragsweep.parts import Generator, Need
from ragsweep.steps import Outcome, Steps


@dataclass(frozen=True)
class Simple:
    """One search, one answer; 3 steps."""

    version: ClassVar[int] = 1
    needs: ClassVar[frozenset[Need]] = frozenset({"generator"})

    def answer(self, question: str, steps: Steps) -> Outcome:
        """Status "answered" or "abstained"; final are the chunks that the generator was given, also when it abstains."""
        chunks = steps.rerank(question, steps.retrieve([question]))
        answer = steps.generate(question, chunks)
        return Outcome(answer.status, chunks, answer)

    @property
    def asks(self) -> tuple[Mapping[str, int], Mapping[str, int]]:
        """One answer."""
        return {"rerank": 1, "answer": 1}, {"rerank": 1, "answer": 1}

    def queries(self, question: str, generator: Generator | None) -> Iterable[str]:
        """The question."""
        return (question,)
