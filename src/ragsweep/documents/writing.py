"""One text written piece by piece, with the places of its headings, tables and code: how DOCX and HTML become Content."""

import re
from collections.abc import Sequence

from ragsweep.documents.content import Content
from ragsweep.errors import InputError
from ragsweep.text.unseen import is_blank
from ragsweep.types import Block, Heading, Span

LINE, PARAGRAPH = 1, 2
"""How many line ends stand between two pieces at least."""
_SPACE = re.compile("[ \t\r\n\f]+")


def fold(text: str) -> str:
    """The text on one line: every run of white space is one space.

    >>> fold(" a\\n\\t b ")
    'a b'
    """
    return _SPACE.sub(" ", text).strip()


class Writer:
    """Pieces in document order. Empty pieces leave nothing; of two distances between pieces the larger one holds."""

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._length = 0
        self._gap = 0
        self._headings: list[Heading] = []
        self._blocks: list[Block] = []
        self._rows: list[Span] = []
        self._header: Span | None = None

    def gap(self, line_ends: int) -> None:
        """What comes next stands at least so many line ends after what is there."""
        self.end_table()
        self._gap = max(self._gap, line_ends)

    def text(self, text: str, gap: int = PARAGRAPH) -> None:
        """A paragraph, with ``gap`` before and after it."""
        self._piece(text.strip(), gap)

    def heading(self, level: int, text: str) -> None:
        """A heading line."""
        title = fold(text)
        if title:
            start, end = self._piece(title, PARAGRAPH)
            self._headings.append(Heading(level, start, end, title))

    def code(self, text: str) -> None:
        """A block of code, whose lines stay as they are."""
        lines = text.rstrip()
        while lines[: lines.find("\n") + 1].isspace():  # empty lines at its top
            lines = lines[lines.find("\n") + 1 :]
        if lines:
            self._blocks.append(Block("code", *self._piece(lines, PARAGRAPH)))

    def row(self, cells: Sequence[str], *, header: bool = False) -> None:
        """A row of a table as one line. Only rows at the top of a table are headers."""
        line = " | ".join(fold(cell) for cell in cells).strip()
        if not line.strip(" |"):
            return
        self._gap = max(self._gap, LINE if self._rows else PARAGRAPH)
        span = self._append(line)
        if header and (not self._rows or self._header == (self._rows[0][0], self._rows[-1][1])):
            self._header = (self._rows[0][0] if self._rows else span[0], span[1])
        self._rows.append(span)

    def end_table(self) -> None:
        """The next row belongs to another table."""
        if self._rows:
            self._blocks.append(Block("table", self._rows[0][0], self._rows[-1][1], self._header))
            self._rows, self._header = [], None
            self._gap = PARAGRAPH

    def content(self, notices: tuple[str, ...] = ()) -> Content:
        """All that was written. Raises InputError when that is nothing."""
        self.end_table()
        text = "".join(self._parts)
        if is_blank(text):
            raise InputError("has no text: leave it out of dataset.files")
        return Content(text, (), tuple(self._headings), notices, tuple(self._blocks))

    def _piece(self, text: str, gap: int) -> Span:
        self.gap(gap)
        span = self._append(text)
        self._gap = max(self._gap, gap)
        return span

    def _append(self, text: str) -> Span:
        if text:
            between = "\n" * self._gap if self._parts else ""
            self._parts += [between, text]
            self._length += len(between) + len(text)
            self._gap = 0
        return self._length - len(text), self._length
