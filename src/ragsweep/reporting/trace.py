"""The steps of one question, as `ragsweep ask --trace` shows them."""

from collections.abc import Mapping, Sequence
from typing import Any

from ragsweep.contexts.locating import said_of
from ragsweep.reporting.escape import shortened, visible
from ragsweep.types import Record, Step

SHOWN_HITS = 5
ANSWER_LENGTH = 300


def trace_lines(record: Record) -> list[str]:
    """Two lines a step: what went in and how long it took (ms), and what came out; at the end how the question ended."""
    width = max((len(step.name) for step in record.steps), default=0)
    digits = len(str(len(record.steps)))
    lines = []
    for number, step in enumerate(record.steps, start=1):
        inputs = ", ".join(f"{key}={_value(key, value)}" for key, value in step.inputs.items())
        lines.append(f"{number:>{digits}}. {step.name:<{width}}  {step.seconds * 1000:.2f} ms  {inputs}")
        lines.append(f"{'':{digits}}  -> {_outcome(step)}")
    return [*lines, f"status: {record.status}{f' ({visible(record.error)})' if record.error else ''}"]


def _value(key: str, value: Any) -> str:
    if key in ("matches", "chunks"):
        return f"{value} chunk{'' if value == 1 else 's'}"
    return f"'{visible(value)}'" if isinstance(value, str) else visible(str(value))


def _outcome(step: Step) -> str:
    outcome = step.outcome
    if "hits" in outcome:
        return _hits(outcome["hits"], "rerank " if step.name == "rerank" else "") + _counted(outcome.get("contexts", {}))
    if "answer" in outcome:
        return f'"{shortened(visible(outcome["answer"]), ANSWER_LENGTH)}"'
    return ", ".join(f"{key}={_value(key, value)}" for key, value in _said(outcome).items())


def _said(outcome: Mapping[str, Any]) -> Mapping[str, Any]:
    return {key: ("yes" if value else "no") if isinstance(value, bool) else value for key, value in outcome.items()}


def _hits(hits: Sequence[Sequence[Any]], kind: str) -> str:
    named = [
        f"{f'chunk_{chunk}' if number else f'context {chunk + 1}'} {visible(document) or 'nowhere'}"
        f"{f':{number}' if number else ''}{score_of(number, score, kind)}"
        for chunk, document, number, score in hits
    ]
    more = ", ..." if len(named) > SHOWN_HITS else ""
    return f"{len(named)} chunk{'' if len(named) == 1 else 's'}" + (
        ": " + ", ".join(named[:SHOWN_HITS]) + more if named else ""
    )


def score_of(number: int, score: float, kind: str = "") -> str:
    """The score of a chunk; none where another system gave it none, which has no number either.

    >>> score_of(3, 0.0), score_of(0, 2.5, "rerank "), score_of(0, 0.0)
    (' (0.000)', ' (rerank 2.500)', '')
    """
    return f" ({kind}{score:.3f})" if number or score else ""


def _counted(contexts: Mapping[str, int]) -> str:
    """What is to be known of contexts of another system, of all that came so far."""
    said = list(said_of(contexts, contexts.get("returned", 0)))
    return f"; {'; '.join(said)}" if said else ""
