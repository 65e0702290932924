"""Hit@k: did we find anything?"""

from collections.abc import Sequence


def hit(gains: Sequence[int], k: int) -> float:
    """1 when the first k ranks found any evidence, else 0.

    >>> hit([0, 1], k=1), hit([0, 1], k=2)
    (0.0, 1.0)
    """
    return float(any(gains[:k]))
