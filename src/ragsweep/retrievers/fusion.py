"""Two ways of making one list of several. A list of weight 0 takes no part."""

from collections import defaultdict
from collections.abc import Sequence

from ragsweep.index import ordered
from ragsweep.parts import Ranking


def rrf(lists: Sequence[Ranking], weights: Sequence[float], k: int = 60) -> Ranking:
    """Reciprocal rank fusion (Cormack, Clarke, Buettcher 2009): sum of weight / (k + rank) over the lists with the chunk.

    >>> rrf([[(7, 0.9), (3, 0.8)], [(3, 5.1)]], [1, 1])
    [(3, 0.032522), (7, 0.016393)]
    """
    fused: defaultdict[int, float] = defaultdict(float)
    for ranking, weight in zip(lists, weights, strict=True):
        for rank, (place, _) in enumerate(ranking if weight else (), start=1):
            fused[place] += weight / (k + rank)
    return ordered(fused)


def convex(lists: Sequence[Ranking], weights: Sequence[float]) -> Ranking:
    """The weighted sum of each list's scores, stretched to 0..1 over that list (Bruch, Gai, Ingber 2023).

    A chunk that a list does not hold gets 0 from it; the chunks of a list of equal scores get 1.

    >>> convex([[(7, 0.9), (3, 0.6), (1, 0.5)], [(3, 5.1)]], [0.5, 0.5])
    [(3, 0.625), (7, 0.5), (1, 0.0)]
    """
    fused: defaultdict[int, float] = defaultdict(float)
    for ranking, weight in zip(lists, weights, strict=True):
        if not ranking or not weight:
            continue
        highest, lowest = ranking[0][1], ranking[-1][1]
        for place, score in ranking:
            fused[place] += weight * ((score - lowest) / (highest - lowest) if highest > lowest else 1.0)
    return ordered(fused)
