"""The retriever's order, corrected by the words of the question."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from ragsweep.index import Index, ordered
from ragsweep.parts import Need, QueryVectors
from ragsweep.text.keywords import Language, keywords
from ragsweep.types import Hit


@dataclass(frozen=True)
class Overlap:
    """The retrieval score, stretched to 0..1 over the pool, + 0.5 x the share of the question's stems that the chunk holds.

    Each distinct stem weighs its idf, ln((N + 1) / (df + 1)) over the N chunks of the index; one that no chunk holds counts
    against all. The share is 0 for a question without stems. Equal retrieval scores are 1 each. ``language`` is that of the
    keyword index where the retriever has none.
    """

    language: Language = "english"

    version: ClassVar[int] = 1
    needs: ClassVar[frozenset[Need]] = frozenset({"bm25"})

    def rerank(self, index: Index, query: str, vectors: QueryVectors, pool: Sequence[Hit]) -> list[Hit]:
        """The pool by its score, 0..1.5."""
        places = np.array([hit.chunk for hit in pool], dtype=np.int64)
        held, total = np.zeros(len(pool)), 0.0
        for stem in dict.fromkeys(keywords(query, index.bm25.language)):
            weight = index.bm25.idf(stem)
            held += weight * np.isin(places, index.bm25.holders(stem))
            total += weight
        scores = _stretched([hit.score for hit in pool]) + 0.5 * (held / total if total else held)
        hits = {hit.chunk: hit for hit in pool}
        return [replace(hits[place], score=score) for place, score in ordered(dict(zip(hits, scores.tolist(), strict=True)))]


def _stretched(scores: Sequence[float]) -> "np.ndarray[tuple[int], np.dtype[np.float64]]":
    lowest, highest = min(scores, default=0.0), max(scores, default=0.0)
    return (np.array(scores) - lowest) / (highest - lowest) if highest > lowest else np.ones(len(scores))
