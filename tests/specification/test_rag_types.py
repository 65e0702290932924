"""SPEC 6: the steps, statuses and chunks of each RAG type."""

import pytest

from ragsweep.generators import REFUSAL
from ragsweep.rag_types.adaptive import Adaptive
from ragsweep.rag_types.search import Search
from ragsweep.rag_types.simple import Simple

ROUND = ["rewrite", "retrieve", "rerank", "check"]


def test_the_refusal_sentence():
    assert REFUSAL == "I don't know based on the available documents."


@pytest.mark.parametrize(
    ("rag_type", "checks", "names", "status"),
    [
        (Search(), [], ["retrieve", "rerank"], "searched"),
        (Simple(), [], ["retrieve", "rerank", "generate"], "answered"),
        (Adaptive(), [True], ["route", "retrieve", "rerank", "check", "generate"], "answered"),
        (Adaptive(), [False, True], ["route", "retrieve", "rerank", "check", *ROUND, "generate"], "answered"),
        (Adaptive(), [False, False, True], ["route", "retrieve", "rerank", "check", *ROUND, *ROUND, "generate"], "answered"),
        (Adaptive(), [False] * 3, ["route", "retrieve", "rerank", "check", *ROUND, *ROUND], "gave_up"),
        (Adaptive(1), [False] * 3, ["route", "retrieve", "rerank", "check", *ROUND], "gave_up"),
        (Adaptive(0), [False] * 3, ["route", "retrieve", "rerank", "check"], "gave_up"),
    ],
)
def test_steps_and_status(make_steps, scripted, rag_type, checks, names, status):
    steps = make_steps(generator=scripted(checks=list(checks)))
    outcome = rag_type.answer("q", steps)
    assert [step.name for step in steps.taken] == names
    assert outcome.status == status


@pytest.mark.parametrize(("retries", "count"), [(0, 5), (1, 9), (2, 13)])
def test_the_count_of_steps_when_answered_after_retries(make_steps, scripted, retries, count):
    steps = make_steps(generator=scripted(checks=[False] * retries))
    Adaptive().answer("q", steps)
    assert len(steps.taken) == count


@pytest.mark.parametrize("retries", [0, 1, 2, 3])
def test_giving_up_takes_4_plus_4r_steps_and_leaves_no_chunks(make_steps, scripted, retries):
    steps = make_steps(generator=scripted(checks=[False] * 9))
    outcome = Adaptive(retries).answer("q", steps)
    assert len(steps.taken) == 4 + 4 * retries
    assert (outcome.status, list(outcome.final)) == ("gave_up", [])
    assert (outcome.answer.text, outcome.answer.abstained, outcome.answer.cited) == (REFUSAL, True, ())
    assert len(steps.retrieved) == 3, "the retrieved view is the last list"


@pytest.mark.parametrize("rag_type", [Simple(), Adaptive()])
def test_a_generator_that_abstains_keeps_the_chunks_it_was_given(make_steps, scripted, rag_type):
    outcome = rag_type.answer("q", make_steps(generator=scripted(abstains=True)))
    assert outcome.status == "abstained"
    assert [hit.chunk for hit in outcome.final] == [2, 1]


def test_a_question_of_several_parts_is_one_retrieve(make_steps, scripted):
    steps = make_steps(generator=scripted(parts=("one", "two")))
    Adaptive().answer("q", steps)
    retrieves = [step for step in steps.taken if step.name == "retrieve"]
    assert [step.inputs["queries"] for step in retrieves] == [["one", "two"]]


def test_a_retry_searches_the_rewrite_but_ranks_and_checks_for_the_question(make_steps, scripted):
    steps = make_steps(generator=scripted(checks=[False]))
    Adaptive().answer("q", steps)
    assert [step.inputs["query"] for step in steps.taken[4:]] == ["q", "q again 1", "q", "q", "q"]
