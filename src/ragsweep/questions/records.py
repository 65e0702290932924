"""One question as written -> Draft, with all that is wrong with it."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from difflib import get_close_matches
from typing import Any

from ragsweep.errors import InputError
from ragsweep.questions import labels
from ragsweep.questions.drafts import Draft, Label

_EVIDENCE: Mapping[str, Callable[[Any], Label]] = {
    "required_evidence_ids": labels.file_or_page,
    "expected": labels.quote,
    "references": labels.reference,
}
_KEYS = ("id", "question", *_EVIDENCE, "answerable", "answer", "required_facts", "task_type")
_SHOWN_KEYS = 5


def read_record(value: Any, where: str, default_id: str, *, id_needed: bool) -> tuple[Draft | None, list[str]]:
    """The question (None without an id) and its mistakes in the form "Question 'q_007': ... (where)"."""
    if not isinstance(value, Mapping):
        return None, [f'{where}: a question must be an object: {{"question": ...}}']
    record = _Record({str(key): item for key, item in value.items() if item is not None})
    id = record.text("id", f'write "id": "{default_id}"') if id_needed or "id" in record.values else default_id
    text = record.text("question", "write what to search for")
    answerable = record.values.get("answerable", True)
    if not isinstance(answerable, bool):
        record.wrong(f"answerable: write true or false, not {json.dumps(answerable, ensure_ascii=False)}")
    found = tuple(label for key in _EVIDENCE for label in record.evidence(key))
    if answerable is True and not any(record.values.get(key) for key in _EVIDENCE):
        record.wrong(_no_evidence(record.values))
    draft = Draft(
        id=id,
        text=text,
        labels=found,
        answerable=bool(answerable),
        answers=record.texts("answer", alone=True),
        required_facts=record.texts("required_facts"),
        task_type=record.text("task_type", "write a text") if "task_type" in record.values else None,
        extra={key: item for key, item in value.items() if key not in _KEYS},
        where=where,
        remarks=tuple(_misspelt(record.values)),
    )
    name = f"Question {id!r}" if id else "Question without id"
    return draft if id else None, [
        f"{name}: {said} ({f'{where}, {place}' if place else where})" for said, place in record.mistakes
    ]


class _Record:
    """The values of one question, read key by key; a value of the wrong form is a mistake and reads as empty."""

    def __init__(self, values: Mapping[str, Any]) -> None:
        self.values = values
        self.mistakes: list[tuple[str, str]] = []
        """What is wrong, and in which of several labels."""

    def wrong(self, said: str, place: str = "") -> None:
        self.mistakes.append((said, place))

    def text(self, key: str, fix: str) -> str:
        value = self.values.get(key, "")
        if labels.is_text(value):
            return str(value)
        found = (
            f"is missing{_instead(self.values, [key])}"
            if key not in self.values
            else f"{value!r} is no text"
            if value
            else "is empty"
        )
        self.wrong(f"{key} {found}: {fix}")
        return ""

    def texts(self, key: str, *, alone: bool = False) -> tuple[str, ...]:
        value = self.values.get(key, ())
        items = (value,) if alone and isinstance(value, str) else value
        if _is_list(items) and all(labels.is_text(item) for item in items):
            return tuple(items)
        self.wrong(f"{key}: write {'a text or ' if alone else ''}a list of texts")
        return ()

    def evidence(self, key: str) -> list[Label]:
        items = self.values.get(key, ())
        if not _is_list(items):
            self.wrong(f"{key}: write a list")
            return []
        found = []
        for number, item in enumerate(items):
            place = f"{key}[{number}]" if len(items) > 1 else ""
            try:
                found.append(replace(_EVIDENCE[key](item), place=place))
            except InputError as error:
                self.wrong(str(error), place)
        return found


def _misspelt(values: Mapping[str, Any]) -> Iterator[str]:
    """Keys that are kept and read by nobody, where each is nearly one that the question does not have."""
    missing = [key for key in _KEYS if key not in values]
    for key in (key for key in values if key not in _KEYS):
        for near in get_close_matches(key, missing, n=1, cutoff=0.8):
            yield f"its key {key!r} is kept, and nothing reads it; did you mean {near!r}?"


def _is_list(value: Any) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, str)


def _no_evidence(values: Mapping[str, Any]) -> str:
    return f"it has no evidence{_instead(values, _EVIDENCE)}: write required_evidence_ids, expected, or answerable: false"


def _instead(values: Mapping[str, Any], meant: Iterable[str]) -> str:
    """In brackets the key that is nearly one of ``meant``, else all that nothing reads, of which one may be it."""
    unread = [key for key in values if key not in _KEYS]
    near = [key for key in unread if get_close_matches(key, meant, n=1, cutoff=0.8)]
    several = f" (nothing reads its keys {', '.join(map(repr, unread[:_SHOWN_KEYS]))})" if unread else ""
    return f" (its key {near[0]!r} is unknown)" if near else several
