"""A small index and scripted parts, for tests of what happens to one question."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
import pytest

from ragsweep.embedders.queries import PreparedVectors
from ragsweep.index import Chunks, Index, Sentences, SentenceSpans
from ragsweep.setups import Setup
from ragsweep.steps import Steps
from ragsweep.types import Answer, Document, Hit

TEXTS = {
    "leave.md": "Staff have 25 days of leave. Unused days lapse in March.",
    "remote.md": "You may work abroad for 20 days. Your manager approves the dates.",
}


@dataclass(frozen=True)
class Axes:
    """Embeds a text as its number of letters a, b, c and d, at length 1."""

    version: ClassVar[int] = 1
    needs: ClassVar[frozenset[str]] = frozenset()

    def embed(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        counts = np.array([[text.count(letter) for letter in "abcd"] for text in texts], dtype=np.float32)
        return counts / np.maximum(np.linalg.norm(counts, axis=1, keepdims=True), 1e-9)

    def over_window(self, texts: Sequence[str]) -> list[bool]:
        return [False] * len(texts)


@dataclass(frozen=True)
class Fixed:
    """Ranks as told for each query, otherwise all chunks by place."""

    rankings: dict[str, list[int]] = field(default_factory=dict)

    version: ClassVar[int] = 1
    needs: ClassVar[frozenset[str]] = frozenset()

    def rank(self, index: Index, query: str, vectors: PreparedVectors, depth: int, top_k: int) -> list[tuple[int, float]]:
        vectors.vector(query)
        places = self.rankings.get(query, range(len(index)))
        return [(place, 1 - rank / 10) for rank, place in enumerate(places)][:depth]


@dataclass(frozen=True)
class Reversed:
    """Puts the pool upside down."""

    version: ClassVar[int] = 1
    needs: ClassVar[frozenset[str]] = frozenset()

    def rerank(self, index: Index, query: str, vectors: PreparedVectors, pool: Sequence[Hit]) -> list[Hit]:
        return [index.hit(hit.chunk, place / 10) for place, hit in enumerate(pool)][::-1]


@dataclass(frozen=True)
class Scripted:
    """Says what it is told: ``checks`` in turn, then True."""

    checks: list[bool] = field(default_factory=list)
    parts: tuple[str, ...] = ()
    abstains: bool = False

    version: ClassVar[int] = 1
    needs: ClassVar[frozenset[str]] = frozenset()

    def generate(self, index: Index, question: str, vectors: PreparedVectors, chunks: Sequence[Hit]) -> Answer:
        vectors.vector(question)
        return Answer("said", self.abstains, tuple(hit.chunk for hit in chunks[:1]))

    def route(self, question: str) -> tuple[str, ...]:
        return self.parts or (question,)

    def check(self, index: Index, question: str, vectors: PreparedVectors, chunks: Sequence[Hit]) -> bool:
        return self.checks.pop(0) if self.checks else True

    def rewrite(self, question: str, attempt: int) -> str:
        return f"{question} again {attempt}"


@pytest.fixture
def index() -> Index:
    """Four chunks: the two sentences of leave.md (places 0, 1) and of remote.md (2, 3)."""
    documents = {id: Document(id, text, sha256=id) for id, text in TEXTS.items()}
    cuts = [(place, text.index(". ") + 1) for place, text in enumerate(TEXTS.values())]
    spans = [span for place, cut in cuts for span in ((place, 0, cut), (place, cut + 1, len(list(TEXTS.values())[place])))]
    chunks = Chunks(tuple(TEXTS), np.array(spans, dtype=np.int64))
    places, texts = SentenceSpans.split(chunks, documents)
    return Index(chunks, documents, sentences=Sentences.build(places, texts, Axes().embed(texts)))


@pytest.fixture
def vectors() -> PreparedVectors:
    """The query "a question" is prepared and costs 5 seconds, its part "a part" 2; all else is embedded live."""
    texts = ["a question", "a part"]
    return PreparedVectors(texts, Axes().embed(texts), [5.0, 2.0], Axes())


@pytest.fixture
def scripted() -> type[Scripted]:
    return Scripted


@pytest.fixture
def make_setup() -> Callable[..., Setup]:
    """A setup of scripted parts with top_k 3 and top_n 2; any part or value may be given."""

    def make(**values: Any) -> Setup:
        parts = {"chunker": None, "embedder": Axes(), "retriever": Fixed(), "reranker": Reversed(), "generator": Scripted()}
        return Setup(**{**parts, "top_k": 3, "top_n": 2, "dedupe": None, **values})

    return make


@pytest.fixture
def make_steps(index: Index, vectors: PreparedVectors) -> Callable[..., Steps]:
    """The steps of one question over the small index, with scripted parts, top_k 3 and top_n 2; any part may be given."""

    def make(rankings: dict[str, list[int]] | None = None, **values: Any) -> Steps:
        parts = {"retriever": Fixed(rankings or {}), "reranker": Reversed(), "generator": Scripted()}
        return Steps(index, vectors, **{**parts, "top_k": 3, "top_n": 2, "dedupe": None, **values})

    return make
