"""Search by meaning."""

from dataclasses import dataclass
from typing import ClassVar

from ragsweep.index import Index, best
from ragsweep.parts import Need, QueryVectors, Ranking


@dataclass(frozen=True)
class Dense:
    """Cosine of query and chunk, exact. A zero vector scores 0, so it never stands above a positive score."""

    version: ClassVar[int] = 1
    needs: ClassVar[frozenset[Need]] = frozenset({"vectors"})

    def rank(self, index: Index, query: str, vectors: QueryVectors, depth: int, top_k: int) -> Ranking:
        """The ``depth`` best chunks."""
        return best(index.dense.scores(vectors.vector(query)), depth)
