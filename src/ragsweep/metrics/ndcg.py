"""nDCG@k: is the evidence near the top? (Järvelin and Kekäläinen, TOIS 2002, with log2(rank + 1) from Burges et al., 2005)

The ideal is one new evidence a rank, whatever the chunker, so that setups with different chunks have one yardstick. A chunk
that holds two evidences can beat that ideal, therefore the value is capped.
"""

from collections.abc import Sequence
from functools import cache
from math import log2


def ndcg(gains: Sequence[int], needed: int, k: int) -> float:
    """``uncapped_ndcg``, capped at 1.

    >>> round(ndcg([0, 0, 1, 0, 1], needed=2, k=5), 4)
    0.5438
    """
    return min(uncapped_ndcg(gains, needed, k), 1.0)


def uncapped_ndcg(gains: Sequence[int], needed: int, k: int) -> float:
    """DCG@k over the DCG of one new evidence at each of the first min(needed, k) ranks.

    >>> round(uncapped_ndcg([2], needed=2, k=5), 3)
    1.226
    """
    return _dcg(gains[:k]) / _ideal(min(needed, k))


def _dcg(gains: Sequence[int]) -> float:
    return sum(gain / log2(rank + 1) for rank, gain in enumerate(gains, start=1) if gain)


@cache
def _ideal(ranks: int) -> float:
    return _dcg([1] * ranks)
