"""What a judge said of a setup, beside what its answers are worth by their words."""

from collections.abc import Sequence

from ragsweep.metrics.agreement import agreement
from ragsweep.results import Grades, Judged, Score, Verdict

F1_OF_CORRECT = 0.5
"""The token F1 from which an answer counts as correct by its words, where it has no required facts."""


def judged(scores: Sequence[Score]) -> Judged | None:
    """Over the answerable questions with a verdict, those that are unscored left out; None where none has one.

    Where some answers are unscored and none is scored, a share would be of the questions without an answer: there is none.

    Agreement is over answers that the judge was asked about. By its words an answer is correct with all required facts, else
    from ``F1_OF_CORRECT`` on, and grounded with all its sentences.
    """
    verdicts = [(score.verdict, score.grades) for score in scores if score.verdict is not None]
    if not verdicts:
        return None
    said = [verdict for verdict, _ in verdicts]
    correct = _scored([(verdict, verdict.correct) for verdict in said])
    grounded = _scored([(verdict, verdict.grounded) for verdict in said])
    asked = [(verdict, grades) for verdict, grades in verdicts if verdict.answered and grades]
    by_words = [(verdict.correct, _correct(grades)) for verdict, grades in asked]
    return Judged(
        correct=sum(correct) / len(correct) if correct else None,
        correct_n=len(correct),
        grounded=sum(grounded) / len(grounded) if grounded else None,
        grounded_n=len(grounded),
        unscored=sum(verdict.unscored is not None for verdict, _ in verdicts),
        correct_agreement=agreement([(one, other) for one, other in by_words if one is not None and other is not None]),
        grounded_agreement=agreement(
            [(verdict.grounded, grades.grounded == 1) for verdict, grades in asked if verdict.grounded is not None]
        ),
    )


def _scored(said: Sequence[tuple[Verdict, bool | None]]) -> list[bool]:
    """What is said of the questions that are scored."""
    heard = any(verdict.answered and value is not None for verdict, value in said)
    if not heard and any(verdict.unscored is not None for verdict, _ in said):
        return []
    return [value for _, value in said if value is not None]


def _correct(grades: Grades) -> bool | None:
    if grades.facts is not None:
        return grades.facts == 1
    return grades.f1 >= F1_OF_CORRECT if grades.f1 is not None else None
