"""Keyword scores of the chunks: BM25 as in Lucene, weights by bm25s."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from ragsweep import files
from ragsweep.index.arrays import load_array, save_array
from ragsweep.text.keywords import Language, keywords


@dataclass(frozen=True)
class Bm25Index:
    """A sparse matrix of term weights, one column a term (CSC).

    ``vocabulary`` maps a term to its column t; ``chunks[starts[t]:starts[t + 1]]`` are the places that hold it and
    ``weights`` of the same slice what it adds to their score. ``n`` is the number of chunks.
    """

    n: int
    language: Language
    vocabulary: dict[str, int]
    starts: npt.NDArray[np.int64]
    chunks: npt.NDArray[np.int32]
    weights: npt.NDArray[np.float32]

    @classmethod
    def build(cls, texts: Sequence[str], k1: float = 1.5, b: float = 0.75, language: Language = "english") -> "Bm25Index":
        """Weigh the terms of all chunk texts of one dataset, by place."""
        raise NotImplementedError

    def scores(self, query: str) -> npt.NDArray[np.float32]:
        """Shape (n,): BM25 of each chunk, 0 where it holds no term of the query. A repeated term counts again."""
        raise NotImplementedError

    def save(self, folder: Path) -> None:
        """Write three ``.npy`` and ``vocabulary.json``."""
        raise NotImplementedError

    @classmethod
    def load(cls, folder: Path) -> "Bm25Index":
        """Open what ``save`` wrote; the arrays stay on disk (mmap)."""
        raise NotImplementedError
