"""Agreement of two raters on the same answers: the share of equal ratings, and Cohen's kappa.

Cohen (1960), A coefficient of agreement for nominal scales: kappa = (p_o - p_e) / (1 - p_e), where p_e is the share that would
be equal if each rater gave its ratings by chance, as often as it does.
"""

from collections.abc import Sequence

from ragsweep.results import Agreement


def agreement(pairs: Sequence[tuple[bool, bool]]) -> Agreement | None:
    """Of (rating, other rating) of each answer; None without any.

    >>> agreement([(True, True), (True, False), (False, False), (False, False)])
    Agreement(share=0.75, kappa=0.5, n=4)
    """
    if not pairs:
        return None
    n = len(pairs)
    share = sum(one == other for one, other in pairs) / n
    yes, other_yes = (sum(pair[side] for pair in pairs) / n for side in (0, 1))
    by_chance = yes * other_yes + (1 - yes) * (1 - other_yes)
    return Agreement(share, (share - by_chance) / (1 - by_chance) if by_chance < 1 else None, n)
