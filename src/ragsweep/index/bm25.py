"""Keyword scores of the chunks: BM25 as in Lucene, weights by bm25s."""

import json
import logging
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import log
from pathlib import Path

import numpy as np
import numpy.typing as npt

from ragsweep import files
from ragsweep.index.arrays import load_array
from ragsweep.index.terms import Held
from ragsweep.text.keywords import Language, keywords

ARRAYS = ("starts", "chunks", "weights")


@dataclass(frozen=True, eq=False)
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
        vocabulary: dict[str, int] = {}
        ids = [[vocabulary.setdefault(term, len(vocabulary)) for term in keywords(text, language)] for text in texts]
        return cls._weigh(ids, vocabulary, k1, b, language)

    @classmethod
    def of(cls, held: Held, k1: float = 1.5, b: float = 0.75, language: Language = "english") -> "Bm25Index":
        """The same from the terms that the chunks hold."""
        ids = held.ids.tolist()
        return cls._weigh(
            [ids[start:end] for start, end in pairwise((0, *held.ends.tolist()))], held.vocabulary, k1, b, language
        )

    @classmethod
    def _weigh(
        cls, ids: Sequence[Sequence[int]], vocabulary: dict[str, int], k1: float, b: float, language: Language
    ) -> "Bm25Index":
        import bm25s

        logging.getLogger("bm25s").setLevel(logging.WARNING)  # it asks for DEBUG, which a notebook would show
        if not vocabulary:  # bm25s refuses a corpus without terms
            return cls(len(ids), language, {}, np.zeros(1, np.int64), np.zeros(0, np.int32), np.zeros(0, np.float32))
        model = bm25s.BM25(k1=k1, b=b, method="lucene", backend="numpy")
        model.index((ids, vocabulary), create_empty_token=False, show_progress=False)
        csc = model.scores
        return cls(len(ids), language, vocabulary, csc["indptr"].astype(np.int64), csc["indices"], csc["data"])

    def scores(self, query: str) -> npt.NDArray[np.float32]:
        """Shape (n,): BM25 of each chunk, 0 where it holds no term of the query. A repeated term counts again."""
        scores = np.zeros(self.n, dtype=np.float32)
        for term in keywords(query, self.language):
            held = self._column(term)
            scores[self.chunks[held]] += self.weights[held]
        return scores

    def holders(self, term: str) -> npt.NDArray[np.int32]:
        """The places of the chunks that hold a term."""
        return self.chunks[self._column(term)]

    def idf(self, term: str) -> float:
        """ln((N + 1) / (df + 1)) over the N chunks; 0 for a term that all of them hold, the most for one that none holds."""
        return log((self.n + 1) / (len(self.holders(term)) + 1))

    def _column(self, term: str) -> slice:
        column = self.vocabulary.get(term)
        return slice(0) if column is None else slice(self.starts[column], self.starts[column + 1])

    def save(self, folder: Path) -> None:
        """Write three ``.npy`` and ``terms.json``."""
        for name in ARRAYS:
            files.write_array(folder / f"{name}.npy", getattr(self, name))
        about = {"n": self.n, "language": self.language, "vocabulary": self.vocabulary}
        files.write(folder / "terms.json", json.dumps(about).encode())

    @classmethod
    def load(cls, folder: Path) -> "Bm25Index":
        """Open what ``save`` wrote; the arrays stay on disk (mmap)."""
        about = json.loads((folder / "terms.json").read_bytes())
        starts, chunks, weights = (load_array(folder / f"{name}.npy") for name in ARRAYS)
        return cls(about["n"], about["language"], about["vocabulary"], starts, chunks, weights)
