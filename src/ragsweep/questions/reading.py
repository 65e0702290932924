"""A JSON list, JSONL lines or the list itself -> questions as written, with every mistake in them."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import count
from pathlib import Path
from typing import Any

from ragsweep.errors import InputError, InputErrors
from ragsweep.questions import foreign
from ragsweep.questions.drafts import Draft, Loaded
from ragsweep.questions.records import read_record
from ragsweep.text.marks import marked

_MOST_DIGITS = 1000
"""Of a whole number: from 4300 on Python refuses them, and no place is so far."""
_Written = Iterator[tuple[str, Any]]
"""(where, the question or the mistake that made it unreadable)."""


def load(source: str | Path | Sequence[Any]) -> Loaded:
    """The questions of a .json or .jsonl file, or of a list of them (written in the experiment).

    Mistakes in single questions are collected in ``Loaded.errors``. Raises InputError when the whole cannot be read, also for
    a file in the format of another tool.
    """
    if isinstance(source, str | Path):
        return _loaded(_of_file(Path(source)), source, id_needed=Path(source).suffix.lower() != ".jsonl")
    return _loaded(_of_list(source, "dataset.questions"), source)


def written(path: Path) -> list[dict[str, Any]]:
    """The questions of a .json or .jsonl file as they stand in it, each with its id. Raises InputErrors with every mistake."""
    return _checked(list(_of_file(path)), path, id_needed=path.suffix.lower() != ".jsonl")


def parse(text: str) -> list[dict[str, Any]]:
    """The same of a text: a JSON list, or one question a line."""
    is_list = text.lstrip("\ufeff \t\r\n").startswith("[")
    plain = text.removeprefix("\ufeff")
    items = _of_list(_whole(plain, "questions"), "questions") if is_list else _of_lines(plain, "questions")
    return _checked(list(items), "the text", id_needed=is_list)


def _checked(items: Sequence[tuple[str, Any]], source: Any, *, id_needed: bool) -> list[dict[str, Any]]:
    loaded = _loaded(iter(items), source, id_needed=id_needed)
    if loaded.errors:
        raise InputErrors(loaded.errors)
    return [{"id": draft.id} | {**value, "id": draft.id} for draft, (_, value) in zip(loaded.drafts, items, strict=True)]


def _loaded(items: _Written, source: Any, *, id_needed: bool = True) -> Loaded:
    drafts: list[Draft] = []
    errors: list[str] = []
    first_place: dict[str, str] = {}
    for number, (where, value) in enumerate(items, 1):
        default_id = f"q_{number:03d}"
        if isinstance(value, InputError):
            errors.append(f"{where}: {value}")
            continue
        draft, mistakes = read_record(value, where, default_id, id_needed=id_needed)
        errors += mistakes
        if draft:
            drafts.append(draft)
            if first_place.setdefault(draft.id, where) != where:
                errors.append(f"Question {draft.id!r}: two questions have this id: {first_place[draft.id]} and {where}")
    if not drafts and not errors:
        raise InputError(f"dataset.questions: no question in {source!s}: write at least one")
    return Loaded(tuple(drafts), tuple(errors))


def _of_file(path: Path) -> _Written:
    suffix = path.suffix.lower()
    if path.is_dir() and (said := foreign.of_folder(path)):
        raise InputError(said)
    if suffix not in (".json", ".jsonl", *foreign.TABLES):
        raise InputError(f"dataset.questions: {str(path)!r} must be a .json or .jsonl file")
    if path.exists() and not path.is_file():
        raise InputError(f"dataset.questions: {str(path)!r} is no regular file")
    try:
        data = path.read_bytes()
        if suffix in foreign.TABLES:
            raise InputError(foreign.of_table(path, data))
        text = data.decode(marked(data) or "utf-8")
    except OSError as error:
        raise InputError(f"dataset.questions: {str(path)!r} cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise InputError(f"{path.name}:{line}: JSON must be UTF-8: save the file as UTF-8") from error
    written = list(json_rows(text, path))
    if said := foreign.of_objects(path, (value for _, value in written)):
        raise InputError(said)
    return iter(written)


def json_rows(text: str, path: Path) -> _Written:
    """The lines of a .jsonl file, or the items of the list in another. Raises InputError when there is no list."""
    return _of_lines(text, path.name) if path.suffix.lower() == ".jsonl" else _of_list(_whole(text, path.name), path.name)


def _of_lines(text: str, name: str) -> _Written:
    for number, line in enumerate(text.split("\n"), 1):  # splitlines() would also cut at U+2028 inside a text
        where = f"{name}:{number}"
        try:
            if line.strip():
                yield where, json_value(line)
        except json.JSONDecodeError as error:
            yield where, InputError(f"no JSON ({_said(error)} at column {error.colno}): write one object a line")
        except InputError as error:
            yield where, error


def _whole(text: str, name: str) -> Any:
    if not text.strip():
        raise InputError(f"{name} is empty: write a list of questions, [{{...}}, ...]")
    try:
        return json_value(text)
    except json.JSONDecodeError as error:
        hint = ": for one object a line name it .jsonl" if error.msg == "Extra data" else ""
        raise InputError(f"{name}:{error.lineno}: no JSON ({_said(error)} at column {error.colno}){hint}") from error
    except InputError as error:
        raise InputError(f"{_place(text, name)}: {error}") from error


def _place(text: str, name: str) -> str:
    """The question and line of the first one in a list that is refused."""
    opening = re.match(r"\s*\[", text)
    at = opening.end() if opening else len(text)
    with suppress(json.JSONDecodeError):  # another mistake, or the end
        for number in count():
            while text[at : at + 1] in _BETWEEN:
                at += 1
            try:
                _, at = _DECODER.raw_decode(text, at)
            except (InputError, RecursionError):
                return f"{name}[{number}], line {text.count(chr(10), 0, at) + 1}"
    return name


def _said(error: json.JSONDecodeError) -> str:
    commas = re.finditer(r",\s*[\]}]", error.doc)
    return "a comma too many before ] or }" if any(each.start() <= error.pos < each.end() for each in commas) else error.msg


def _of_list(value: Any, name: str) -> _Written:
    if not isinstance(value, Sequence) or isinstance(value, str):
        found = f", and this is an object of {', '.join(map(repr, value))}" if isinstance(value, Mapping) and value else ""
        raise InputError(f"{name}: must be a list: [{{...}}, ...]{found}")
    return ((f"{name}[{place}]", item) for place, item in enumerate(value))


def json_value(text: str) -> Any:
    """Strict JSON: no NaN, no key twice. Raises InputError, or ValueError for what is no JSON."""
    try:
        return _DECODER.decode(text)
    except RecursionError as error:
        raise InputError("it is nested too deep to be read") from error


def _whole_number(digits: str) -> int:
    if len(digits) > _MOST_DIGITS:
        raise InputError(f"the number {digits[:20]}... has {len(digits):,} digits: write it as a text, in quotes")
    return int(digits)


def _without_repeats(pairs: list[tuple[str, Any]]) -> Mapping[str, Any]:
    keys = [key for key, _ in pairs]
    for key in keys:
        if keys.count(key) > 1:
            raise InputError(f"the key {key!r} stands twice in one object: remove one")
    return dict(pairs)


def _refuse(constant: str) -> Any:
    raise InputError(f"{constant} is no JSON: write a number or null")


_DECODER = json.JSONDecoder(object_pairs_hook=_without_repeats, parse_constant=_refuse, parse_int=_whole_number)
_BETWEEN = (" ", "\t", "\r", "\n", ",")
