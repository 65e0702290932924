"""Packing whole units up to a size: the one rule that paragraph and recursive share."""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar, TypeAlias

from ragsweep.chunkers.sizes import DEFAULT, settled
from ragsweep.text.lengths import RULERS, Length, Ruler
from ragsweep.types import Document, Need, Span

Level: TypeAlias = Callable[[str], list[Span]]
"""Cuts a text into trimmed units that hold every non-space character."""


def characters(text: str) -> list[Span]:
    """The finest level: each non-space code point."""
    return [(place, place + 1) for place, character in enumerate(text) if not character.isspace()]


def pack(text: str, levels: Sequence[Level], ruler: Ruler, size: int, overlap: int) -> Iterator[Span]:
    """Spans of as many whole units of ``levels[0]`` as fit into ``size``.

    A unit that does not fit alone is packed from its own units of the next level, apart from its neighbours. A span starts
    with the trailing units of the one before it, as long as they measure at most ``overlap`` and leave room for a new unit.
    """
    units = levels[0](text)
    starts, ends = ruler(text, units)
    first = 0
    while first < len(units):
        after = bisect_right(ends, starts[first] + size, first + 1)
        start, end = units[first][0], units[after - 1][1]
        if ends[first] - starts[first] > size and len(levels) > 1:
            finer = pack(text[start:end], levels[1:], ruler, size, overlap)
            yield from ((start + left, start + right) for left, right in finer)
        else:
            yield start, end
        if after == len(units):
            return
        first = bisect_left(starts, max(ends[after - 1] - overlap, ends[after] - size), first + 1, after)


@dataclass(frozen=True)
class Packing:
    """A chunker that packs the units of ``levels``, coarse to fine.

    ``length`` is the unit of ``chunk_size`` and ``chunk_overlap``; their defaults are those of ``sizes.settled``.
    """

    levels: ClassVar[tuple[Level, ...]]
    needs: ClassVar[frozenset[Need]] = frozenset()

    chunk_size: int = DEFAULT
    chunk_overlap: int = DEFAULT
    length: Length = "words"

    def __post_init__(self) -> None:
        size, overlap = settled(self.length, self.chunk_size, self.chunk_overlap)
        object.__setattr__(self, "chunk_size", size)
        object.__setattr__(self, "chunk_overlap", overlap)

    def split(self, document: Document) -> Iterator[Span]:
        """The packed spans, each at most chunk_size long (a single character may be more tokens than that)."""
        return pack(document.text, self.levels, RULERS[self.length], self.chunk_size, self.chunk_overlap)
