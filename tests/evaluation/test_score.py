"""Scores of single questions: the two views, and the questions that are not simply right or wrong."""

from dataclasses import replace

from ragsweep.evaluation.score import score
from ragsweep.results import View
from ragsweep.types import Answer, Document, Evidence, Hit, Place, Question, Record, Step

DOCUMENTS = {id: Document(id, "four words of text", "") for id in "abc"}
QUESTION = Question("q", "Why?", tuple(Evidence("file", id, (Place(id, 0, 18),)) for id in "ab"), task_type="fact")
A, B, C = (Hit(place, id, 1, 0, 18, score=0.5) for place, id in enumerate("abc"))
RECORD = Record(
    "Why?",
    0,
    "answered",
    (C, A, B),
    (A, C),
    Answer("So.", False),
    (Step("retrieve", 0.25, {}, {}), Step("rerank", 0.5, {}, {})),
)
NOTHING = View(0, 0, 0, 0, 0, 0, capped=False)


def test_each_view_is_scored_at_its_own_cut() -> None:
    found = score(RECORD, QUESTION, DOCUMENTS, top_k=3, top_n=2)
    assert found.final and found.retrieved
    assert (found.final.recall, found.final.rr, found.final.precision) == (0.5, 1, 0.5)
    assert (found.retrieved.recall, found.retrieved.rr, found.retrieved.precision) == (1, 0.5, 2 / 3)
    assert (found.found, found.missed) == (("a",), ("b",))


def test_what_is_carried_for_the_reader() -> None:
    found = score(replace(RECORD, copies=(C,) * 4), QUESTION, DOCUMENTS, top_k=3, top_n=2)
    assert (found.question_id, found.question, found.task_type, found.answer) == ("q", "Why?", "fact", "So.")
    assert (found.words, found.steps, found.dropped, found.seconds) == (8, 2, 4, 0.75)


def test_a_failed_question_is_0_in_every_score_however_far_it_got() -> None:
    record = replace(RECORD, status="failed", answer=None, error="no")
    found = score(record, QUESTION, DOCUMENTS, top_k=3, top_n=2)
    assert (found.final, found.retrieved) == (NOTHING, NOTHING)
    assert (found.found, found.missed, found.words, found.error) == ((), ("a", "b"), 0, "no")


def test_giving_up_leaves_the_retrieved_view() -> None:
    found = score(replace(RECORD, status="gave_up", final=()), QUESTION, DOCUMENTS, top_k=3, top_n=2)
    assert found.final == NOTHING
    assert found.retrieved and found.retrieved.recall == 1


def test_an_unanswerable_question_has_no_view() -> None:
    found = score(RECORD, Question("q", "Why?", (), answerable=False), DOCUMENTS, top_k=3, top_n=2)
    assert (found.final, found.retrieved, found.missed) == (None, None, ())
    assert found.words == 8
