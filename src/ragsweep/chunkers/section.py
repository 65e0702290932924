"""A chunk a section."""

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import ClassVar

from ragsweep.chunkers.packing import Level, Packing
from ragsweep.chunkers.paragraph import PROSE
from ragsweep.types import Document, Span


@dataclass(frozen=True)
class Section(Packing):
    """Each heading with its own text, up to the next heading of any level; sections are not packed together.

    A section over the size is packed from its paragraphs, then sentences, words, characters. Text before the first heading is
    a section; a file without headings is one. With ``heading_path`` a chunk is searched and read below the headings that it
    stands under and does not hold.
    """

    version: ClassVar[int] = 1

    heading_path: bool = True

    @property
    def levels(self) -> Sequence[Level]:
        """Those of paragraph: they cut a section that is over the size."""
        return PROSE

    def split(self, document: Document) -> Iterator[Span]:
        """The sections, those over chunk_size in pieces."""
        blocks = document.blocks
        before = [bisect_right(blocks, heading.start, key=lambda block: block.start) for heading in document.headings]
        borders = [
            heading.start
            for heading, count in zip(document.headings, before, strict=True)
            if count == 0 or blocks[count - 1].end <= heading.start  # a heading in a cell of a table cuts nothing
        ]
        return self.packed(document, pairwise([0, *borders, len(document.text)]))
