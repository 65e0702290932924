"""Whether one of two rankings is better on the same questions, or lucky."""

from math import comb


def sign_test(won: int, lost: int) -> float:
    """The exact two-sided p, 0..1, of so uneven a split of the questions that differ if a coin decided each; 1 where none does.

    The sign test of Conover, Practical Nonparametric Statistics, 3.4; ties say nothing and are left out.

    >>> sign_test(6, 0), sign_test(5, 0)
    (0.03125, 0.0625)
    """
    differ = won + lost
    return min(1.0, 2 * sum(comb(differ, place) for place in range(min(won, lost) + 1)) * 0.5**differ)
