"""With whom the questions do not tell the best apart: six questions that all fall to one side are the least that do."""

from dataclasses import replace

import pytest

from ragsweep.evaluation.result import result
from ragsweep.metrics.sign_test import sign_test
from ragsweep.reporting.undecided import undecided
from ragsweep.results import Description, Report, Score, View


@pytest.mark.parametrize(
    ("won", "lost", "p"),
    [
        (0, 0, 1.0),
        (1, 0, 1.0),
        (5, 0, 0.0625),
        (6, 0, 0.03125),
        (5, 1, 0.21875),
        (9, 1, 0.021484375),
        (10, 10, 1.0),
        (0, 6, 0.03125),
    ],
)
def test_the_sign_test(won, lost, p):
    assert sign_test(won, lost) == p


def scored(recalls, repeat=0):
    views = [View(value, value, value, value, value, value, capped=False) for value in recalls]
    return [
        Score(f"q_{place}", "?", None, "searched", None, view, view, (), (), 10, 2, 0, 0.1, repeat=repeat)
        for place, view in enumerate(views)
    ]


def compared(sort=None, **rows):
    """The notice on setups with these recalls of their questions."""
    described = {name: Description(name, name, {"chunker": name}, 5, generates=False, chunking=name) for name in rows}
    results = [result(described[name], rows[name]) for name in rows]
    report = Report("mine", 10, 10, {}, {"chunker": list(rows)}, results, sort=sort)
    return undecided(report, rows)


def test_a_lead_of_five_questions_is_no_verdict_and_one_of_six_is():
    best, five, six = scored([1] * 10), scored([0] * 5 + [1] * 5), scored([0] * 6 + [1] * 4)
    (said,) = compared(best=best, five=five, six=six)
    assert said == (
        "best is best by Recall, and a sign test over the questions (5 %) does not tell it apart from "
        "five (won 5, lost 0): ragsweep diff shows them"
    )
    assert compared(best=best, six=six) == []


def test_equal_means_may_hide_as_many_won_as_lost_and_a_tie_is_said_elsewhere():
    other = [replace(score, final=replace(score.final, ndcg=score.final.ndcg / 2)) for score in scored([0, 0.5, 1])]
    (said,) = compared(one=scored([1, 0.5, 0]), other=other)
    assert said.startswith("one is best") and "other (won 1, lost 1)" in said  # nDCG decided
    assert compared(one=scored([1, 0]), other=scored([1, 0])) == []


def test_repeats_of_a_question_are_one_and_times_are_of_no_question():
    best, other = ([*scored(first), *scored(second, 1)] for first, second in (([1, 1], [1, 1]), ([0, 1], [1, 1])))
    (said,) = compared(best=best, other=other)
    assert "other (won 1, lost 0)" in said
    assert compared(sort="p50", best=best, other=other) == []
