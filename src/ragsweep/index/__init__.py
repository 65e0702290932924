"""An index: one list of chunks with spans and, only when a part of a setup needs them, vectors, keywords and sentences.

Every part is built by a pure function from what it is given, so that building never embeds, and is saved as ``.npy`` and
JSON in a folder of its own.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from ragsweep.index.bm25 import Bm25Index
from ragsweep.index.chunks import Chunks, build_chunks, distinct
from ragsweep.index.dense import Dense
from ragsweep.index.incoming import Incoming
from ragsweep.index.order import best, ordered
from ragsweep.index.sentences import Sentences, SentenceSpans
from ragsweep.index.terms import Terms
from ragsweep.text.copies import Words
from ragsweep.types import Document, Hit

__all__ = [
    "ABSENT",
    "Bm25Index",
    "Chunks",
    "Dense",
    "Incoming",
    "Index",
    "SentenceSpans",
    "Sentences",
    "Terms",
    "best",
    "build_chunks",
    "distinct",
    "ordered",
]

ABSENT: Any = None
"""A part that no component of the setup said that it needs."""


@dataclass(frozen=True, eq=False)
class Index:
    """What retrievers, rerankers and generators search; a place is the 0-based number of a chunk."""

    chunks: Chunks
    documents: Mapping[str, Document]
    dense: Dense = ABSENT
    bm25: Bm25Index = ABSENT
    sentences: Sentences = ABSENT
    incoming: Incoming | None = None
    """Chunks of another system, in place of ``chunks``."""
    first_equals: npt.NDArray[np.int32] | None = None
    """``text.copies.first_equals`` of the passages, by place; None where nobody found them beforehand."""
    _words: dict[int, Words] = field(default_factory=dict, init=False, repr=False, compare=False)

    def __len__(self) -> int:
        return len(self._cut)

    def of_question(self) -> "Index":
        """What one question searches: this index, or one of its own where the chunks come while it is searched."""
        return self if self.incoming is None else replace(self, incoming=self.incoming.of_question())

    @property
    def _cut(self) -> Chunks | Incoming:
        return self.chunks if self.incoming is None else self.incoming

    def text(self, chunk: int) -> str:
        """The text of a chunk: ``document.text[start:end]``."""
        return self._cut.text(chunk, self.documents)

    def passage(self, chunk: int) -> str:
        """The text of a chunk below the table header and the headings that it carries: what every part reads."""
        return self._cut.passage(chunk, self.documents)

    def words(self, chunk: int) -> Words:
        """The words of a chunk's passage, kept: the same chunks are retrieved for many questions."""
        if chunk not in self._words:
            self._words[chunk] = Words(self.passage(chunk))
        return self._words[chunk]

    def hit(self, chunk: int, score: float) -> Hit:
        """The chunk at a place as a hit with this score."""
        document, start, end = self._cut.span(chunk)
        told = self.incoming.words(chunk) if self.incoming is not None else None
        return Hit(chunk, document, self._cut.number(chunk), start, end, score, told)
