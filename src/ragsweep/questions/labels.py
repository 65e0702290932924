"""One evidence as written -> Label, with what is wrong with its form."""

import json
from collections.abc import Mapping
from typing import Any

from ragsweep.errors import InputError, nearest
from ragsweep.questions.drafts import Label

_FORMS = '{"source": ...} alone or with "page", "chunk", "quote", or "start" and "end"'
_KEYS = ("source", "page", "chunk", "quote", "start", "end")
_SHOWN_CHARACTERS = 100
_SHOWN_OF_NAMES = 300


def file_or_page(value: Any) -> Label:
    """An item of ``required_evidence_ids``."""
    return (
        _object(value)
        if not isinstance(value, str)
        else Label(f"Evidence id {_cut(value, _SHOWN_OF_NAMES)!r}", name=_text(value, "Evidence id"))
    )


def quote(value: Any) -> Label:
    """An item of ``expected``."""
    return _object(value) if not isinstance(value, str) else Label(f"Quote {_cut(value)!r}", quote=_text(value, "Quote"))


def reference(value: Any) -> Label:
    """An item of ``references``."""
    if not isinstance(value, Mapping) or set(value) != {"source", "start", "end"}:
        raise InputError(f'Reference {_cut(_json(value))}: write {{"source": ..., "start": ..., "end": ...}}')
    return _object(value, reference=True)


def is_text(value: Any) -> bool:
    """Whether it is a str with something to read, and without halves of surrogate pairs, which no model can read."""
    return isinstance(value, str) and bool(value.strip()) and not any("\ud800" <= char <= "\udfff" for char in value)


def _object(value: Any, *, reference: bool = False) -> Label:
    shown = f"Evidence {_cut(_json(value))}"
    if not isinstance(value, Mapping):
        raise InputError(f"{shown}: write a text or an object: {_FORMS}")
    if unknown := [str(key) for key in value if key not in _KEYS]:
        raise InputError(f"{shown}: unknown key {unknown[0]!r}; {nearest(unknown[0], _KEYS)}")
    for key in ("source", "quote"):
        if key in value:
            _text(value[key], f"{shown}: {key}")
    if {"start", "end"} & set(value):
        return Label(shown, source=value.get("source"), span=_span(value, shown), reference=reference)
    places = [key for key in ("page", "chunk", "quote") if key in value]
    if len(places) > 1:
        raise InputError(f"{shown}: write one of {', '.join(places)}")
    if not ("source" in value or places == ["quote"]):
        raise InputError(f"{shown}: write {_FORMS}")
    page, chunk = (_number(value[key], f"{shown}: {key}") if key in value else None for key in ("page", "chunk"))
    return Label(shown, source=value.get("source"), quote=value.get("quote"), page=page, chunk=chunk)


def _span(value: Mapping[str, Any], shown: str) -> tuple[int, int]:
    if set(value) != {"source", "start", "end"}:
        raise InputError(f'{shown}: write {{"source": ..., "start": ..., "end": ...}}')
    start, end = (_number(value[key], f"{shown}: {key}", least=0) for key in ("start", "end"))
    if start >= end:
        raise InputError(f"{shown}: start must be smaller than end")
    return start, end


def _number(value: Any, shown: str, least: int = 1) -> int:
    if not isinstance(value, int) or isinstance(value, bool):
        raise InputError(f"{shown}: write a whole number, not {_json(value)}")
    if value < least:
        raise InputError(f"{shown} {value}: the first is {least}")
    return value


def _text(value: Any, shown: str) -> str:
    if not is_text(value):
        raise InputError(f"{shown} {_json(value)}: write a readable text")
    return str(value)


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, default=str).encode("utf-8", "backslashreplace").decode()


def _cut(text: str, most: int = _SHOWN_CHARACTERS) -> str:
    return text if len(text) <= most else text[: most - 3] + "..."
