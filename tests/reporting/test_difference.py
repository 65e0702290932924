"""Which setup a question speaks for: by recall of what was given, then by the answer, then by failures; over all askings."""

import pytest

from ragsweep.reporting.asked import Asked
from ragsweep.reporting.difference import Compared, counts, means
from ragsweep.results import Grades, Score, View
from ragsweep.types import Answer, Evidence, Question, Record

EVIDENCE = tuple(Evidence("file", name, ()) for name in ("a.md", "b.md"))
ANSWERABLE = Question("q1", "Days?", EVIDENCE, answers=("25",))
FACTS = Question("q1", "Days?", EVIDENCE, answers=("25",), required_facts=("25",))
PLAIN = Question("q1", "Days?", EVIDENCE)
UNANSWERABLE = Question("q2", "A gym?", (), answerable=False)


def asked(question, found="ab", status="answered", said="25", f1=1.0, facts=None):
    """One asking that found these of the two evidences."""
    failed = status == "failed"
    recall = 0.0 if failed else len(found) / 2
    view = View(recall, recall, recall, recall, recall, recall, False) if question.answerable else None
    labels = tuple(f"{each}.md" for each in ("" if failed else found))
    grades = Grades(None, f1, facts, 0.0, 0.0, 0.0) if question.answerable else None
    score = Score(question.id, "", None, status, said, view, view, labels, (), 0, 0, 0, 0.0, grades=grades)
    answer = None if failed or status == "searched" else Answer(said, status == "abstained")
    return Asked("simple", question, Record("", 0, status, answer=answer, error="broke" if failed else None), {}, score)


def compare(question, first, second, answers=True):
    return Compared(question, *([asked(question, **each) for each in side] for side in (first, second)), answers)


A, B, NONE, BOTH = ({"found": found} for found in ("a", "b", "", "ab"))
FAILED = {"status": "failed", "f1": 0.0}


@pytest.mark.parametrize(
    ("question", "first", "second", "kind", "measure"),
    [
        (ANSWERABLE, [A], [BOTH], "won", "recall"),
        (ANSWERABLE, [A], [{**BOTH, "f1": 0.0}], "won", "recall"),  # evidence before words
        (ANSWERABLE, [A], [B], "changed", None),  # as much of the evidence, and another half of it
        (ANSWERABLE, [A], [{**A, "f1": 0.5}], "lost", "token F1"),
        (FACTS, [{"facts": 0.0, "f1": 1.0}], [{"facts": 1.0, "f1": 0.0}], "won", "required facts"),
        (PLAIN, [{"f1": None}], [{"f1": None, "status": "abstained"}], "lost", "answered"),
        (PLAIN, [{"f1": None}], [{"f1": None, "said": "30"}], "changed", None),
        (PLAIN, [{"f1": None}], [{"f1": None}], "same", None),
        (ANSWERABLE, [BOTH], [FAILED], "lost", "recall"),
        (ANSWERABLE, [{**NONE, "f1": 0.0}], [FAILED], "lost", "ran"),  # both are worth nothing; one was never answered
        (UNANSWERABLE, [{"status": "answered"}], [{"status": "abstained"}], "won", "refused"),
        (UNANSWERABLE, [{"status": "gave_up"}], [{"status": "failed"}], "lost", "refused"),
        (UNANSWERABLE, [{"status": "abstained"}], [{"status": "gave_up"}], "changed", None),
        # askings: the first of each are alike, or speak for the other side
        (ANSWERABLE, [BOTH, NONE, NONE], [A, BOTH, BOTH], "won", "recall"),
        (ANSWERABLE, [BOTH, BOTH], [BOTH, FAILED], "lost", "recall"),
        (ANSWERABLE, [BOTH, NONE], [NONE, BOTH], "same", None),  # the same askings in another order
        (ANSWERABLE, [BOTH, NONE], [A, A], "changed", None),  # equal means of unlike askings
        (ANSWERABLE, [BOTH, NONE, BOTH], [BOTH, NONE], "lost" if 2 / 3 > 1 / 2 else "", "recall"),
    ],
)
def test_whom_a_question_speaks_for(question, first, second, kind, measure):
    one = compare(question, first, second)
    assert (one.kind, one.decided and one.decided[0]) == (kind, measure)
    opposite = {"won": "lost", "lost": "won"}.get(kind, kind)
    assert compare(question, second, first).kind == opposite


def test_equal_means_do_not_hide_who_won_and_lost():
    compared = [compare(ANSWERABLE, *sides) for sides in [([A], [BOTH]), ([BOTH], [A]), ([A], [A])]]
    assert means(compared) == (pytest.approx(2 / 3), pytest.approx(2 / 3))
    assert counts(compared) == {"lost": 1, "won": 1, "changed": 0, "same": 1}


def test_a_setup_that_does_not_answer_is_compared_by_what_it_found():
    answered = compare(ANSWERABLE, [{"status": "searched"}], [{"f1": 0.0}], answers=False)
    assert answered.decided is None
    assert compare(UNANSWERABLE, [{"status": "searched"}], [{"status": "abstained"}], answers=False).decided is None
    assert compare(UNANSWERABLE, [{"status": "searched"}], [FAILED], answers=False).kind == "lost"


def test_the_first_asking_that_differs_is_shown():
    assert compare(ANSWERABLE, [A, BOTH, A], [A, BOTH, NONE]).asking == 2
    assert compare(ANSWERABLE, [A], [A]).asking == 0
