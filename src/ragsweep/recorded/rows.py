"""One question as a system recorded it, and the check of what is written."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Any

from ragsweep.errors import nearest
from ragsweep.types import Span

KEYS = ("id", "system", "answer", "abstained", "contexts", "citations", "seconds", "tokens", "error")
RAGAS_KEYS: Sequence[Mapping[str, str]] = (
    {"user_input": "question", "response": "answer", "retrieved_contexts": "contexts"},
    {"question": "question", **{key: key for key in KEYS if key != "id"}},
)
"""The columns of Ragas that say what a system returned, since 0.2 and before, by what they are here; its other columns are not
read. Those before are named as ours, so a row of ours may name its question by its text."""
CONTEXT_KEYS = ("text", "source", "page", "start", "end", "score")


@dataclass(frozen=True, slots=True)
class Context:
    """What a system gave its generator, as written: a text, where it stands, or both. ``page`` is 1-based."""

    text: str | None = None
    source: str | None = None
    page: int | None = None
    span: Span | None = None
    score: float | None = None


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
    record = _Written(written)
    named = "id" if ragas is None else "question"
    if ragas is None:
        record.known(KEYS)
    row = Row(
        system=record.name("system") or system,
        where=where,
        answer=record.value("answer", _text, "a text"),
        abstained=record.value("abstained", lambda each: isinstance(each, bool), "true or false"),
        contexts=_contexts(record),
        citations=record.listed("citations", _count, "a list of numbers of contexts, the first is 1"),
        seconds=record.value("seconds", _amount, "a number of 0 or more"),
        tokens=_tokens(record),
        error=record.value("error", _text, "a text"),
        **{named: record.name(named, needed=True)},
    )
    past = [each for each in row.citations or () if each > len(row.contexts or ())]
    if past:
        record.wrong(f"citations: {past[0]}: write the number of a context; there are {len(row.contexts or ())}")
    whose = f"{row.id!r}: " if row.id else ""
    return None if record.mistakes else row, [f"{where}: {whose}{said}" for said in record.mistakes]


def _contexts(record: "_Written") -> tuple[Context, ...] | None:
    items = record.listed("contexts", lambda each: True, "a list")
    return None if items is None else tuple(_context(item, f"contexts[{place}]", record) for place, item in enumerate(items))


def _context(item: Any, place: str, record: "_Written") -> Context:
    if _text(item):
        return Context(item)
    if not isinstance(item, Mapping):
        record.wrong(f'{place}: {_shown(item)}: write a text, or {{"text": ..., "source": ...}}')
        return Context()
    own = _Written({str(key): value for key, value in item.items() if value is not None})
    own.known(CONTEXT_KEYS)
    start = own.value("start", _whole, "a whole number of 0 or more")
    end = own.value("end", _whole, "a whole number of 0 or more")
    context = Context(
        text=own.value("text", _text, "a text"),
        source=own.name("source"),
        page=own.value("page", _count, "a whole number; pages begin at 1"),
        span=None if start is None or end is None else (start, end),
        score=own.value("score", _number, "a number"),
    )
    if ("start" in own.values) != ("end" in own.values):
        record.wrong(f"{place}: write start and end, or none of them")
    if context.source is None and not own.mistakes:
        if context.page is not None or context.span is not None:
            own.wrong("source is missing: write the file of its page, or of start and end")
        elif context.text is None:
            record.wrong(f"{place}: write its text, its source, or both")
    record.mistakes += [f"{place}.{said}" for said in own.mistakes]
    return context


def _tokens(record: "_Written") -> tuple[int, int] | None:
    fix = 'those read and written, as in {"input": 900, "output": 60}'

    def right(value: Any) -> bool:
        return isinstance(value, Mapping) and set(value) == {"input", "output"} and all(map(_whole, value.values()))

    found = record.value("tokens", right, fix)
    return None if found is None else (found["input"], found["output"])


class _Written:
    """The values of an object, read key by key; a value of the wrong form is a mistake and reads as not there."""

    def __init__(self, values: Mapping[str, Any]) -> None:
        self.values = values
        self.mistakes: list[str] = []

    def wrong(self, said: str) -> None:
        self.mistakes.append(said)

    def known(self, keys: Sequence[str]) -> None:
        for key in self.values:
            if key not in keys:
                self.wrong(f"{key}: there is no such key; {nearest(key, keys)}")

    def value(self, key: str, right: Callable[[Any], bool], fix: str) -> Any:
        value = self.values.get(key)
        if value is None or right(value):
            return value
        self.wrong(f"{key}: {_shown(value)}: write {fix}")
        return None

    def listed(self, key: str, right: Callable[[Any], bool], fix: str) -> tuple[Any, ...] | None:
        found = self.value(key, lambda value: isinstance(value, list) and all(map(right, value)), fix)
        return None if found is None else tuple(found)

    def name(self, key: str, *, needed: bool = False) -> Any:
        if needed and key not in self.values:
            self.wrong(f"{key} is missing: write that of the question")
            return ""
        return self.value(key, lambda value: _text(value) and bool(value.strip()), "a text") or ("" if needed else None)


def _shown(value: Any) -> str:
    said = repr(value)
    return said if len(said) <= 60 else f"{said[:57]}..."


def _text(value: Any) -> bool:
    return isinstance(value, str)


def _number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and isfinite(value)


def _amount(value: Any) -> bool:
    return _number(value) and value >= 0


def _whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _count(value: Any) -> bool:
    return _whole(value) and value > 0
