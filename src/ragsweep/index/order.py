"""The one true order of a ranked list: by (-score rounded to 6 decimals, place)."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from ragsweep.parts import Ranking

DECIMALS = 6


def best(scores: npt.NDArray[Any], depth: int) -> Ranking:
    """The ``depth`` best places with their rounded scores, fewer when there are fewer.

    Every place that ties with the last one kept takes part in the sort, so a cut never drops an earlier equal.

    >>> best(np.array([0.5, 0.9, 0.5000001]), 2)
    [(1, 0.9), (0, 0.5)]
    """
    rounded = np.round(scores.astype(np.float64), DECIMALS) + 0.0  # turns -0.0 into 0.0
    depth = min(depth, len(rounded))
    if depth == 0:
        return []
    last = np.partition(rounded, len(rounded) - depth)[len(rounded) - depth]
    candidates = np.flatnonzero(rounded >= last)
    places = candidates[np.argsort(-rounded[candidates], kind="stable")][:depth]
    return list(zip(places.tolist(), rounded[places].tolist(), strict=True))


def ordered(scores: Mapping[int, float]) -> Ranking:
    """The places of a mapping from place to score, best first, with their rounded scores.

    >>> ordered({4: 0.2, 1: 0.7, 0: 0.2})
    [(1, 0.7), (0, 0.2), (4, 0.2)]
    """
    rounded = [(place, round(score, DECIMALS) + 0.0) for place, score in scores.items()]
    return sorted(rounded, key=lambda ranked: (-ranked[1], ranked[0]))
