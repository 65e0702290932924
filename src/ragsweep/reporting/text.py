"""The report as the terminal shows it."""

from collections.abc import Sequence

from ragsweep.reporting.escape import folded, visible
from ragsweep.reporting.tables import Table, tables
from ragsweep.results import Report

ROWS = 40
"""Rows that are shown, beside every failed one."""


def text(report: Report, width: int | None = None) -> str:
    """All tables, notices and run lines, aligned; each line ends with a newline and holds no control character.

    What is no row is folded to ``width`` columns, those of a terminal.
    """
    blocks = [_table(table, width) for table in tables(report)]
    notes = [
        *(f"note: {visible(notice)}" for notice in report.notices),
        *(f"run: {visible(line)}" for line in report.run_lines),
    ]
    last = [folded(line, width) for line in notes]
    return "\n\n".join("\n".join(lines) for lines in [*blocks, last] if lines) + "\n"


def _table(table: Table, columns: int | None) -> list[str]:
    shown = [result for place, result in enumerate(table.results) if place < ROWS or result.status == "failed"]
    bounds = table.bound_cells(shown)
    rows = [table.cells(result) for result in shown]
    header = [column.header for column in table.columns]
    widths = [
        max(column.width, *(len(cells[place]) for cells in [header, *rows, *bounds] if place < len(cells)))
        for place, column in enumerate(table.columns)
    ]
    hidden = len(table.results) - len(shown)
    above = [table.title, *([table.fixed] if table.fixed else [])]
    below = [*table.below, *(["Questions to look at:", *(f"  {line}" for line in table.looks)] if table.looks else [])]
    return [
        *(folded(line, columns) for line in above),
        aligned(header, widths),
        "-" * (sum(widths) + 2 * (len(widths) - 1)),
        *(aligned(cells, widths) for cells in rows),
        *([f"... and {hidden} more in report.csv"] if hidden else []),
        *(aligned(cells, widths) for cells in bounds),
        *(folded(line, columns) for line in below),
    ]


def aligned(cells: Sequence[str], widths: Sequence[int]) -> str:
    """The first cell to the left, the others to the right; there may be fewer cells than widths."""
    return "  ".join(
        [cells[0].ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(cells[1:], widths[1:], strict=False))]
    )
