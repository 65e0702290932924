"""Recorded runs as files -> rows, with every mistake in them: JSONL, a JSON list or CSV, in our keys or those of Ragas."""

import ast
import csv
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from typing import Any

from ragsweep.errors import InputError, nearest
from ragsweep.questions.reading import json_rows, json_value
from ragsweep.recorded.rows import KEYS, Row, ragas_keys, read_row
from ragsweep.text.marks import marked

FORMATS = (".jsonl", ".json", ".csv")
_TEXTS = ("id", "system", "answer", "error", "user_input", "response", "question")
"""Columns of a CSV whose cells are texts; those of the others are JSON."""
_LONGEST = 2**31 - 1
"""Characters of a cell: the csv module refuses more than 131072 unless it is told."""


@dataclass(frozen=True)
class Read:
    """The rows that could be read, and what is wrong with the others."""

    rows: Sequence[Row]
    mistakes: Sequence[str]


def read(paths: Sequence[Path]) -> Read:
    """The rows of all files, in order."""
    rows: list[Row] = []
    mistakes: list[str] = []
    for path in paths:
        try:
            found = list(_rows(path))
        except InputError as error:
            mistakes.append(str(error))
            continue
        if not found:
            mistakes.append(f"{path.name}: is empty: write a line for each question")
        for where, value in found:
            row, wrong = (None, [f"{where}: {value}"]) if isinstance(value, InputError) else read_row(value, where, path.stem)
            mistakes += wrong
            rows += [row] if row else []
    return Read(rows, mistakes)


def _rows(path: Path) -> Iterator[tuple[str, Any]]:
    """(where, the row or the mistake that made it unreadable). Raises InputError when the file cannot be read."""
    if path.suffix.lower() not in FORMATS:
        raise InputError(f"{path}: must be a {', '.join(FORMATS[:-1])} or {FORMATS[-1]} file")
    if path.exists() and not path.is_file():
        raise InputError(f"{path}: is no regular file")
    try:
        data = path.read_bytes()
        text = data.decode(marked(data) or "utf-8")
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise InputError(f"{path.name}:{line}: save the file as UTF-8") from error
    if not text.strip():
        return iter(())
    return _table(text, path.name) if path.suffix.lower() == ".csv" else json_rows(text, path)


def _table(text: str, name: str) -> Iterator[tuple[str, Any]]:
    csv.field_size_limit(_LONGEST)
    lines = csv.DictReader(StringIO(text, newline=""), strict=True)
    columns = list(lines.fieldnames or ())
    ragas = ragas_keys(columns)
    unknown = [each for each in columns if each not in KEYS] if ragas is None else []
    if twice := sorted({each for each in columns if columns.count(each) > 1}):
        raise InputError(f"{name}:1: the column {twice[0]!r} stands there twice: remove one")
    if unknown:
        said = "; ".join(f"{each!r}: {nearest(each, KEYS)}" for each in unknown)
        raise InputError(f"{name}:1: there is no column {said}")
    try:
        for cells in lines:
            yield f"{name}:{lines.line_num}", _of_cells(cells, KEYS if ragas is None else ragas)
    except csv.Error as error:
        yield f"{name}:{lines.line_num}", InputError(f"no CSV: {error}")


def _of_cells(cells: dict[Any, Any], columns: Collection[str]) -> Any:
    """A row of a table as an object of these ``columns``; an empty cell says nothing."""
    if None in cells:
        return InputError("it has more cells than there are columns")
    found = {}
    for column, cell in cells.items():
        if cell and column in columns:
            try:
                found[column] = cell if column in _TEXTS else _value(cell, column)
            except ValueError:
                return InputError(f"{column}: {cell[:60]!r} is no JSON: write a number, true or false, or a list")
    return found


def _value(cell: str, column: str) -> Any:
    try:
        return json_value(cell)
    except ValueError:
        if column not in ("retrieved_contexts", "contexts") or not cell.startswith("["):
            raise
    try:
        return ast.literal_eval(cell)  # a list as pandas writes it
    except (SyntaxError, MemoryError, RecursionError) as error:
        raise ValueError from error
