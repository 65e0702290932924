"""Search by meaning and by words, fused."""

from dataclasses import dataclass, field
from math import isfinite
from typing import ClassVar, Literal, get_args

from ragsweep.errors import InputError, nearest
from ragsweep.index import Index
from ragsweep.parts import Need, QueryVectors, Ranking
from ragsweep.retrievers.bm25 import Bm25
from ragsweep.retrievers.dense import Dense
from ragsweep.retrievers.fusion import convex, rrf

Fusion = Literal["rrf", "convex"]


@dataclass(frozen=True)
class Hybrid:
    """Fuses the best ``candidates`` (default: max(50, top_k)) of ``Dense`` and of ``Bm25``.

    ``fusion`` rrf sums weight / (rrf_k + rank), both weights 1 by default; convex sums scores stretched to 0..1 with
    ``dense_weight`` (default 0.5) and the rest of 1. The fields hold what takes effect: rrf_k is None under convex.
    """

    fusion: Fusion = "rrf"
    rrf_k: int | None = None
    dense_weight: float | None = None
    bm25_weight: float | None = None
    candidates: int | None = None
    bm25: Bm25 = field(default_factory=Bm25)
    version: ClassVar[int] = 1
    needs: ClassVar[frozenset[Need]] = frozenset({"vectors", "bm25"})

    def __post_init__(self) -> None:
        if self.fusion not in get_args(Fusion):
            raise InputError(f"fusion={self.fusion}: {nearest(str(self.fusion), get_args(Fusion))}; write rrf or convex")
        for name in ("rrf_k", "candidates"):
            if (value := getattr(self, name)) is not None and value < 1:
                raise InputError(f"{name}={value} must be 1 or more")
        rrf_k = (self.rrf_k or 60) if self.fusion == "rrf" else None
        dense = self.dense_weight if self.dense_weight is not None else 1.0 if rrf_k else 0.5
        bm25 = self.bm25_weight if self.bm25_weight is not None else 1.0 if rrf_k else round(1 - dense, 12)
        if not (isfinite(dense + bm25) and min(dense, bm25) >= 0 and dense + bm25 > 0):
            raise InputError(f"dense_weight={dense} bm25_weight={bm25} must be 0 or more, and one of them above 0")
        if not rrf_k and abs(dense + bm25 - 1) > 1e-9:
            raise InputError(f"fusion=convex takes bm25_weight as 1 - dense_weight: leave out bm25_weight={bm25}")
        for name, effective in (("rrf_k", rrf_k), ("dense_weight", float(dense)), ("bm25_weight", float(bm25))):
            object.__setattr__(self, name, effective)

    def rank(self, index: Index, query: str, vectors: QueryVectors, depth: int, top_k: int) -> Ranking:
        """All candidates, fused. They grow in step with ``depth`` above ``top_k``: copies ate a part of the list."""
        candidates = (self.candidates or max(50, top_k)) * max(1, depth // top_k)
        lists = [ranker.rank(index, query, vectors, candidates, top_k) for ranker in (Dense(), self.bm25)]
        weights = [self.dense_weight or 0.0, self.bm25_weight or 0.0]
        return rrf(lists, weights, self.rrf_k) if self.rrf_k else convex(lists, weights)
