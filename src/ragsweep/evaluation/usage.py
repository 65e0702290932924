"""What questions took of model servers: calls, tokens, waiting, and their price."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from math import fsum
from typing import TypeVar

from ragsweep.results import Price, Usage
from ragsweep.types import Call, Record, Step

N = TypeVar("N", int, float)


def usage(record: Record, prices: Mapping[str, Price]) -> Usage:
    """What one question took; ``prices`` are by the name of a model."""
    seconds = _sums({step.name: step.seconds} for step in record.steps)
    asked = [step for step in record.steps if step.calls]  # most ask no server
    took = total(of_step(each, prices) for each in asked) if asked else Usage()
    return replace(took, step_seconds=seconds)


def total(parts: Iterable[Usage]) -> Usage:
    """The sum of each field; None for one that is not known of every part."""
    each = list(parts)
    return Usage(
        calls=sum(one.calls for one in each),
        retries=sum(one.retries for one in each),
        input_tokens=_sum([one.input_tokens for one in each], 0),
        output_tokens=_sum([one.output_tokens for one in each], 0),
        cost=_sum([one.cost for one in each], 0.0),
        truncated=sum(one.truncated for one in each),
        unusable=sum(one.unusable for one in each),
        shared=sum(one.shared for one in each),
        waited=fsum(one.waited for one in each),
        step_seconds=_sums(one.step_seconds for one in each),
        failures=_sums(one.failures for one in each),
    )


def cost(price: Price | None, input_tokens: int | None, output_tokens: int | None) -> float | None:
    """In the currency of the price; None where one of the three is not known.

    >>> cost(Price(input=0.5, output=2.0), 1_000_000, 250_000)
    1.0
    """
    if price is None or input_tokens is None or output_tokens is None:
        return None
    return (input_tokens * price.input + output_tokens * price.output) / 1e6


def of_step(step: Step, prices: Mapping[str, Price]) -> Usage:
    """What one step took."""
    answered = [call for call in step.calls if call.failure is None]
    told = all(call.input_tokens is not None for call in answered)  # what has no output, such as vectors, counts none
    read = sum(call.input_tokens or 0 for call in answered) if told else None
    written = sum(call.output_tokens or 0 for call in answered) if told else None
    return Usage(
        calls=len(step.calls),
        retries=sum(call.retries for call in step.calls),
        input_tokens=read,
        output_tokens=written,
        cost=_sum([_cost(call, prices) for call in answered], 0.0),
        truncated=sum(call.truncated for call in step.calls),
        unusable=sum(call.unusable for call in step.calls),
        shared=sum(call.shared for call in step.calls),
        waited=fsum(call.waited for call in step.calls),
        step_seconds={step.name: step.seconds},
        failures=_sums({call.failure: 1} for call in step.calls if call.failure is not None),
    )


def _cost(call: Call, prices: Mapping[str, Price]) -> float | None:
    return cost(prices.get(call.model), call.input_tokens, call.output_tokens or 0)


def _sum(values: Sequence[N | None], zero: N) -> N | None:
    known = [value for value in values if value is not None]
    return sum(known, start=zero) if len(known) == len(values) else None


def _sums(mappings: Iterable[Mapping[str, N]]) -> dict[str, N]:
    sums: dict[str, N] = {}
    for mapping in mappings:
        for name, value in mapping.items():
            sums[name] = sums[name] + value if name in sums else value
    return sums
