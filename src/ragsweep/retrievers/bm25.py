"""Search by words."""

from dataclasses import dataclass
from math import isfinite
from typing import ClassVar

from ragsweep.errors import InputError
from ragsweep.index import Index, best
from ragsweep.parts import Need, QueryVectors, Ranking
from ragsweep.text.keywords import Language


@dataclass(frozen=True)
class Bm25:
    """BM25 as in Lucene. The fields are those of the keyword index (``Bm25Index.build``) that it searches.

    ``k1`` (0 or more) says how soon a repeated word stops counting, ``b`` (0..1) how much long chunks are held back.
    """

    k1: float = 1.5
    b: float = 0.75
    language: Language = "english"
    version: ClassVar[int] = 2
    needs: ClassVar[frozenset[Need]] = frozenset({"bm25"})

    def __post_init__(self) -> None:
        if not (isfinite(self.k1) and self.k1 >= 0):
            raise InputError(f"k1={self.k1} must be 0 or more: write k1=1.5")
        if not 0 <= self.b <= 1:
            raise InputError(f"b={self.b} must be in 0..1: write b=0.75")

    def rank(self, index: Index, query: str, vectors: QueryVectors, depth: int, top_k: int) -> Ranking:
        """The ``depth`` best chunks that hold a word of the query; none when it has no known word."""
        return [(place, score) for place, score in best(index.bm25.scores(query), depth) if score > 0]
