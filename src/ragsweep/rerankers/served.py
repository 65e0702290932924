"""What every reranking model behind a server does."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import ClassVar, TypeVar

from ragsweep.errors import InputError
from ragsweep.index import Index, ordered
from ragsweep.models.client import Client
from ragsweep.models.rerank import relevance
from ragsweep.models.server import Limits, Server
from ragsweep.parts import Need, QueryVectors
from ragsweep.types import Hit, Probed

S = TypeVar("S", bound="Served")


@dataclass(frozen=True)
class Served:
    """A model at ``base_url``; see ``ragsweep.models.server`` for key and limits."""

    model: str
    base_url: str = ""
    key_env: str | None = None
    limits: Limits = field(default=Limits())

    version: ClassVar[int] = 1
    needs: ClassVar[frozenset[Need]] = frozenset({"server"})

    def __post_init__(self) -> None:
        if not self.model.strip():
            raise InputError("model is empty: write the name that the server knows it by")
        _ = self.server  # a wrong address is a mistake of the config

    @property
    def server(self) -> Server:
        """Where it is asked."""
        return Server(self.base_url, self.key_env, self.limits)

    def ready(self: S) -> S:
        """Itself. Raises InputError when the key is not there."""
        self.server.key()
        return self

    def probe(self) -> Probed:
        """The relevance of two texts. Raises ServerError."""
        relevance(Client(self.server), self.model, "days of leave", ["25 days of leave", "a desk"])
        return Probed()

    def rerank(self, index: Index, query: str, vectors: QueryVectors, pool: Sequence[Hit]) -> list[Hit]:
        """The pool by the relevance that the server gives, on a scale of the model's own. Raises ServerError."""
        scores = relevance(Client(self.server), self.model, query, [index.passage(hit.chunk) for hit in pool])
        hits = {hit.chunk: hit for hit in pool}
        return [replace(hits[place], score=score) for place, score in ordered(dict(zip(hits, scores, strict=True)))]
