"""Meaning and words, weighed alike."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from ragsweep.index import Index, ordered
from ragsweep.parts import Need, QueryVectors
from ragsweep.text.keywords import Language
from ragsweep.types import Hit


@dataclass(frozen=True)
class Blend:
    """0.5 dense + 0.5 bm25, each as a z-score over the pool and computed for every chunk of it, whoever found it.

    ``language`` is that of the keyword index where the retriever has none.
    """

    language: Language = "english"

    version: ClassVar[int] = 2
    needs: ClassVar[frozenset[Need]] = frozenset({"vectors", "bm25"})

    def rerank(self, index: Index, query: str, vectors: QueryVectors, pool: Sequence[Hit]) -> list[Hit]:
        """The pool by its blended score, a mean of z-scores: about -3..3, 0 is the average of the pool."""
        places = [hit.chunk for hit in pool]
        dense = z_scores(index.dense.scores(vectors.vector(query))[places])
        bm25 = z_scores(index.bm25.scores(query)[places])
        blended = dict(zip(places, (0.5 * dense + 0.5 * bm25).tolist(), strict=True))
        hits = {hit.chunk: hit for hit in pool}
        return [replace(hits[place], score=score) for place, score in ordered(blended)]


def z_scores(scores: npt.NDArray[Any]) -> npt.NDArray[np.float64]:
    """(score - mean) / population standard deviation; 0 for each when they do not differ.

    >>> z_scores(np.array([1.0, 3.0])).tolist(), z_scores(np.array([0.1, 0.1, 0.1])).tolist()
    ([-1.0, 1.0], [0.0, 0.0, 0.0])
    """
    exact = scores.astype(np.float64)
    if len(exact) == 0 or exact.min() == exact.max():  # the computed sigma of equal numbers need not be exactly 0
        return np.zeros_like(exact)
    z: npt.NDArray[np.float64] = (exact - exact.mean()) / exact.std()
    return z
