"""What differs between two reports, run columns and run lines aside."""

import csv
import re
from collections.abc import Mapping
from io import StringIO
from itertools import groupby
from pathlib import Path

from ragsweep.errors import InputError
from ragsweep.reporting.columns import RUN_COLUMNS
from ragsweep.reporting.tables import TIMES

Cells = Mapping[str, Mapping[str, str]]
"""Row name -> column -> cell."""


def strip_run(text: str) -> str:
    """A report.md, report.csv or questions.csv without its run columns and run lines: equal for equal results.

    >>> print(strip_run("setup,recall,p50_s\\nsimple,0.9,1.26\\n"), end="")
    setup,recall
    simple,0.9
    """
    return _strip_markdown(text) if text.startswith("# ") else _strip_csv(text)


def differences(old: Path, new: Path) -> list[str]:
    """The cells that differ between the reports in two folders, in words: ``simple + word: recall 0.917 -> 0.900``.

    They are compared by report.csv, or by report.md where ``old`` has no report.csv; then the lines around the tables too.
    Raises InputError when one is missing.
    """
    name = "report.csv" if (old / "report.csv").is_file() else "report.md"
    texts = [_stripped(folder / name) for folder in (old, new)]
    before, after = (_csv_cells(text) if name == "report.csv" else _markdown_cells(text) for text in texts)
    lost = [f"{row}: no longer there" for row in before if row not in after]
    added = [f"{row}: new" for row in after if row not in before]
    changed = [line for row in before if row in after for line in _changes(row, before[row], after[row])]
    return lost + added + changed + (_line_changes(*texts) if name == "report.md" else [])


def _line_changes(before: str, after: str) -> list[str]:
    """Lines outside of tables that only one of two Markdown reports has."""
    old, new = ([line for is_table, block in _blocks(text) if not is_table for line in block] for text in (before, after))
    return [f"no longer said: {line}" for line in old if line not in new] + [
        f"newly said: {line}" for line in new if line not in old
    ]


def _changes(row: str, before: Mapping[str, str], after: Mapping[str, str]) -> list[str]:
    columns = dict.fromkeys([*before, *after])
    pairs = [(column, before.get(column, ""), after.get(column, "")) for column in columns]
    return [f"{row}: {column} {' -> '.join(_readable(old, new))}" for column, old, new in pairs if old != new]


def _readable(old: str, new: str) -> tuple[str, str]:
    """Both as tables show them, unless only more decimals tell them apart."""
    try:
        short = f"{float(old):.3f}", f"{float(new):.3f}"
    except ValueError:
        return old or "nothing", new or "nothing"
    return short if "." in old + new and short[0] != short[1] else (old, new)


def _stripped(path: Path) -> str:
    try:
        return strip_run(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise InputError(f"{path}: there is no such report") from None


# ---- Markdown ----------------------------------------------------------------------------------------------------------


def _strip_markdown(text: str) -> str:
    lines = []
    for is_table, block in _blocks(text):
        if is_table:
            rows = [_split(line) for line in block]
            kept = [place for place, cell in enumerate(rows[0]) if not cell.startswith(TIMES)]
            lines += [f"| {' | '.join(row[place] for place in kept)} |" for row in rows]
        else:
            lines += [line for line in block if not line.startswith("run:")]
    return "\n".join(lines).rstrip("\n") + "\n"


def _markdown_cells(text: str) -> Cells:
    """The cells of all tables: a floor may stand in both, where its Recall has another header; stages name their columns."""
    cells: dict[str, dict[str, str]] = {}
    stage = ""
    for is_table, block in _blocks(text):
        if is_table:
            header, _, *rows = [_split(line) for line in block]
            for row in rows:
                cells.setdefault(row[0], {}).update(zip((stage + column for column in header), row, strict=True))
        for line in (line for line in block if line.startswith("## ") or line.startswith("### ")):
            stage = f"{line.removeprefix('### ')}: " if line.startswith("### ") else ""
    return cells


def _blocks(text: str) -> list[tuple[bool, list[str]]]:
    """The lines in runs: those of one table, those between tables."""
    return [(is_table, list(block)) for is_table, block in groupby(text.splitlines(), key=lambda line: line.startswith("| "))]


def _split(line: str) -> list[str]:
    """The cells of a table row; an escaped bar ends none."""
    return [cell.strip() for cell in re.findall(r"((?:\\.|[^\\|])*)\|", line)[1:]]


# ---- CSV ---------------------------------------------------------------------------------------------------------------


def _csv_cells(text: str) -> Cells:
    return {row["setup"]: row for row in csv.DictReader(StringIO(text))}


def _strip_csv(text: str) -> str:
    rows = list(csv.reader(StringIO(text)))
    kept = [place for place, column in enumerate(rows[0]) if column not in RUN_COLUMNS] if rows else []
    out = StringIO()
    csv.writer(out, lineterminator="\n").writerows([row[place] for place in kept] for row in rows)
    return out.getvalue()
