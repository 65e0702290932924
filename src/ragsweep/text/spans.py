"""Cutting a text at borders into trimmed spans."""

from collections.abc import Iterable

from ragsweep.types import Span


def cut(text: str, borders: Iterable[int]) -> list[Span]:
    """The spans between ascending borders (the ends of the text are borders too), trimmed of white space, without empty ones.

    >>> cut("one  two ", [4])
    [(0, 3), (5, 8)]
    """
    spans: list[Span] = []
    start = 0
    for border in (*borders, len(text)):
        piece = text[start:border]
        if body := piece.lstrip():
            first = border - len(body)
            spans.append((first, first + len(body.rstrip())))
        start = border
    return spans
