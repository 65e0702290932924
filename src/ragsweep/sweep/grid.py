"""From axes to combinations: the grid in the order written, then the named setups beside it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from math import prod
from typing import Any, Literal, TypeAlias

SweepMode: TypeAlias = Literal["grid", "one_at_a_time"]
MOST_COMBINATIONS = 10_000
"""A grid beyond it is a slip of the pen (decisions/config.md)."""


@dataclass(frozen=True)
class Combination:
    """What one row asks for: a value for each key (an option's name for a group), and the name of a setup beside the grid."""

    asked: Mapping[str, Any]
    name: str | None = None


def expand(
    axes: Mapping[str, Sequence[Any]],
    fixed: Mapping[str, Any],
    named: Sequence[Mapping[str, Any]] = (),
    mode: SweepMode | None = "grid",
) -> list[Combination]:
    """Every combination of ``axes`` with ``fixed`` laid over it, unless ``mode`` is None, then ``named``.

    Without axes the grid is one combination. ``one_at_a_time``: the first value of each axis is the baseline, and each other
    value is one combination that differs from it in that value only.

    >>> [dict(c.asked) for c in expand({"chunker": ["word", "page"]}, {"top_k": 5})]
    [{'chunker': 'word', 'top_k': 5}, {'chunker': 'page', 'top_k': 5}]
    >>> len(expand({"chunker": ["word", "page"], "top_k": [5, 10, 20]}, {}, mode="one_at_a_time"))
    4
    """
    crossed = [] if mode is None else _crossed(axes) if mode == "grid" else _one_at_a_time(axes)
    beside = [({key: value for key, value in setup.items() if key != "name"}, setup["name"]) for setup in named]
    return [Combination({**asked, **fixed}, name) for asked, name in [*((asked, None) for asked in crossed), *beside]]


def too_many(axes: Mapping[str, Sequence[Any]], mode: SweepMode | None) -> str | None:
    """The message for axes that make more combinations than ``MOST_COMBINATIONS``; None for others.

    >>> too_many({"chunk_size": range(300), "top_k": range(40)}, "one_at_a_time")
    >>> print(too_many({"chunk_size": range(300), "top_k": range(40)}, "grid"))
    sweep: chunk_size 300 x top_k 40 values make 12,000 combinations, more than 10,000: write fewer, or sweep_mode=one_at_a_time
    """
    sizes = [len(values) for values in axes.values()]
    count = 0 if mode is None else prod(sizes) if mode == "grid" else 1 + sum(size - 1 for size in sizes)
    if count <= MOST_COMBINATIONS:
        return None
    shown = " x ".join(f"{key} {len(values)}" for key, values in axes.items() if len(values) > 1)
    instead = "write fewer, or sweep_mode=one_at_a_time" if mode == "grid" else "write fewer"
    return f"sweep: {shown} values make {count:,} combinations, more than {MOST_COMBINATIONS:,}: {instead}"


def _crossed(axes: Mapping[str, Sequence[Any]]) -> list[dict[str, Any]]:
    return [dict(zip(axes, values, strict=True)) for values in product(*axes.values())]


def _one_at_a_time(axes: Mapping[str, Sequence[Any]]) -> list[dict[str, Any]]:
    baseline = {key: values[0] for key, values in axes.items()}
    return [baseline, *({**baseline, key: value} for key, values in axes.items() for value in values[1:])]
