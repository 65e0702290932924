"""The keys of questions by which their scores can be told apart."""

import json
from collections.abc import Sequence
from typing import Any

from ragsweep.errors import nearest
from ragsweep.types import Question


def keys(questions: Sequence[Question]) -> list[str]:
    """Those that any question has beside its id, text, evidence and answers, in the order met; answerable where one is not."""
    found: dict[str, None] = {}
    for question in questions:
        found |= dict.fromkeys(["task_type"] if question.task_type is not None else [])
        found |= dict.fromkeys([] if question.answerable else ["answerable"])
        found |= dict.fromkeys(key for key, value in question.extra.items() if value is not None)
    return list(found)


def groups(question: Question, key: str) -> list[str | None]:
    """The values of a question: those of a list each once, in order; None where it has none. What is no text is JSON.

    >>> groups(Question("q", "?", (), extra={"level": 2, "topics": ["pay", "leave", "pay"]}), "topics")
    ['pay', 'leave']
    """
    value = getattr(question, key) if key in ("task_type", "answerable") else question.extra.get(key)
    values = value if isinstance(value, list | tuple) else [value]
    named: list[str | None] = [_text(each) for each in values if each is not None]
    return list(dict.fromkeys(named)) or [None]


def unknown_keys(asked: Sequence[str], questions: Sequence[Question]) -> list[str]:
    """A message for each key of ``report.by`` that is none of them."""
    known = keys(questions)
    return [
        f"report.by={key}: the questions cannot be told apart by it; {nearest(key, known)}" for key in asked if key not in known
    ]


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
