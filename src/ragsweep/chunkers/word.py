"""Windows of words."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from ragsweep.chunkers.sizes import DEFAULT, settle
from ragsweep.parts import Need
from ragsweep.text.lengths import Length
from ragsweep.text.words import word_spans
from ragsweep.types import Document, Span


@dataclass(frozen=True)
class Word:
    """Windows of ``chunk_size`` words, each beginning with the last ``chunk_overlap`` words of the one before it.

    The defaults are 160 words and an eighth of the size.
    """

    version: ClassVar[int] = 1
    needs: ClassVar[frozenset[Need]] = frozenset()
    length: ClassVar[Length] = "words"

    chunk_size: int = DEFAULT
    chunk_overlap: int = DEFAULT

    def __post_init__(self) -> None:
        settle(self)

    def split(self, document: Document) -> Iterator[Span]:
        """The windows; the last one ends with the last word, and no window follows it."""
        words = word_spans(document.text)
        for first in range(0, len(words), self.chunk_size - self.chunk_overlap):
            after = min(first + self.chunk_size, len(words))
            yield words[first][0], words[after - 1][1]
            if after == len(words):
                return
