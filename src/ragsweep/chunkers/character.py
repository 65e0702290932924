"""Windows of characters."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from ragsweep.chunkers.sizes import DEFAULT, settle
from ragsweep.chunkers.windows import windows
from ragsweep.parts import Need
from ragsweep.text.lengths import Length
from ragsweep.text.spans import trimmed
from ragsweep.types import Document, Span


@dataclass(frozen=True)
class Character:
    """Windows of ``chunk_size`` code points, each beginning with the last ``chunk_overlap`` of the one before it.

    White space counts, but a chunk neither begins nor ends with it. The defaults are 1000 characters and an eighth of the size.
    """

    version: ClassVar[int] = 1
    needs: ClassVar[frozenset[Need]] = frozenset()
    length: ClassVar[Length] = "characters"

    chunk_size: int = DEFAULT
    chunk_overlap: int = DEFAULT

    def __post_init__(self) -> None:
        settle(self)

    def split(self, document: Document) -> Iterator[Span]:
        """The windows, from the first to the last character that is no white space."""
        start, end = trimmed(document.text, 0, len(document.text))
        places = range(start, end + 1)
        return windows(document.text, places, places, self.chunk_size, self.chunk_overlap)
