"""What the chunks of an index must offer for an evidence to be found, whatever their order."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import pairwise

import numpy as np

from ragsweep.index.chunks import Chunks
from ragsweep.types import Document, Evidence, Match, Place, Span

Requirements = list[list[Span]]
"""Alternatives, each a list of ranges (first, end) of chunk places: a choice of chunks finds the evidence when it has one in
every range of an alternative."""


def requirements(
    chunks: Chunks, documents: Mapping[str, Document], match: Match = "union"
) -> Callable[[Evidence], Requirements]:
    """A function from evidence to what it requires of ``chunks``; a place that no chunks can satisfy gives no alternative."""
    lie = _Layout(chunks, documents)

    def alternative(evidence: Evidence, place: Place) -> list[Span]:
        if evidence.kind not in ("quote", "span"):
            return lie.touching(evidence, place)
        text = documents[place.document].text
        begin, stop = _stripped(text, place)
        if begin >= stop:
            return []
        if match == "single":
            return [lie.holding(place.document, (begin, stop))]
        first, end = lie.reaching(place.document, (begin, stop))
        borders = {begin, stop, *chunks.spans[first:end, 1].tolist(), *chunks.spans[first:end, 2].tolist()}
        pieces = pairwise(sorted(border for border in borders if begin <= border <= stop))
        return _narrowest(lie.reaching(place.document, piece) for piece in pieces if text[slice(*piece)].strip())

    def required(evidence: Evidence) -> Requirements:
        alternatives = [alternative(evidence, place) for place in evidence.places]
        return [ranges for ranges in alternatives if ranges and all(first < end for first, end in ranges)]

    return required


def touching(chunks: Chunks, documents: Mapping[str, Document]) -> Callable[[Evidence], list[Span]]:
    """A function from evidence to the ranges of the chunks that hold any of it, those that ``matches`` counts."""
    lie = _Layout(chunks, documents)
    return lambda evidence: [span for place in evidence.places for span in lie.touching(evidence, place)]


class _Layout:
    """Where the chunks lie in their documents.

    It rests on two properties of every chunker: in a document the starts and the ends of chunks strictly increase, so the
    chunks that hold a piece of text are neighbours; and chunks have no outer white space, so a chunk that reaches into a
    stripped text shares a non-space character with it.
    """

    def __init__(self, chunks: Chunks, documents: Mapping[str, Document]) -> None:
        firsts = np.searchsorted(chunks.spans[:, 0], np.arange(len(chunks.documents) + 1)).tolist()
        self._ranges = dict(zip(chunks.documents, pairwise(firsts), strict=True))
        self._starts, self._ends = chunks.spans[:, 1], chunks.spans[:, 2]
        self._documents = documents

    def touching(self, evidence: Evidence, place: Place) -> list[Span]:
        """The one range of chunks that hold any of a place; none where it has no text."""
        first, end = self._ranges.get(place.document, (0, 0))
        if evidence.kind == "file":
            return [(first, end)]
        if evidence.kind == "chunk":
            chunk = first + (place.chunk or 0) - 1
            return [(chunk, min(chunk + 1, end))]
        begin, stop = _stripped(self._documents[place.document].text, place)
        return [self.reaching(place.document, (begin, stop))] if begin < stop else []

    def reaching(self, document: str, piece: Span) -> Span:
        """The chunks that reach into ``piece``; those that hold it whole, when no chunk begins or ends inside it."""
        first, end = self._ranges.get(document, (0, 0))
        return (
            first + int(np.searchsorted(self._ends[first:end], piece[0], side="right")),
            first + int(np.searchsorted(self._starts[first:end], piece[1], side="left")),
        )

    def holding(self, document: str, piece: Span) -> Span:
        """The chunks that hold ``piece`` whole."""
        first, end = self._ranges.get(document, (0, 0))
        return (
            first + int(np.searchsorted(self._ends[first:end], piece[1], side="left")),
            first + int(np.searchsorted(self._starts[first:end], piece[0], side="right")),
        )


def fewest_chunks(ranges: Sequence[Span]) -> int:
    """The smallest number of chunks that puts one into every range: the greedy choice of each range's last chunk, by its end.

    >>> fewest_chunks([(0, 3), (2, 5), (7, 8)])
    2
    """
    chosen: list[int] = []
    for first, end in sorted(ranges, key=lambda span: span[1]):
        if not chosen or chosen[-1] < first:
            chosen.append(end - 1)
    return len(chosen)


def _stripped(text: str, place: Place) -> Span:
    held = text[place.start : place.end]
    return place.start + len(held) - len(held.lstrip()), place.start + len(held.rstrip())


def _narrowest(ranges: Iterable[Span]) -> list[Span]:
    """Without the ranges that another one implies by lying inside them."""
    distinct = sorted(set(ranges))
    return [
        span
        for span in distinct
        if not any(span != other and span[0] <= other[0] and other[1] <= span[1] for other in distinct)
    ]
