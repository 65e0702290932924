"""The account of calls to model servers, for whoever wants to record them."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

from ragsweep.errors import Failure


@dataclass(frozen=True, slots=True)
class Call:
    """One call: its requests after the first, and where its time went.

    ``seconds`` are the service time of the request that was answered, 0 when none was; ``waited`` is all the rest: waiting
    for a place of our own, requests that failed, and the pauses after them. Tokens are None where the server does not tell.
    """

    retries: int
    seconds: float
    waited: float
    input_tokens: int | None = None
    output_tokens: int | None = None
    failure: Failure | None = None


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


def tokens(reply: Any) -> tuple[int | None, int | None]:
    """Input and output tokens as a reply tells them, in the words of OpenAI, Anthropic, Voyage and Cohere.

    >>> tokens({"usage": {"prompt_tokens": 7, "completion_tokens": 2}})
    (7, 2)
    >>> tokens({"meta": {"tokens": {"input_tokens": 7}}})
    (7, None)
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
    return next((usage[name] for name in names if type(usage.get(name)) is int), None)
