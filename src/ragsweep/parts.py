"""The Protocols of the replaceable parts. A component is a frozen dataclass: its fields are the YAML schema, the label, the
identity and the pickle form."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Protocol, TypeAlias

from ragsweep.types import Answer, Document, Hit, Probed, Span

if TYPE_CHECKING:
    from ragsweep.types import Matrix, Vector

Need: TypeAlias = Literal["vectors", "bm25", "sentences", "generator", "server", "contexts"]
"""What a component asks to be prepared: chunk vectors, a keyword index, sentence vectors of the chunks, a generator, a model
server that answers (its part is an ``Asking``); in place of chunks, contexts of another system as they come."""


class Component(Protocol):
    """What every part has. ``version`` goes up whenever the same fields would give another result."""

    version: ClassVar[int]
    needs: ClassVar[frozenset[Need]]


class Asking(Component, Protocol):
    """A part that needs "server". Where its server is (``base_url``), its key and its limits are in no key: ``model`` is."""

    def ready(self) -> "Asking":
        """The part with all that is to be known before the run: the digest of its model, where the server tells one.

        Raises InputError when its key is not there, and ServerError when what must be looked up is not.
        """
        ...

    def probe(self) -> Probed:
        """One smallest call: a reply of one token, a vector, the relevance of two texts, a context. Raises ServerError."""
        ...


class Chunker(Component, Protocol):
    """Cuts a document into spans; see SPEC: starts strictly increase, no chunk is empty, every non-space is covered."""

    def split(self, document: Document) -> Iterator[Span]:
        """The spans of the chunks, in order. Pure: no state, no reading of anything but the document."""
        ...


class Embedder(Component, Protocol):
    """Turns texts into unit vectors. A field ``path`` says where its model lies and is in no key: ``model`` stands for it."""

    @property
    def model(self) -> str:
        """What makes the vectors beside the fields: the files of the model, by hash or digest.

        Raises InputError when the model or what runs it is not there; every plan asks for it.
        """
        ...

    @property
    def query_prefix(self) -> str:
        """What is put before a query for ``embed`` (ragsweep.embedders.prefixes)."""
        ...

    @property
    def passage_prefix(self) -> str:
        """What is put before a text that is searched."""
        ...

    def embed(self, texts: Sequence[str]) -> "Matrix":
        """Shape (len(texts), d), float32, each row of length 1 (or 0 for a text without tokens)."""
        ...

    def over_window(self, texts: Sequence[str]) -> list[bool]:
        """For each text, whether it is longer than the model's window."""
        ...


class QueryVectors(Protocol):
    """Vectors of what is asked: prepared ones first, embedded now where there is none. Charges are kept apart (see Steps)."""

    def vector(self, text: str) -> "Vector":
        """The unit vector of a query."""
        ...


Ranking: TypeAlias = list[tuple[int, float]]
"""(index place, score), best first, equal scores (to 6 decimals) by place; places are ordered by (document id, start)."""


class Retriever(Component, Protocol):
    """Ranks the chunks of an index for a query."""

    def rank(self, index: Any, query: str, vectors: QueryVectors, depth: int, top_k: int) -> Ranking:
        """At least the ``depth`` best chunks that there are (fewer when the list ends), in the one true order."""
        ...


class Reranker(Component, Protocol):
    """Puts the pool of one question in a new order."""

    def rerank(self, index: Any, query: str, vectors: QueryVectors, pool: Sequence[Hit]) -> list[Hit]:
        """All hits of the pool with new scores, best first (equal scores to 6 decimals by index place)."""
        ...


class Generator(Component, Protocol):
    """Answers from the chunks it is given, and takes the decisions that adaptive asks for."""

    def generate(self, index: Any, question: str, vectors: QueryVectors, chunks: Sequence[Hit]) -> Answer:
        """The answer, with the refusal said explicitly."""
        ...

    def route(self, question: str) -> tuple[str, ...]:
        """The parts to search for; one part means a single question."""
        ...

    def check(self, index: Any, question: str, vectors: QueryVectors, chunks: Sequence[Hit]) -> bool:
        """Whether the chunks suffice to answer."""
        ...

    def rewrite(self, question: str, attempt: int) -> str:
        """Another way to search for it; ``attempt`` counts from 1."""
        ...


class RagType(Component, Protocol):
    """Plain code over Steps (ragsweep.steps)."""

    @property
    def asks(self) -> tuple[Mapping[str, int], Mapping[str, int]]:
        """How often a question is reranked ("rerank"), and asks the generator for an "answer", a "route", a "check" and a
        "rewrite": at least, and at most."""
        ...

    def answer(self, question: str, steps: Any) -> Any:
        """Drive the steps for one question; see ragsweep.steps.Outcome for what comes back."""
        ...

    def queries(self, question: str, generator: Generator | None) -> Iterable[str]:
        """Every text that a vector may be asked for, as far as it is known before the run."""
        ...
