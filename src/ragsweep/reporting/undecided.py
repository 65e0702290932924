"""Setups that the questions do not tell apart from the best."""

from collections.abc import Mapping, Sequence
from statistics import fmean

from ragsweep.metrics.sign_test import sign_test
from ragsweep.reporting.columns import SORTS
from ragsweep.reporting.escape import visible
from ragsweep.reporting.remarks import listed
from ragsweep.reporting.tables import best_of
from ragsweep.results import Report, Score

OF_VIEWS = {"recall": "recall", "mrr": "rr", "ndcg": "ndcg", "hit": "hit", "all": "all", "precision": "precision"}
"""What decides, where it is a mean over questions, as a view of one question has it."""
LEVEL = 0.05
"""The p under which a difference counts, by convention; nothing is adjusted for the number of setups."""


def undecided(report: Report, scores: Mapping[str, Sequence[Score]]) -> list[str]:
    """That the best wins so few questions against some others that it may be by luck; ``scores`` are by the ids of setups."""
    found = best_of(report) if report.is_finished else None
    if found is None or found.first not in OF_VIEWS:
        return []
    own = _by_question(scores[found.chosen.setup.id], OF_VIEWS[found.first])
    alike = []
    for other in found.candidates:
        theirs = _by_question(scores[other.setup.id], OF_VIEWS[found.first])
        won, lost = (sum(sign * (value - theirs.get(id, 0.0)) > 1e-9 for id, value in own.items()) for sign in (1, -1))
        if other not in found.winners and sign_test(won, lost) >= LEVEL:
            alike.append(f"{visible(other.setup.name)} (won {won}, lost {lost})")
    label, best = SORTS[found.first].label, visible(found.chosen.setup.name)
    told = f"{best} is best by {label}, and a sign test over the questions (5 %) does not tell it apart from"
    return [f"{told} {listed(alike)}: ragsweep diff shows them"] if alike else []


def _by_question(scores: Sequence[Score], name: str) -> dict[str, float]:
    """Of each answerable question the mean over its repeats."""
    values: dict[str, list[float]] = {}
    for score in scores:
        if score.final is not None:
            values.setdefault(score.question_id, []).append(getattr(score.final, name))
    return {id: fmean(of_one) for id, of_one in values.items()}
