"""Paragraphs: blocks between blank lines."""

import re

from ragsweep.text.spans import cut
from ragsweep.types import Span

BLANK_LINE = r"\n[^\S\n]*\n"
"""A line of nothing but white space, with the line ends around it (texts are loaded with "\\n" as the only line end)."""
_BLANK_LINE = re.compile(BLANK_LINE)


def paragraph_spans(text: str) -> list[Span]:
    r"""The spans of the blocks between blank lines, trimmed.

    >>> paragraph_spans("a\nb\n \n\nc")
    [(0, 3), (7, 8)]
    """
    return cut(text, (match.end() for match in _BLANK_LINE.finditer(text)))
