"""A chunking: the documents of one reading, cut by one chunker."""

from collections.abc import Mapping
from dataclasses import dataclass

from ragsweep.index import Chunks, build_chunks
from ragsweep.text.words import count_words
from ragsweep.types import Chunker, Document


@dataclass(frozen=True, eq=False)
class Chunking:
    """The chunks of a chunker over the corpus of ``reading``; ``words`` is their mean number of words."""

    reading: str
    chunker: Chunker
    chunks: Chunks
    words: float


def cut(reading: str, documents: Mapping[str, Document], chunker: Chunker) -> Chunking:
    """Cut all documents of a reading. Raises InputError when no chunk comes out, and whatever the chunker raises."""
    chunks = build_chunks(documents.values(), chunker)
    return Chunking(reading, chunker, chunks, mean_words(chunks, documents))


def mean_words(chunks: Chunks, documents: Mapping[str, Document]) -> float:
    """Mean number of words of a chunk."""
    return sum(count_words(text) for text in chunks.texts(documents)) / len(chunks)
