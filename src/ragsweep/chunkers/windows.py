"""Windows over the smallest pieces of a text, exact in their arithmetic: they cut anywhere, tables too."""

from collections.abc import Iterator, Sequence

from ragsweep.chunkers.packing import runs
from ragsweep.text.spans import chunked
from ragsweep.types import Span


def windows(text: str, borders: Sequence[int], counts: Sequence[int], size: int, overlap: int) -> Iterator[Span]:
    """The windows of ``size`` units, trimmed, without those that then lie inside a neighbour.

    A cut is possible at each of the ``borders``, the first and the last of them included; ``counts[i]`` units lie before
    ``borders[i]``.

    >>> text = "ab   cd"
    >>> list(windows(text, range(8), range(8), size=3, overlap=0))
    [(0, 2), (5, 6), (6, 7)]
    """
    every = runs(counts[:-1], counts[1:], size, overlap)
    return chunked(text, ((borders[first], borders[after]) for first, after in every))
