"""No reranking."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from ragsweep.index import Index
from ragsweep.parts import Need, QueryVectors
from ragsweep.types import Hit


@dataclass(frozen=True)
class NoReranker:
    """Keeps the order and the scores."""

    version: ClassVar[int] = 1
    needs: ClassVar[frozenset[Need]] = frozenset()

    def rerank(self, index: Index, query: str, vectors: QueryVectors, pool: Sequence[Hit]) -> list[Hit]:
        """The pool as it is."""
        return list(pool)
