"""The sentences of the chunks, their vectors, and how rare their stems are."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from ragsweep.index.chunks import Chunks
from ragsweep.types import Document, Matrix


@dataclass(frozen=True)
class SentenceSpans:
    """Where the sentences lie.

    ``offsets`` has shape (n + 1,): the sentences of chunk c are ``spans[offsets[c]:offsets[c + 1]]``. ``spans`` has shape
    (m, 3): start, end in the document and the row of the sentence's text among the distinct ones.
    """

    offsets: npt.NDArray[np.int64]
    spans: npt.NDArray[np.int64]

    @classmethod
    def split(cls, chunks: Chunks, documents: Mapping[str, Document]) -> tuple["SentenceSpans", list[str]]:
        """The sentences of every chunk's text, and the distinct sentence texts in the order of their first place."""
        raise NotImplementedError


@dataclass(frozen=True)
class Sentences:
    """The sentences of an index. ``vectors`` has shape (u, d), one distinct sentence text a row; ``df`` counts, for each
    stem, the distinct sentences that hold it."""

    places: SentenceSpans
    vectors: Matrix
    df: Mapping[str, int]

    @classmethod
    def build(cls, places: SentenceSpans, texts: Sequence[str], vectors: Matrix) -> "Sentences":
        """From what ``SentenceSpans.split`` gave and the vectors of its texts. Raises ValueError when one is not finite."""
        raise NotImplementedError

    def of(self, chunk: int) -> list[tuple[int, int, int]]:
        """(start, end, row) of each sentence of the chunk, in order; positions are those of the document's text."""
        raise NotImplementedError

    def idf(self, stem: str) -> float:
        """ln((N + 1) / (df + 1)) over the N distinct sentences; 0 for a stem that all hold."""
        raise NotImplementedError

    def save(self, folder: Path) -> None:
        """Write three ``.npy`` and ``df.json``."""
        raise NotImplementedError

    @classmethod
    def load(cls, folder: Path) -> "Sentences":
        """Open what ``save`` wrote; the arrays stay on disk (mmap)."""
        raise NotImplementedError
