"""Which setup is best, and whether that is a tie."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from ragsweep.reporting.columns import SORTS, Measure
from ragsweep.reporting.escape import visible
from ragsweep.results import Result

NAMED = 5
"""Names of a tie that are written out."""
OF_ANSWERABLE = ("recall", "mrr", "ndcg", "hit", "all", "precision", "answered")
"""Means in which one question weighs 1 / answerable questions at most."""


def by_rank(results: Sequence[Result], sort: str) -> list[Result]:
    """Best first by ``sort``, equal ones as they stood, those without the number last."""
    measure = SORTS[sort]

    def rank(result: Result) -> float:
        level = measure.level(result)
        return float("inf") if level is None else level if measure.best is min else -level

    return sorted(results, key=rank)


@dataclass(frozen=True)
class Best:
    """What is best among ``candidates`` by the column ``first``: one setup, or several that are equal, in table order.

    ``decisive`` is the last column that told any apart.
    """

    winners: Sequence[Result]
    candidates: Sequence[Result]
    first: str
    decisive: str

    @property
    def chosen(self) -> Result:
        """The one that a gate and best.yaml take: of several that are equal, the first in the table."""
        return self.winners[0]

    @property
    def tie(self) -> str:
        """That it was taken from several that are equal, and in what; empty for one alone."""
        if len(self.winners) == 1:
            return ""
        *columns, last = (SORTS[key].label for key in _columns(self.first))
        return f"of {len(self.winners)} that tie on {', '.join(columns)} and {last}, the first in the table"


def best(results: Sequence[Result], sort: str | None, measures: Mapping[str, Measure] = SORTS) -> Best | None:
    """The best of ``results`` by ``sort`` or Recall, then nDCG, then MRR.

    Numbers that look equal in the table, whose ``measures`` they are, are equal. None when there is nothing to choose from; a
    setup that broke is never the best.
    """
    left = candidates = [result for result in results if result.status != "failed" and result.final]
    if not candidates:
        return None
    first = sort if sort and all(measures[sort].value(result) is not None for result in candidates) else "recall"
    decisive = first
    for key in _columns(first):
        levels = [measures[key].level(result) or 0.0 for result in left]
        top = [result for result, level in zip(left, levels, strict=True) if level == measures[key].best(levels)]
        left, decisive = top, key if len(top) < len(left) else decisive
    return Best(left, candidates, first, decisive)


def _columns(first: str) -> list[str]:
    """What decides, in this order."""
    return list(dict.fromkeys((first, "ndcg", "mrr")))


def best_line(
    results: Sequence[Result],
    sort: str | None,
    answerable: int,
    whole: int | None = None,
    measures: Mapping[str, Measure] = SORTS,
) -> str | None:
    """The line below a table: the best of several setups, what decided, and how near the next one is.

    ``whole`` is the number of all questions when a limit left some out, ``measures`` those of the table. None when there is
    nothing to choose from.
    """
    found = best(results, sort, measures)
    if found is None or len(results) < 2:
        return None
    winner, first = found.winners[0], found.first
    near = _tie(found.winners, first, answerable) or _near(winner, found.candidates, first, answerable, measures)
    partial = f"PARTIAL: {winner.n} of {whole} questions" if whole else ""
    said = "; ".join(filter(None, [partial, _decided(found), near]))
    return f"Best {measures[first].label} {measures[first].show(winner)}: {_names(found.winners)}{f' ({said})' if said else ''}"


def _names(winners: Sequence[Result]) -> str:
    names = ", ".join(visible(result.setup.name) for result in winners[:NAMED])
    return names if len(winners) <= NAMED else f"{names} and {len(winners) - NAMED} more"


def _decided(found: Best) -> str:
    """Which further number chose among setups that are equal in the first, and by how much."""
    winner, decisive = found.winners[0], SORTS[found.decisive]
    if found.decisive == found.first:
        return ""
    level = SORTS[found.first].level
    equals = [each for each in found.candidates if level(each) == level(winner) and each not in found.winners]
    following = max(equals, key=lambda each: decisive.value(each) or 0.0)
    chosen = f"{decisive.label} {decisive.show(winner)} decides among {len(equals) + len(found.winners)} equals"
    return f"{chosen}: {visible(following.setup.name)} {decisive.show(following)}"


def _tie(winners: Sequence[Result], first: str, answerable: int) -> str:
    if len(winners) == 1:
        return ""
    return f"a tie: one question is worth {1 / answerable:.3f}" if first in OF_ANSWERABLE else "a tie"


def _near(winner: Result, others: Sequence[Result], first: str, answerable: int, measures: Mapping[str, Measure]) -> str:
    """That the lead over others, best first by the same rule, is no more than one question, which is no ground for a choice."""
    measure = measures[first]
    lead = measure.value(winner)
    if first not in OF_ANSWERABLE or lead is None:
        return ""
    near = [
        each
        for each in others
        if measure.level(each) != measure.level(winner) and lead - (measure.value(each) or 0.0) <= 1 / answerable + 1e-9
    ]
    if not near:
        return ""
    for key in reversed(_columns(first)):
        near = by_rank(near, key)
    alike = [(shown, list(of_one)) for shown, of_one in groupby(near[:NAMED], measure.show)]
    names = ", ".join(f"{', '.join(visible(each.setup.name) for each in of_one)} {shown}" for shown, of_one in alike)
    more = f" and {len(near) - NAMED} more" if len(near) > NAMED else ""
    return f"{names}{more} {'is' if len(near) == 1 else 'are'} within one question, {1 / answerable:.3f}"
