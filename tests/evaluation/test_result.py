"""Means over questions, and who is left out of which."""

from dataclasses import replace

import pytest

from ragsweep.evaluation.result import needs_a_look, result
from ragsweep.results import Description, Score, View
from ragsweep.types import Status

SETUP = Description("id", "simple + word", {}, k=5, generates=True, chunking="word")
FULL, NOTHING = View(1, 1, 1, 1, 1, 1, capped=False), View(0, 0, 0, 0, 0, 0, capped=False)


def scored(status: Status = "answered", view: View | None = FULL, id: str = "q", seconds: float = 1.0) -> Score:
    view = NOTHING if view and status in ("failed", "gave_up") else view
    return Score(id, "?", None, status, None, view, view, (), (), words=10, steps=3, dropped=1, seconds=seconds, error=None)


def test_j1_failed_questions_are_0_in_the_means_and_in_n() -> None:
    found = result(SETUP, [scored()] * 5 + [scored("failed")] * 5)
    assert found.final and found.retrieved
    assert (found.final.recall, found.retrieved.recall, found.answered) == (0.5, 0.5, 0.5)
    assert (found.status, found.n_ok, found.n) == ("partial", 5, 10)


def test_steps_words_and_times_are_of_the_questions_that_ran() -> None:
    found = result(SETUP, [scored(seconds=1), scored(seconds=2), replace(scored("failed", seconds=90), words=0, steps=1)])
    assert (found.steps, found.words, found.p50_s, found.p95_s) == (3, 10, 1.5, pytest.approx(1.95))


def test_a_setup_without_a_question_that_ran_has_no_numbers() -> None:
    found = result(SETUP, [replace(scored("failed"), error="out of memory"), scored("failed")])
    assert (found.status, found.n_ok, found.n, found.error) == ("failed", 0, 2, "out of memory")
    assert {found.final, found.retrieved, found.answered, found.refused, found.steps, found.words, found.p50_s} == {None}


def test_a_setup_that_broke_is_failed_and_keeps_what_ran() -> None:
    found = result(SETUP, [scored(), scored("failed")], error="worker died (signal 9)")
    assert found.final
    assert (found.status, found.n_ok, found.final.recall, found.error) == ("failed", 1, 0.5, "worker died (signal 9)")


def test_unanswerable_questions_count_for_refused_alone() -> None:
    scores = [
        scored(),
        scored("abstained"),
        *(scored(status, None) for status in ("abstained", "gave_up", "answered", "failed")),
    ]
    found = result(SETUP, scores)
    assert found.final
    assert (found.final.recall, found.answered, found.refused, found.unanswerable) == (1, 0.5, 2, 4)


def test_only_unanswerable_questions_give_no_retrieval_means() -> None:
    found = result(SETUP, [scored("abstained", None)])
    assert (found.final, found.answered, found.refused, found.steps) == (None, None, 1, 3)


def test_a_search_setup_answers_and_refuses_nothing() -> None:
    found = result(replace(SETUP, generates=False), [scored("searched"), scored("searched", None)])
    assert found.final
    assert (found.final.recall, found.answered, found.refused) == (1, None, None)


def test_counts() -> None:
    capped = replace(FULL, capped=True)
    found = result(SETUP, [scored("empty", capped), scored("cut"), scored("gave_up", id="q_3")])
    assert (found.capped, found.empty, found.cut, found.dropped, found.missed) == (1, 1, 1, 3, ("q_3",))


@pytest.mark.parametrize(
    ("status", "view", "look"),
    [
        ("answered", FULL, False),
        ("searched", FULL, False),
        ("answered", replace(FULL, recall=0.5), True),
        ("searched", replace(FULL, recall=0.5), True),
        ("abstained", FULL, True),
        ("gave_up", FULL, True),
        ("empty", FULL, True),
        ("failed", FULL, True),
        ("failed", None, True),
        ("abstained", None, False),
        ("gave_up", None, False),
        ("searched", None, False),
        ("answered", None, True),
    ],
)
def test_questions_to_look_at(status: Status, view: View | None, look: bool) -> None:
    assert needs_a_look(scored(status, view)) is look
