"""Labels resolved in several readings of the same files: the same evidences in each, with places of their own."""

import pytest

from ragsweep.errors import InputErrors
from ragsweep.questions import load, resolve
from ragsweep.types import Document

WHOLE = "Leave is 25 days. Ask your manager. "
TORN = "L eave is 25 d ays. Ask your manager."


def documents(*texts, **others):
    """hr.pdf with a page for each text, and other files."""
    text = "\n\n".join(texts)
    starts = [sum(len(each) + 2 for each in texts[:place]) for place in range(len(texts))]
    pages = tuple((start, start + len(each)) for start, each in zip(starts, texts, strict=True))
    named = {f"{name}.md": Document(f"{name}.md", other, "") for name, other in others.items()}
    return {"hr.pdf": Document("hr.pdf", text, "", pages), **named}


def resolved(questions, *readings):
    """For each reading the questions by id, and its notices."""
    found = resolve(load([{"question": "What?", **each} for each in questions]), *readings)
    return [({question.id: question for question in of_one}, notices) for of_one, notices in found]


def test_a_quote_has_its_own_places_in_each_reading_and_none_where_it_does_not_occur():
    questions = [{"id": "q", "expected": ["Leave is 25 days.", "Ask your manager."]}]
    (whole, _), (torn, notices) = resolved(questions, documents(WHOLE), documents(TORN))
    places = [[each.places for each in found["q"].evidence] for found in (whole, torn)]
    assert [[place.start for place in found] for found in places[0]] == [[0], [18]]
    assert [[place.start for place in found] for found in places[1]] == [[], [20]]
    assert [each.label for each in torn["q"].evidence] == [each.label for each in whole["q"].evidence]
    assert [notice for notice in notices if "nothing can find it" in notice] == [
        "Question 'q': Quote 'Leave is 25 days.' does not occur in 'hr.pdf', so nothing can find it (dataset.questions[0])"
    ]


def test_a_quote_that_occurs_in_no_reading_is_one_mistake():
    with pytest.raises(InputErrors) as caught:
        resolved([{"id": "q", "expected": ["Leave is 26 days."]}], documents(WHOLE), documents(TORN))
    (message,) = caught.value.messages
    assert "it does not occur in 'hr.pdf'; the nearest passage is " in message
    assert '"quote": "Leave is 25 days."' in message


def test_many_quotes_lost_in_one_file_are_one_notice():
    questions = [
        {"id": id, "expected": [{"source": "hr.pdf", "quote": quote}]} for id, quote in (("a", "Leave is"), ("b", "25 days"))
    ]
    _, (_, notices) = resolved(questions, documents(WHOLE), documents(TORN))
    assert [notice for notice in notices if "nothing can find it" in notice] == [
        '2 labels of 2 questions, the first of \'a\': Evidence {"source": "hr.pdf", "quote": "Leave is"} '
        "does not occur in 'hr.pdf', so nothing can find it"
    ]


def test_labels_count_once_only_when_every_reading_has_them_at_the_same_places():
    """The number of evidences is what Recall is divided by, so it must not differ between readings."""
    quotes = ["Leave is 25 days.", {"source": "hr.pdf", "quote": "Leave is 25 days."}, "25 days", "Leave is"]
    questions = [{"id": "q", "expected": quotes}]
    here, there = documents(WHOLE, faq="Nothing."), documents(TORN, faq="Leave is 25 days.")
    alone = resolved(questions, here)[0][0]["q"].evidence
    (one, _), (other, _) = resolved(questions, here, there)
    assert len(alone) == 3
    assert len(one["q"].evidence) == len(other["q"].evidence) == 4
    # Both have no place in a torn text; they are two all the same.
    torn = resolved([{"id": "q", "expected": quotes[2:]}], documents(WHOLE), documents(TORN))[1][0]["q"].evidence
    assert [each.places for each in torn] == [(), ()]


def test_a_page_that_only_one_reading_has():
    questions = [{"id": "q", "required_evidence_ids": ["hr.pdf#p2"]}]
    (two, _), (one, notices) = resolved(questions, documents("One.", "Two."), documents("One. Two."))
    assert [len(found["q"].evidence[0].places) for found in (two, one)] == [1, 0]
    said = "Evidence id 'hr.pdf#p2' is past the last page of 'hr.pdf' (1), so nothing can find it"
    assert f"Question 'q': {said} (dataset.questions[0])" in notices
    with pytest.raises(InputErrors, match=r"'hr\.pdf' has no page 3: its pages are 1 to 2"):
        resolved([{"id": "q", "required_evidence_ids": ["hr.pdf#p3"]}], documents("One.", "Two."), documents("One. Two."))


@pytest.mark.parametrize(("start", "end", "refused"), [(1, 8, True), (0, 1, False), (30, 38, True)])
def test_a_span_must_be_the_same_text_in_every_reading(start, end, refused):
    """Offsets are places in one text; in another they would silently mean something else."""
    questions = [{"id": "q", "references": [{"source": "hr.pdf", "start": start, "end": end}]}]
    readings = documents(WHOLE), documents(TORN)
    if refused:
        with pytest.raises(
            InputErrors, match=r"'hr\.pdf' is read in several ways, which differ there: write the quote, not start"
        ):
            resolved(questions, *readings)
    else:
        assert [found["q"].evidence[0].places[0].end for found, _ in resolved(questions, *readings)] == [end, end]
    assert resolved(questions, readings[1], readings[1]) if end <= len(TORN) else True


def test_a_notice_of_one_reading_is_not_of_the_other():
    questions = [{"id": "q", "required_evidence_ids": ["hr.pdf#p2"]}]
    (_, of_one), (_, of_other) = resolved(questions, documents("One.", "Two."), documents("One.", " "))
    assert [sum("has no text" in notice for notice in notices) for notices in (of_one, of_other)] == [0, 1]
