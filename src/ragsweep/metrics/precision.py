"""Precision@k: how much of what we give is evidence?"""

from collections.abc import Sequence


def precision(matches: Sequence[bool], k: int) -> float:
    """The share, 0..1, of k ranks whose hit belongs to an evidence; repeats count, and ranks without a hit do not match.

    >>> precision([True, True, False], k=5)
    0.4
    """
    return sum(matches[:k]) / k
