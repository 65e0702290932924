"""MRR@k: how high is the first evidence? It is the mean of this reciprocal rank over the questions (Voorhees, TREC-8, 1999)."""

from collections.abc import Sequence


def reciprocal_rank(gains: Sequence[int], k: int) -> float:
    """1 / rank of the first gain, 0 when the first k ranks have none.

    >>> reciprocal_rank([0, 0, 1, 1], k=5)
    0.3333333333333333
    """
    return next((1 / rank for rank, gain in enumerate(gains[:k], start=1) if gain), 0.0)
