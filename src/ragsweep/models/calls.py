"""The account of calls to model servers, for whoever wants to record them."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import replace
from typing import Any

from ragsweep.types import Call

MOST_TOKENS = 2**53
"""What is no count of tokens: from here on JSON numbers are not exact (RFC 7493)."""

_recorders: ContextVar[list[Call] | None] = ContextVar("calls", default=None)


@contextmanager
def recorded() -> Iterator[list[Call]]:
    """A list of every call that is made inside, as they end, those that fail too."""
    calls: list[Call] = []
    token = _recorders.set(calls)
    try:
        yield calls
    finally:
        _recorders.reset(token)


def record(call: Call) -> None:
    """Put a call on the list of the innermost ``recorded``."""
    calls = _recorders.get()
    if calls is not None:
        calls.append(call)


def note(*, truncated: bool = False, unusable: bool = False) -> None:
    """Say more of the last call on the list: what whoever read its reply found."""
    made = _recorders.get()
    if made:
        last = made[-1]
        made[-1] = replace(last, truncated=last.truncated or truncated, unusable=last.unusable or unusable)


def tokens(reply: Any) -> tuple[int | None, int | None]:
    """Input and output tokens as a reply tells them, in the words of OpenAI, Anthropic, Voyage and Cohere.

    >>> tokens({"usage": {"prompt_tokens": 7, "completion_tokens": 2}})
    (7, 2)
    >>> tokens({"meta": {"tokens": {"input_tokens": 7}}})
    (7, None)
    >>> tokens({"usage": {"prompt_tokens": -1, "completion_tokens": 10**30}})
    (None, None)
    """
    found = [_mapping(_mapping(reply).get("usage")), _mapping(_mapping(_mapping(reply).get("meta")).get("tokens"))]
    usage = {**found[1], **found[0]}
    return (
        _first_count(usage, "prompt_tokens", "input_tokens", "total_tokens"),
        _first_count(usage, "completion_tokens", "output_tokens"),
    )


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _first_count(usage: Mapping[str, Any], *names: str) -> int | None:
    counts = (usage[name] for name in names if type(usage.get(name)) is int)
    return next((count for count in counts if 0 <= count < MOST_TOKENS), None)
