"""All@k: is everything there that a full answer needs?"""

from collections.abc import Sequence


def all_found(gains: Sequence[int], needed: int, k: int) -> float:
    """1 when the first k ranks found every one of the ``needed`` evidences, else 0.

    >>> all_found([1, 0, 1], needed=2, k=2), all_found([1, 0, 1], needed=2, k=3)
    (0.0, 1.0)
    """
    return float(sum(gains[:k]) == needed)
