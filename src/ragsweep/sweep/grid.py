"""From axes to combinations: the grid in the order written, then the named setups beside it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any


@dataclass(frozen=True)
class Combination:
    """What one row asks for: a value for each key (an option's name for a group), and the name of a setup beside the grid."""

    asked: Mapping[str, Any]
    name: str | None = None


def expand(
    axes: Mapping[str, Sequence[Any]], fixed: Mapping[str, Any], named: Sequence[Mapping[str, Any]] = (), *, grid: bool = True
) -> list[Combination]:
    """Every combination of ``axes`` with ``fixed`` laid over it, unless ``grid`` is False, then ``named``; without axes the
    grid is one combination.

    >>> [dict(c.asked) for c in expand({"chunker": ["word", "page"]}, {"top_k": 5})]
    [{'chunker': 'word', 'top_k': 5}, {'chunker': 'page', 'top_k': 5}]
    """
    crossed = [dict(zip(axes, values, strict=True)) for values in product(*axes.values())] if grid else []
    beside = [({key: value for key, value in setup.items() if key != "name"}, setup["name"]) for setup in named]
    return [Combination({**asked, **fixed}, name) for asked, name in [*((asked, None) for asked in crossed), *beside]]
