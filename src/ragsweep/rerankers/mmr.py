"""Maximal marginal relevance: near to the question, and unlike what is chosen already."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from ragsweep.errors import InputError
from ragsweep.index import Index, best
from ragsweep.parts import Need, QueryVectors
from ragsweep.types import Hit


@dataclass(frozen=True)
class Mmr:
    """Chooses one chunk after another by lambda x cosine to the question - (1 - lambda) x largest cosine to the chosen
    (Carbonell and Goldstein, SIGIR 1998).

    ``lambda_`` (``lambda`` in YAML, 0..1) is 1 for relevance alone. The second cosine is 0 for the first choice and never
    less, so that the scores of the choices do not rise. Equal scores, to 6 decimals, are chosen by place.
    """

    lambda_: float = 0.7

    version: ClassVar[int] = 1
    needs: ClassVar[frozenset[Need]] = frozenset({"vectors"})

    def __post_init__(self) -> None:
        if not 0 <= self.lambda_ <= 1:
            raise InputError(f"lambda={self.lambda_} must be from 0 to 1: write lambda=0.7")

    def rerank(self, index: Index, query: str, vectors: QueryVectors, pool: Sequence[Hit]) -> list[Hit]:
        """The pool in the order of choice; the score of a chunk, -1..1, is that at which it was chosen."""
        left = sorted(pool, key=lambda hit: hit.chunk)
        places = [hit.chunk for hit in left]
        own = index.dense.vectors[index.dense.rows[places]]
        relevance = index.dense.scores(vectors.vector(query))[places].astype(np.float64)
        nearest = np.zeros(len(left))
        chosen: dict[int, float] = {}
        while len(chosen) < len(pool):
            scores = self.lambda_ * relevance - (1 - self.lambda_) * nearest
            scores[list(chosen)] = -np.inf
            [(place, score)] = best(scores, 1)
            chosen[place] = score
            nearest = np.maximum(nearest, own @ own[place])
        return [replace(left[place], score=score) for place, score in chosen.items()]
