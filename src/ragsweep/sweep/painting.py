"""Lines on stdout as wide as the terminal and in its colours; 80 columns and none in a pipe. COLUMNS and NO_COLOR hold."""

import sys
from collections.abc import Iterable, Iterator
from itertools import zip_longest
from typing import TYPE_CHECKING

from ragsweep.reporting.chunking import Line
from ragsweep.sweep.progress import is_plain

if TYPE_CHECKING:
    from rich.text import Text

BETWEEN = "  "
LEAST_COLUMNS = 80
"""Two chunkings stand beside each other in so many columns, below each other in fewer."""
STYLES = {"": "", "title": "bold cyan", "faint": "dim", "overlap": "yellow", "evidence": "green", "cut": "bold red"}


class Painter:
    """Writes lines to stdout."""

    def __init__(self) -> None:
        from rich.console import Console

        self._console: Console = Console(
            file=sys.stdout, color_system=None if is_plain(sys.stdout) else "auto", highlight=False, markup=False, emoji=False
        )
        self._columns = self._console.width

    @property
    def is_wide(self) -> bool:
        """Whether there is room for two columns."""
        return self._columns >= LEAST_COLUMNS

    def write(self, lines: Iterable[Line]) -> None:
        """Lines below each other."""
        for line in lines:
            for row in self._wrapped(line, self._columns):
                self._print(row)

    def write_beside(self, left: Iterable[Line], right: Iterable[Line]) -> None:
        """Two columns of equal width."""
        from rich.text import Text

        columns = (self._columns - len(BETWEEN)) // 2
        rows = ([row for line in lines for row in self._wrapped(line, columns)] for lines in (left, right))
        for first, second in zip_longest(*rows, fillvalue=Text()):
            padded = first.copy()
            padded.pad_right(columns - padded.cell_len)
            self._print(padded + Text(BETWEEN) + second)

    def _wrapped(self, line: Line, columns: int) -> "Iterator[Text]":
        from rich.text import Text

        whole = Text.assemble(*((text, STYLES[style]) for text, style in line.pieces))
        margin, rest = line.margin, line.margin if line.margin.strip() else line.margin + "  "
        fits = whole.cell_len <= columns - len(margin)
        for row in [whole] if fits else whole.wrap(self._console, max(1, columns - len(rest))):
            yield Text.assemble((margin, STYLES["faint"]), row)
            margin = rest

    def _print(self, row: "Text") -> None:
        row.rstrip()
        self._console.print(row, soft_wrap=True)
