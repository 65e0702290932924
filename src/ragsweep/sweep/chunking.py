"""A chunking: the documents of one reading, cut by one chunker."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ragsweep import files
from ragsweep.errors import contained
from ragsweep.index import Chunks, build_chunks
from ragsweep.index.arrays import load_array
from ragsweep.parts import Chunker
from ragsweep.store import Store
from ragsweep.sweep.keys import DocumentKeys, chunks_key
from ragsweep.text.words import count_words
from ragsweep.types import Document

WORDS = "words.npy"


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

    def save(self, folder: Path) -> None:
        """Write the chunks, and ``words.npy``."""
        self.chunks.save(folder)
        files.write_array(folder / WORDS, np.array(self.sizes, dtype=np.int64))


def cut(store: Store, reading: str, named: DocumentKeys, documents: Mapping[str, Document], chunker: Chunker) -> Chunking:
    """All documents of a reading, cut now unless the store has it. Raises InputError when no chunk comes out, and whatever the
    chunker raises."""
    if folder := store.sound("chunks", chunks_key(named, chunker)):
        return Chunking(reading, chunker, Chunks.load(folder), load_array(folder / WORDS).tolist())
    with contained():
        chunks = build_chunks(documents.values(), chunker)
    return Chunking(reading, chunker, chunks, [count_words(text) for text in chunks.texts(documents)])
