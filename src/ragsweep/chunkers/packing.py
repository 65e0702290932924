"""Packing whole units up to a size: the one rule that paragraph, recursive, sentence and section share."""

from abc import ABC, abstractmethod
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from re import finditer
from typing import ClassVar, TypeAlias

from ragsweep.chunkers.sizes import DEFAULT, settle
from ragsweep.parts import Need
from ragsweep.text.lengths import RULERS, Length, Ruler
from ragsweep.text.spans import cut, trimmed
from ragsweep.text.words import word_spans
from ragsweep.types import Document, Span

Level: TypeAlias = Callable[[str], list[Span]]
"""Cuts a text into trimmed units that hold every non-space character."""
Blocks: TypeAlias = Mapping[Span, Level]
"""The trimmed spans of tables and code, in order, each with what cuts it between its rows or lines."""


def characters(text: str) -> list[Span]:
    """The finest level: each non-space code point."""
    return [(place, place + 1) for place, character in enumerate(text) if not character.isspace()]


def runs(starts: Sequence[int], ends: Sequence[int], size: int, overlap: int) -> Iterator[tuple[int, int]]:
    """(first, after) of the units in each chunk: as many as fit into ``size``, at least one.

    A run begins with the trailing units of the one before it, as long as they measure at most ``overlap`` and leave room for
    a new unit. ``starts`` and ``ends`` are those of a Ruler.

    >>> list(runs(range(12), range(1, 13), size=5, overlap=1))
    [(0, 5), (4, 9), (8, 12)]
    """
    first = 0
    while first < len(ends):
        after = bisect_right(ends, starts[first] + size, first + 1)
        yield first, after
        if after == len(ends):
            return
        first = bisect_left(starts, max(ends[after - 1] - overlap, ends[after] - size), first + 1, after)


def pack(
    text: str, within: Span, blocks: Blocks, levels: Sequence[Level], ruler: Ruler, size: int, overlap: int
) -> Iterator[Span]:
    """Spans of as many whole units of ``levels[0]`` as fit into ``size``; a block is one unit.

    A unit that does not fit alone is packed from its own units of the next level (a block from its rows or lines, then words,
    then characters), apart from its neighbours.
    """
    units = _units(text, within, blocks, levels[0])
    starts, ends = ruler(text, units)
    for first, after in runs(starts, ends, size, overlap):
        span = units[first][0], units[after - 1][1]
        finer = (blocks[span], word_spans, characters) if span in blocks else levels[1:]
        if ends[first] - starts[first] > size and finer:
            yield from pack(text, span, {}, finer, ruler, size, overlap)
        else:
            yield span


def _units(text: str, within: Span, blocks: Iterable[Span], level: Level) -> list[Span]:
    """The blocks, and the units of the text between them."""
    units: list[Span] = []
    place = within[0]
    for start, end in (*blocks, (within[1], within[1])):
        units += [(place + left, place + right) for left, right in level(text[place:start])]
        units += [(start, end)] if start < end else []
        place = end
    return units


def blocks_of(document: Document) -> Blocks:
    """The tables and code of a document."""
    spans = [(trimmed(document.text, block.start, block.end), block.header) for block in document.blocks]
    return {span: partial(_rows, header[1] - span[0] if header else 0) for span, header in spans}


def _rows(header: int, text: str) -> list[Span]:
    """The lines of a block; the first ``header`` characters stay together."""
    return cut(text, (match.end() for match in finditer("\n", text) if match.end() > header))


@dataclass(frozen=True)
class Packing(ABC):
    """A chunker that packs the units of its levels.

    ``length`` is the unit of ``chunk_size`` and ``chunk_overlap``; their defaults are those of ``sizes.settled``.
    """

    needs: ClassVar[frozenset[Need]] = frozenset()

    chunk_size: int = DEFAULT
    chunk_overlap: int = DEFAULT
    length: Length = "words"

    def __post_init__(self) -> None:
        settle(self)

    @property
    @abstractmethod
    def levels(self) -> Sequence[Level]:
        """What cuts a text into units, coarse to fine."""

    @property
    def ruler(self) -> Ruler:
        """What measures the units."""
        return RULERS[self.length]

    def split(self, document: Document) -> Iterator[Span]:
        """The packed spans, each at most chunk_size long (a single character may be more tokens than that)."""
        return self.packed(document, [(0, len(document.text))])

    def packed(self, document: Document, parts: Iterable[Span]) -> Iterator[Span]:
        """The spans of each part, packed apart from those of other parts. No part ends inside a block."""
        blocks = blocks_of(document)
        order = list(blocks)
        for part in parts:
            held = order[bisect_left(order, (part[0], 0)) : bisect_left(order, (part[1], 0))]
            inside = {span: blocks[span] for span in held}
            yield from pack(document.text, part, inside, self.levels, self.ruler, self.chunk_size, self.chunk_overlap)
