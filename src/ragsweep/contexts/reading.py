"""Contexts as they are written in JSON."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ragsweep.contexts.values import Written, is_count, is_number, is_text, is_whole, shown
from ragsweep.redaction import redact_values
from ragsweep.types import Span

KEYS = ("text", "source", "page", "start", "end", "score")


@dataclass(frozen=True, slots=True)
class Context:
    """What a system returned, as it tells it: a text, where it stands, or both.

    ``pages`` are 1-based, ``span`` is in characters of the source's text, ``number`` is the 1-based number of a chunk in its
    source, 0 where it is not told.
    """

    text: str | None = None
    source: str | None = None
    pages: tuple[int, ...] = ()
    span: Span | None = None
    score: float | None = None
    number: int = 0


def read_contexts(record: Written) -> tuple[Context, ...] | None:
    """Those of a record, best first, None where it has none; what is wrong with them is a mistake of the record."""
    items = record.listed("contexts", lambda each: True, "a list")
    return None if items is None else tuple(_context(item, f"contexts[{place}]", record) for place, item in enumerate(items))


def _context(item: Any, place: str, record: Written) -> Context:
    if is_text(item):
        return Context(item)
    if not isinstance(item, Mapping):
        record.wrong(f'{place}: {shown(item)}: write a text, or {{"text": ..., "source": ...}}')
        return Context()
    own = Written({str(key): value for key, value in item.items() if value is not None})
    own.known(KEYS)
    start = own.value("start", is_whole, "a whole number of 0 or more")
    end = own.value("end", is_whole, "a whole number of 0 or more")
    page = own.value("page", is_count, "a whole number; pages begin at 1")
    context = Context(
        text=own.value("text", is_text, "a text"),
        source=own.name("source"),
        pages=() if page is None else (page,),
        span=None if start is None or end is None else (start, end),
        score=own.value("score", is_number, "a number"),
    )
    if ("start" in own.values) != ("end" in own.values):
        record.wrong(f"{place}: write start and end, or none of them")
    if context.source is None and not own.mistakes:
        if context.pages or context.span is not None:
            own.wrong("source is missing: write the file of its page, or of start and end")
        elif context.text is None:
            record.wrong(f"{place}: write its text, its source, or both")
    record.mistakes += [f"{place}.{said}" for said in own.mistakes]
    return context


def written(reply: Any) -> dict[str, Any]:
    """What a server says, a list of contexts or an object with them, without secrets and keys that contexts do not have.

    Raises ValueError for anything else.
    """
    values = {"contexts": reply} if isinstance(reply, list) else reply
    if not isinstance(values, Mapping):
        raise ValueError("it is no list of contexts, and no object with them")
    said = {key: value for key, value in values.items() if value is not None}
    if isinstance(contexts := said.get("contexts"), list):
        said["contexts"] = [_known(each) for each in contexts]
    return redact_values(said)  # type: ignore[no-any-return]


def contexts_of_reply(reply: Any) -> tuple[Context, ...]:
    """The contexts of a server's reply, best first. Raises ValueError where it has none that can be used."""
    record = Written(written(reply))
    found = read_contexts(record)
    if found is None or record.mistakes:
        raise ValueError("; ".join(record.mistakes) or "it has no contexts")
    return found


def _known(context: Any) -> Any:
    return {key: context[key] for key in KEYS if key in context} if isinstance(context, dict) else context
