"""A chunking: the documents of one reading, cut by one chunker."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ragsweep.index import Chunks, build_chunks
from ragsweep.parts import Chunker
from ragsweep.text.words import count_words
from ragsweep.types import Document


@dataclass(frozen=True, eq=False)
class Chunking:
    """The chunks of a chunker over the corpus of ``reading``; ``sizes`` are their words, by place."""

    reading: str
    chunker: Chunker
    chunks: Chunks
    sizes: Sequence[int]

    @property
    def words(self) -> float:
        """Mean number of words of a chunk."""
        return sum(self.sizes) / len(self.sizes)


def cut(reading: str, documents: Mapping[str, Document], chunker: Chunker) -> Chunking:
    """Cut all documents of a reading. Raises InputError when no chunk comes out, and whatever the chunker raises."""
    chunks = build_chunks(documents.values(), chunker)
    return Chunking(reading, chunker, chunks, [count_words(text) for text in chunks.texts(documents)])
