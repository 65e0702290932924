"""Recall@k: did we find all the evidence?"""

from collections.abc import Sequence


def recall(gains: Sequence[int], needed: int, k: int) -> float:
    """The share, 0..1, of the ``needed`` evidences that the first k ranks found.

    >>> recall([1, 0, 1], needed=2, k=2)
    0.5
    """
    return sum(gains[:k]) / needed
