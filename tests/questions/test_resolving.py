"""What is said of many labels is said once."""

from ragsweep.questions import load, resolve
from ragsweep.types import Document

DOCUMENT = {"a.md": Document("a.md", "xHello world nHow are you, and prepayment", "")}
STAND = "stands only inside longer words; it is taken as it stands"


def notices(*expected):
    questions = [
        {"id": f"q_{place:03}", "question": f"q{place}?", "expected": quotes} for place, quotes in enumerate(expected, 1)
    ]
    return [notice for notice in resolve(load(questions), DOCUMENT)[0][1] if STAND in notice]


def test_a_remark_on_one_quote_names_it():
    assert notices(["Hello world"]) == [f"Question 'q_001': Quote 'Hello world' {STAND} (dataset.questions[0])"]


def test_a_remark_on_many_quotes_is_one_notice_with_their_number():
    assert notices(["Hello world", "How are you"], ["ayment"]) == [
        f"3 labels of 2 questions, the first of 'q_001': Quote 'Hello world' {STAND}"
    ]


def test_one_quote_of_many_questions_is_named_once():
    assert notices(["ayment"], ["ayment"]) == [f"2 questions ('q_001' and others): Quote 'ayment' {STAND}"]
