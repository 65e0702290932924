"""Search by meaning and by words, fused."""

from dataclasses import dataclass
from math import isfinite
from typing import ClassVar, Literal, get_args

from ragsweep.errors import InputError, nearest
from ragsweep.index import Index
from ragsweep.retrievers.bm25 import Bm25
from ragsweep.retrievers.dense import Dense
from ragsweep.retrievers.fusion import convex, rrf
from ragsweep.types import Need, QueryVectors, Ranking

Fusion = Literal["rrf", "convex"]


@dataclass(frozen=True)
class Hybrid:
    """Fuses the best ``candidates`` (default: max(50, top_k)) of ``Dense`` and of ``Bm25``.

    ``fusion`` rrf sums weight / (rrf_k + rank), both weights 1 by default; convex sums scores stretched to 0..1 with
    ``dense_weight`` (default 0.5) and the rest of 1.
    """

    fusion: Fusion = "rrf"
    rrf_k: int = 60
    dense_weight: float | None = None
    bm25_weight: float | None = None
    candidates: int | None = None
    bm25: Bm25 = Bm25()
    version: ClassVar[int] = 1
    needs: ClassVar[frozenset[Need]] = frozenset({"vectors", "bm25"})

    def __post_init__(self) -> None:
        if self.fusion not in get_args(Fusion):
            raise InputError(f"fusion={self.fusion}: {nearest(str(self.fusion), get_args(Fusion))}; write fusion=rrf or fusion=convex")
        dense = self.dense_weight if self.dense_weight is not None else {"rrf": 1.0, "convex": 0.5}[self.fusion]
        rest = 1.0 if self.fusion == "rrf" else round(1 - dense, 12)
        bm25 = self.bm25_weight if self.bm25_weight is not None else rest
        object.__setattr__(self, "dense_weight", float(dense))  # the effective weights are the fields, so the identity
        object.__setattr__(self, "bm25_weight", float(bm25))
        self._check(dense, bm25)

    def _check(self, dense: float, bm25: float) -> None:
        if not (isfinite(dense + bm25) and min(dense, bm25) >= 0 and dense + bm25 > 0):
            raise InputError(f"dense_weight={dense} bm25_weight={bm25} must be 0 or more, one of them above 0")
        if self.fusion == "convex" and abs(dense + bm25 - 1) > 1e-9:
            raise InputError(f"fusion=convex needs weights that sum to 1: leave out bm25_weight={bm25}, it is 1 - dense_weight")
        for name, value in (("rrf_k", self.rrf_k), ("candidates", self.candidates)):
            if value is not None and value < 1:
                raise InputError(f"{name}={value} must be 1 or more")

    def rank(self, index: Index, query: str, vectors: QueryVectors, depth: int, top_k: int) -> Ranking:
        """All candidates, fused. They grow in step with ``depth`` above ``top_k``: copies ate a part of the list."""
        candidates = (self.candidates or max(50, top_k)) * max(1, depth // top_k)
        lists = [ranker.rank(index, query, vectors, candidates, top_k) for ranker in (Dense(), self.bm25)]
        weights = [self.dense_weight or 0.0, self.bm25_weight or 0.0]
        return rrf(lists, weights, self.rrf_k) if self.fusion == "rrf" else convex(lists, weights)
