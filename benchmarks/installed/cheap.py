"""Parts that cost next to nothing, so that a sweep of them shows what the sweep itself costs.

This folder stands for an installed package: with it on PYTHONPATH its entry point and its options are found.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any, ClassVar
from zlib import crc32

import numpy as np

from ragsweep.parts import Need, QueryVectors
from ragsweep.types import Answer, Hit

if TYPE_CHECKING:
    from ragsweep.types import Matrix


@dataclass(frozen=True)
class Hashing:
    """Counts the words of a text in ``dimensions`` columns that their hashes choose."""

    dimensions: int = 384
    version: ClassVar[int] = 1
    needs: ClassVar[frozenset[Need]] = frozenset()
    model: ClassVar[str] = "crc32 of words"
    query_prefix: ClassVar[str] = ""
    passage_prefix: ClassVar[str] = ""

    def embed(self, texts: Sequence[str]) -> "Matrix":
        """Shape (len(texts), dimensions), float32, rows of length 1, or 0 for a text without words."""
        counts = np.zeros((len(texts), self.dimensions), dtype=np.float32)
        for row, text in zip(counts, texts, strict=True):
            row += np.bincount([_hash(word) % self.dimensions for word in text.split()], minlength=self.dimensions)
        lengths = np.linalg.norm(counts, axis=1, keepdims=True)
        return counts / np.where(lengths > 0, lengths, 1)

    def over_window(self, texts: Sequence[str]) -> list[bool]:
        """Never: it has no window."""
        return [False] * len(texts)


@lru_cache(maxsize=1 << 20)
def _hash(word: str) -> int:
    return crc32(word.encode())


@dataclass(frozen=True)
class First:
    """Answers with the first chunk."""

    version: ClassVar[int] = 1
    needs: ClassVar[frozenset[Need]] = frozenset({"generator"})

    def generate(self, index: Any, question: str, vectors: QueryVectors, chunks: Sequence[Hit]) -> Answer:
        """The text of the first chunk, which it cites."""
        cited = tuple(hit.chunk for hit in chunks[:1])
        return Answer(" ".join(map(index.text, cited)), not cited, cited)

    def route(self, question: str) -> tuple[str, ...]:
        """The question as it is."""
        return (question,)

    def check(self, index: Any, question: str, vectors: QueryVectors, chunks: Sequence[Hit]) -> bool:
        """Always."""
        return True

    def rewrite(self, question: str, attempt: int) -> str:
        """The question as it is."""
        return question
