"""Trimmed spans, and cutting a text at borders into them."""

from collections.abc import Iterable, Iterator
from itertools import chain

from ragsweep.types import Span


def trimmed(text: str, start: int, end: int) -> Span:
    """The span without the white space around it; (end, end) when nothing else is in it.

    >>> trimmed("one  two ", 3, 9), trimmed("one  two ", 3, 5)
    ((5, 8), (5, 5))
    """
    body = text[start:end].lstrip()
    first = end - len(body)
    return first, first + len(body.rstrip())


def cut(text: str, borders: Iterable[int]) -> list[Span]:
    """The spans between ascending borders (the ends of the text are borders too), trimmed of white space, without empty ones.

    >>> cut("one  two ", [4])
    [(0, 3), (5, 8)]
    """
    spans: list[Span] = []
    start = 0
    for border in chain(borders, (len(text),)):
        if body := text[start:border].lstrip():
            first = border - len(body)
            spans.append((first, first + len(body.rstrip())))
        start = border
    return spans


def chunked(text: str, spans: Iterable[Span]) -> Iterator[Span]:
    """Ascending spans, trimmed, without those that then are empty or lie inside a neighbour.

    >>> list(chunked("one  two ", [(0, 4), (3, 5), (3, 8), (5, 9)]))
    [(0, 3), (5, 8)]
    """
    kept = (0, 0)
    for start, end in spans:
        span = trimmed(text, start, end)
        if span[1] <= kept[1]:
            continue
        if span[0] > kept[0] and kept[0] < kept[1]:
            yield kept
        kept = span
    if kept[0] < kept[1]:
        yield kept
