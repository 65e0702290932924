"""report.md: the same tables with every row. The times are the last columns and run lines the last lines."""

from collections.abc import Iterable

from ragsweep.reporting.escape import markdown as escaped
from ragsweep.reporting.stage_tables import StageTable
from ragsweep.reporting.tables import Table, tables
from ragsweep.results import Report


def markdown(report: Report) -> str:
    """The report as GitHub-flavoured Markdown."""
    paragraphs = [f"# {'PARTIAL ' if report.is_partial else ''}{escaped(report.dataset)}"]
    for table in tables(report):
        paragraphs += _table(table)
    paragraphs += [f"note: {escaped(notice)}" for notice in report.notices]
    if report.run_lines:
        paragraphs.append("\n".join(f"run: {escaped(line)}" for line in report.run_lines))
    return "\n\n".join(paragraphs) + "\n"


def _table(table: Table) -> list[str]:
    rows = [table.cells(result) for result in table.results]
    width = len(table.columns)
    bounds = [[*cells, *[""] * (width - len(cells))] for cells in table.bound_cells(table.results)]
    lines = [
        _row(column.header for column in table.columns),
        _row(["---", *["---:"] * (width - 1)]),
        *(_row(map(escaped, cells)) for cells in [*rows, *bounds]),
    ]
    looks = ["Questions to look at:", "\n".join(f"- {escaped(line)}" for line in table.looks)] if table.looks else []
    fixed = [escaped(table.fixed)] if table.fixed else []
    stages = [part for stage in table.stages for part in _stage(stage)]
    return [f"## {escaped(table.title)}", *fixed, "\n".join(lines), *map(escaped, table.below), *looks, *stages]


def _stage(stage: StageTable) -> list[str]:
    lines = [_row(map(escaped, stage.header)), _row(["---", *["---:"] * (len(stage.header) - 1)])]
    table = ["\n".join([*lines, *(_row(map(escaped, row)) for row in stage.rows)])] if stage.rows else []
    note = [escaped(stage.note)] if stage.note else []
    return [f"### {escaped(stage.title)}", *note, *table]


def _row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"
