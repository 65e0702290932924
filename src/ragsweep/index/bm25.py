"""Keyword scores of the chunks: BM25 as in Lucene, with the weights of bm25s."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from math import log
from pathlib import Path
from typing import Any

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
        return cls.of(Held.read(texts, language), k1, b, language)

    @classmethod
    def of(cls, held: Held, k1: float = 1.5, b: float = 0.75, language: Language = "english") -> "Bm25Index":
        """The same from the terms that the chunks hold.

        A term that occurs tf times in one of the n chunks weighs idf * tf / (k1 * (1 - b + b * length / mean length) + tf)
        there, idf = ln(1 + (n - df + 0.5) / (df + 0.5)): the variant "lucene" of bm25s, to the bit.
        """
        n = len(held.ends)
        lengths = np.diff(held.ends, prepend=0)
        terms, chunks, counts = _counted(held.ids, np.repeat(np.arange(n, dtype=np.int32), lengths))
        holders = np.bincount(terms, minlength=len(held.vocabulary))
        idf = np.array([log(1 + (n - df + 0.5) / (df + 0.5)) for df in holders.tolist()], dtype=np.float32)
        norms = k1 * ((1 - b) + b * lengths / (len(held.ids) / max(n, 1) or 1))
        weights = idf[terms] * (counts / (norms[chunks] + counts))
        starts = np.concatenate(([0], np.cumsum(holders)))
        return cls(n, language, held.vocabulary, starts, chunks, weights.astype(np.float32))

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


def _counted(terms: npt.NDArray[np.int32], chunks: npt.NDArray[np.int32]) -> tuple[npt.NDArray[Any], ...]:
    """The distinct pairs of a term and a chunk, by term, then by chunk, and how often each occurs (float32).

    >>> _counted(np.array([1, 0, 1, 0], dtype=np.int32), np.array([0, 0, 0, 1], dtype=np.int32))
    (array([0, 0, 1], dtype=int32), array([0, 1, 0], dtype=int32), array([1., 1., 2.], dtype=float32))
    """
    pairs = terms.astype(np.int64)
    pairs <<= 32
    pairs |= chunks
    pairs.sort()
    firsts = np.flatnonzero(np.concatenate((pairs[:1] >= 0, pairs[1:] != pairs[:-1])))
    counts = np.diff(firsts, append=len(pairs)).astype(np.float32)
    pairs = pairs[firsts]
    return (pairs >> 32).astype(np.int32), pairs.astype(np.int32), counts  # the lower half is the chunk
