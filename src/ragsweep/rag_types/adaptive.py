"""adaptive: searches for the parts of a question, checks what it found, searches again in other words, or gives up."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import ClassVar

from ragsweep.errors import InputError
from ragsweep.generators import REFUSAL
from ragsweep.parts import Generator, Need
from ragsweep.steps import Outcome, Steps
from ragsweep.types import Answer


@dataclass(frozen=True)
class Adaptive:
    """Route, retrieve, rerank, check, generate: 5 steps.

    While the check finds the evidence insufficient: rewrite, retrieve, rerank, check (4 steps more), at most
    ``max_retries`` times (0 or more). Giving up after r retries takes 4 + 4r steps.
    """

    max_retries: int = 2

    version: ClassVar[int] = 1
    needs: ClassVar[frozenset[Need]] = frozenset({"generator"})

    def __post_init__(self) -> None:
        if self.max_retries < 0:
            raise InputError(f"max_retries={self.max_retries} must be 0 or more: write max_retries=0 to search once")

    def answer(self, question: str, steps: Steps) -> Outcome:
        """Status "answered", "abstained", or "gave_up": no chunks and the refusal sentence.

        Reranking and checking always look at the question itself; a rewrite changes only what is searched for.
        """
        queries = steps.route(question)
        for attempt in range(1, self.max_retries + 2):
            chunks = steps.rerank(question, steps.retrieve(queries))
            if steps.check(question, chunks):
                answer = steps.generate(question, chunks)
                return Outcome(answer.status, chunks, answer)
            if attempt <= self.max_retries:
                queries = (steps.rewrite(question, attempt),)
        return Outcome("gave_up", answer=Answer(REFUSAL, abstained=True))

    @property
    def asks(self) -> tuple[Mapping[str, int], Mapping[str, int]]:
        """At least a check that finds the first search sufficient, or with no other search insufficient."""
        searches = 1 + self.max_retries
        least = {"route": 1, "rerank": 1, "check": 1, "answer": min(1, self.max_retries)}
        return least, {"route": 1, "rerank": searches, "check": searches, "rewrite": self.max_retries, "answer": 1}

    def queries(self, question: str, generator: Generator | None) -> Iterable[str]:
        """The question, its parts and every rewrite; of a language model, which decides as it goes, the question."""
        if generator is None or "server" in generator.needs:
            return (question,)
        rewrites = (generator.rewrite(question, attempt) for attempt in range(1, self.max_retries + 1))
        return dict.fromkeys((question, *generator.route(question), *rewrites))
