"""What a judge's verdicts come to: no verdict is a score of 0 or 1, no failure lifts a share, and chance is no agreement."""

import pytest

from ragsweep.evaluation.judged import judged
from ragsweep.metrics.agreement import agreement
from ragsweep.results import Grades, Score, Verdict

YES, NO = Verdict(True, True), Verdict(False, False)
UNSCORED = Verdict(unscored="it is empty")
NO_ANSWER = Verdict(False, False, answered=False)
UNLABELLED = Verdict(None, True)


def scores(*pairs):
    """(verdict, token F1, required facts, grounded) of each."""
    return [
        Score(
            "q",
            "",
            None,
            "answered",
            "a",
            None,
            None,
            (),
            (),
            0,
            0,
            0,
            0.0,
            grades=Grades(None, f1, facts, 0, 0, grounded),
            verdict=verdict,
        )
        for verdict, f1, facts, grounded in pairs
    ]


@pytest.mark.parametrize(
    ("verdicts", "correct", "correct_n", "grounded", "grounded_n", "unscored"),
    [
        ([YES, NO], 0.5, 2, 0.5, 2, 0),
        ([YES, NO, UNSCORED, UNSCORED], 0.5, 2, 0.5, 2, 2),  # as 0 it would be 0.25, as 1 it would be 0.75
        ([YES, NO_ANSWER, NO_ANSWER, NO_ANSWER], 0.25, 4, 0.25, 4, 0),  # a share rises by no failure
        ([YES, UNLABELLED], 1.0, 1, 1.0, 2, 0),
        ([UNSCORED], None, 0, None, 0, 1),
        ([UNSCORED, NO_ANSWER], None, 0, None, 0, 1),  # of the refusal alone it would be 0, which nobody judged
        ([NO_ANSWER, NO_ANSWER], 0.0, 2, 0.0, 2, 0),  # nothing to judge, and worth nothing
        ([UNLABELLED, UNSCORED, NO_ANSWER], None, 0, 0.5, 2, 1),
    ],
)
def test_shares_are_of_what_is_scored(verdicts, correct, correct_n, grounded, grounded_n, unscored):
    found = judged(scores(*((verdict, 1.0, None, 1.0) for verdict in verdicts)))
    assert (found.correct, found.correct_n, found.grounded, found.grounded_n) == (correct, correct_n, grounded, grounded_n)
    assert found.unscored == unscored


def test_without_a_judge_there_is_nothing():
    assert judged(scores((None, 1.0, None, 1.0))) is None


def test_agreement_is_with_facts_where_there_are_some_and_leaves_out_what_was_not_asked():
    found = judged(
        scores(
            (YES, 0.1, 1.0, 1.0),  # all facts in other words
            (NO, 0.9, 0.5, 0.5),
            (YES, 0.5, None, 1.0),
            (NO, 0.49, None, 0.0),
            (NO_ANSWER, 0.0, None, 0.0),
            (UNSCORED, 1.0, None, 1.0),
        )
    )
    assert (found.correct_agreement.share, found.correct_agreement.n) == (1.0, 4)
    assert (found.grounded_agreement.share, found.grounded_agreement.kappa) == (1.0, 1.0)


def test_a_judge_that_says_yes_to_everything_agrees_by_chance_alone():
    found = agreement([(True, True)] * 9 + [(True, False)])
    assert (found.share, found.kappa) == (0.9, pytest.approx(0))
    assert agreement([(True, True)] * 5).kappa is None, "no room left by chance"
    assert agreement([(True, False), (False, True)]).kappa == pytest.approx(-1)
    assert agreement([]) is None
