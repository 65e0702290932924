"""Steps alone calls the parts of a setup for one question: it times every call and records what happened."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from time import perf_counter
from typing import Any, TypeVar

from ragsweep.embedders.queries import QuestionVectors
from ragsweep.errors import InputError
from ragsweep.index import Index
from ragsweep.models import calls, sharing
from ragsweep.parts import Generator, Reranker, Retriever
from ragsweep.retrievers import retrieve
from ragsweep.text.words import count_words
from ragsweep.types import Answer, Call, Hit, Status, Step

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a question ended: its status, the chunks of the final view (none after giving up), and what was answered."""

    status: Status
    final: Sequence[Hit] = ()
    answer: Answer | None = None


@dataclass(slots=True)
class Steps:
    """The calls of one question; make a new one for the next. ``taken`` are the steps so far.

    The seconds of a step are the wall time of its call, without what calls to model servers waited, and the measured cost of
    what it shares: answers, and the query vectors that it was the first to use (``QuestionVectors.take_charge``).

    ``vectors`` serve searching and reranking, ``sentence_vectors`` (None: the same) the generator. ``retrieved`` and ``copies``
    are those of the last retrieve.
    """

    index: Index
    vectors: QuestionVectors
    retriever: Retriever
    reranker: Reranker
    generator: Generator | None
    top_k: int
    top_n: int
    dedupe: float | None
    sentence_vectors: QuestionVectors | None = None
    context_words: int | None = None
    taken: list[Step] = field(default_factory=list)
    retrieved: Sequence[Hit] = ()
    copies: Sequence[Hit] = ()
    _asked: dict[int, QuestionVectors] = field(init=False)

    def __post_init__(self) -> None:
        self._asked = {id(each): each for each in (self.vectors, self.sentence_vectors) if each is not None}

    def retrieve(self, queries: Sequence[str]) -> Sequence[Hit]:
        """At most top_k hits; the lists of several queries are fused into one, in one step."""
        asked = {"query": queries[0]} if len(queries) == 1 else {"queries": list(queries)}
        self.retrieved, self.copies = self._take(
            "retrieve",
            {**asked, "top_k": self.top_k},
            lambda: retrieve(self.retriever, self.index, queries, self.vectors, self.top_k, self.dedupe),
            lambda found: {"hits": _shown(found[0]), "dropped": len(found[1]), **self._counted()},
        )
        return self.retrieved

    def rerank(self, query: str, hits: Sequence[Hit]) -> Sequence[Hit]:
        """The best top_n of ``hits`` in the order of the reranker, as far as ``context_words`` has room for them."""
        room = {"top_n": self.top_n} if self.context_words is None else {"context_words": self.context_words}
        return self._take(
            "rerank",
            {"query": query, "matches": len(hits), **room},
            lambda: self._fitting(self.reranker.rerank(self.index, query, self.vectors, hits)[: self.top_n]),
            lambda kept: {"hits": _shown(kept)},
        )

    def generate(self, question: str, chunks: Sequence[Hit]) -> Answer:
        """The answer from ``chunks``."""
        return self._take(
            "generate",
            {"query": question, "chunks": len(chunks)},
            lambda: self._required().generate(self.index, question, self._of_sentences, chunks),
            lambda answer: {"answer": answer.text, "abstained": answer.abstained, "cited": list(answer.cited)},
        )

    def route(self, question: str) -> tuple[str, ...]:
        """The parts to search for; one part means a single question."""
        return self._take(
            "route", {"query": question}, lambda: self._required().route(question), lambda parts: {"parts": list(parts)}
        )

    def check(self, question: str, chunks: Sequence[Hit]) -> bool:
        """Whether ``chunks`` suffice to answer."""
        return self._take(
            "check",
            {"query": question, "chunks": len(chunks)},
            lambda: self._required().check(self.index, question, self._of_sentences, chunks),
            lambda sufficient: {"sufficient": sufficient},
        )

    def rewrite(self, question: str, attempt: int) -> str:
        """Another way to search for ``question``; ``attempt`` counts from 1."""
        return self._take(
            "rewrite",
            {"query": question, "attempt": attempt},
            lambda: self._required().rewrite(question, attempt),
            lambda rewritten: {"rewritten": rewritten},
        )

    def _fitting(self, hits: Sequence[Hit]) -> Sequence[Hit]:
        """The hits before the first that would go over ``context_words``."""
        if self.context_words is None:
            return hits
        so_far = accumulate(count_words(self.index.text(hit.chunk)) for hit in hits)
        return [hit for hit, words in zip(hits, so_far, strict=True) if words <= self.context_words]

    def _counted(self) -> Mapping[str, Any]:
        """Of chunks of another system, what became of all that came so far."""
        came = self.index.incoming
        return {"contexts": dict(+came.counts)} if came is not None else {}

    @property
    def _of_sentences(self) -> QuestionVectors:
        return self.sentence_vectors if self.sentence_vectors is not None else self.vectors

    def _required(self) -> Generator:
        if self.generator is None:
            raise InputError("this rag_type needs a generator: write generator=extractive")
        return self.generator

    def _take(
        self, name: str, inputs: Mapping[str, Any], call: Callable[[], T], outcome: Callable[[T], Mapping[str, Any]]
    ) -> T:
        with calls.recorded() as made, sharing.settled(made):
            start = perf_counter()
            try:
                result = call()
            except Exception as error:
                if made:  # what a server took is on record, whatever came of it
                    self._keep(name, perf_counter() - start, inputs, {"failed": type(error).__name__}, made)
                raise
            self._keep(name, perf_counter() - start, inputs, outcome(result), made)
        return result

    def _keep(self, name: str, wall: float, inputs: Mapping[str, Any], outcome: Mapping[str, Any], made: list[Call]) -> None:
        charges = [vectors.take_charge() for vectors in self._asked.values()]
        charged = sum(seconds for seconds, _ in charges) + sum(call.seconds for call in made if call.shared)
        seconds = wall - sum(call.waited for call in made) + charged
        prepared = [call for _, calls_of in charges for call in calls_of]
        self.taken.append(Step(name, seconds, inputs, outcome, (*prepared, *made)))


def _shown(hits: Sequence[Hit]) -> list[list[Any]]:
    """Each hit as [chunk, document, number, score]."""
    return [[hit.chunk, hit.document, hit.number, hit.score] for hit in hits]
