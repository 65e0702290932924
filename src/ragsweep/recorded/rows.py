"""One question as a system recorded it, and the check of what is written."""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ragsweep.contexts.reading import Context, read_contexts
from ragsweep.contexts.values import Written, is_amount, is_count, is_text, is_whole

KEYS = ("id", "system", "answer", "abstained", "contexts", "citations", "seconds", "tokens", "error")
RAGAS_KEYS: Sequence[Mapping[str, str]] = (
    {"user_input": "question", "response": "answer", "retrieved_contexts": "contexts"},
    {"question": "question", **{key: key for key in KEYS if key != "id"}},
)
"""The columns of Ragas that say what a system returned, since 0.2 and before, by what they are here; its other columns are not
read. Those before are named as ours, so a row of ours may name its question by its text."""


@dataclass(frozen=True, slots=True)
class Row:
    """What a system returned for one question; None for what its record does not say.

    ``id`` or, in a file of Ragas, ``question`` (its text) says which. ``contexts`` are best first, ``citations`` 1-based
    numbers of them, ``tokens`` those read and written. ``where`` is file and line.
    """

    system: str
    where: str
    id: str = ""
    question: str = ""
    answer: str | None = None
    abstained: bool | None = None
    contexts: tuple[Context, ...] | None = None
    citations: tuple[int, ...] | None = None
    seconds: float | None = None
    tokens: tuple[int, int] | None = None
    error: str | None = None


def ragas_keys(keys: Collection[str]) -> Mapping[str, str] | None:
    """Those of ``RAGAS_KEYS`` that a row of Ragas with these keys has; None for a row of ours, which has an id."""
    new, old = RAGAS_KEYS
    return new if "user_input" in keys else old if "question" in keys and "id" not in keys else None


def read_row(value: Any, where: str, system: str) -> tuple[Row | None, list[str]]:
    """The row, None when it cannot be used, and all that is wrong with it; ``system`` is its name unless it says another."""
    if not isinstance(value, Mapping):
        return None, [f'{where}: a record must be an object: {{"id": ..., "answer": ..., "contexts": [...]}}']
    written = {str(key): item for key, item in value.items() if item is not None}
    ragas = ragas_keys(written)
    if ragas is not None:
        written = {ragas[key]: item for key, item in written.items() if key in ragas}
    record = Written(written)
    named = "id" if ragas is None else "question"
    if ragas is None:
        record.known(KEYS)
    row = Row(
        system=record.name("system") or system,
        where=where,
        answer=record.value("answer", is_text, "a text"),
        abstained=record.value("abstained", lambda each: isinstance(each, bool), "true or false"),
        contexts=read_contexts(record),
        citations=record.listed("citations", is_count, "a list of numbers of contexts, the first is 1"),
        seconds=record.value("seconds", is_amount, "a number of 0 or more"),
        tokens=_tokens(record),
        error=record.value("error", is_text, "a text"),
        **{named: record.name(named, needed=True)},
    )
    past = [each for each in row.citations or () if each > len(row.contexts or ())]
    if past:
        record.wrong(f"citations: {past[0]}: write the number of a context; there are {len(row.contexts or ())}")
    whose = f"{row.id!r}: " if row.id else ""
    theirs = {key: name for name, key in (ragas or {}).items()}
    mistakes = [re.sub(r"^\w+", lambda key: theirs.get(key[0], key[0]), said) for said in record.mistakes]
    return None if mistakes else row, [f"{where}: {whose}{said}" for said in mistakes]


def _tokens(record: Written) -> tuple[int, int] | None:
    fix = 'those read and written, as in {"input": 900, "output": 60}'

    def right(value: Any) -> bool:
        return isinstance(value, Mapping) and set(value) == {"input", "output"} and all(map(is_whole, value.values()))

    found = record.value("tokens", right, fix)
    return None if found is None else (found["input"], found["output"])
