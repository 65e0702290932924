"""The sentences of the chunks, their vectors, and how rare their stems are."""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import log
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from ragsweep import files
from ragsweep.index.arrays import load_array
from ragsweep.index.chunks import Chunks
from ragsweep.text.keywords import Language, keywords
from ragsweep.text.sentences import sentence_spans
from ragsweep.types import Document

if TYPE_CHECKING:
    from ragsweep.types import Matrix


@dataclass(frozen=True, eq=False)
class SentenceSpans:
    """Where the sentences lie.

    ``offsets`` has shape (n + 1,), int64: the sentences of chunk c are ``spans[offsets[c]:offsets[c + 1]]``. ``spans`` has
    shape (m, 3), int64: start, end in the document and the row of the sentence's text among the distinct ones.
    """

    offsets: npt.NDArray[np.int64]
    spans: npt.NDArray[np.int64]

    @classmethod
    def split(cls, chunks: Chunks, documents: Mapping[str, Document]) -> tuple["SentenceSpans", list[str]]:
        """The sentences of every chunk's text, and the distinct sentence texts in the order of their first place."""
        rows: dict[str, int] = {}
        spans: list[tuple[int, int, int]] = []
        offsets = [0]
        for chunk in range(len(chunks)):
            document, chunk_start, chunk_end = chunks.span(chunk)
            text = documents[document].text
            for start, end in sentence_spans(text[chunk_start:chunk_end]):
                start, end = chunk_start + start, chunk_start + end
                spans.append((start, end, rows.setdefault(text[start:end], len(rows))))
            offsets.append(len(spans))
        return cls(np.array(offsets, dtype=np.int64), np.array(spans, dtype=np.int64).reshape(-1, 3)), list(rows)


@dataclass(frozen=True, eq=False)
class Sentences:
    """The sentences of an index.

    ``vectors`` has shape (u, d), one distinct sentence text a row; ``df`` counts, for each stem of ``language``, the distinct
    sentences that hold it.
    """

    places: SentenceSpans
    vectors: "Matrix"
    df: Mapping[str, int]
    language: Language

    @classmethod
    def build(
        cls, places: SentenceSpans, texts: Sequence[str], vectors: "Matrix", language: Language = "english"
    ) -> "Sentences":
        """From what ``SentenceSpans.split`` gave and the vectors of its texts. Raises ValueError when one is not finite."""
        if not np.isfinite(vectors).all():
            raise ValueError("a sentence vector holds NaN or infinity")
        df = Counter(stem for text in texts for stem in dict.fromkeys(keywords(text, language)))
        return cls(places, vectors, df, language)

    def of(self, chunk: int) -> list[tuple[int, int, int]]:
        """(start, end, row) of each sentence of the chunk, in order; positions are those of the document's text."""
        first, end = self.places.offsets[chunk : chunk + 2]
        return [(start, stop, row) for start, stop, row in self.places.spans[first:end].tolist()]

    def idf(self, stem: str) -> float:
        """ln((N + 1) / (df + 1)) over the N distinct sentences; 0 for a stem that all of them hold."""
        return log((len(self.vectors) + 1) / (self.df.get(stem, 0) + 1))

    def save(self, folder: Path) -> None:
        """Write three ``.npy`` and ``stems.json``."""
        files.write_array(folder / "offsets.npy", self.places.offsets)
        files.write_array(folder / "spans.npy", self.places.spans)
        files.write_array(folder / "vectors.npy", self.vectors)
        files.write(folder / "stems.json", json.dumps({"language": self.language, "df": self.df}).encode())

    @classmethod
    def load(cls, folder: Path) -> "Sentences":
        """Open what ``save`` wrote; the arrays stay on disk (mmap)."""
        places = SentenceSpans(load_array(folder / "offsets.npy"), load_array(folder / "spans.npy"))
        return cls(places, load_array(folder / "vectors.npy"), **json.loads((folder / "stems.json").read_bytes()))
