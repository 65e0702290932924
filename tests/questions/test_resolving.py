"""What is said of many labels is said once."""

from dataclasses import replace

import pytest

from ragsweep.errors import InputErrors
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


@pytest.mark.parametrize(
    ("quote", "texts", "places"),
    [
        ("1-800-555", ["at 1-800-555 now", "ring 1-\n800-555 now"], [("0", 3, 12), ("1", 5, 15)]),
        ("state-of-the-art", ["a state-of-the-art", "a state-of-\nthe-art"], [("0", 2, 18), ("1", 2, 19)]),
        ("年休二十日", ["年休二十日。", "年休\n二十日。"], [("0", 0, 5), ("1", 0, 6)]),
        ("re-sign it", ["re-sign it", "resign it"], [("0", 0, 10)]),  # no end of a line stands there: another word
    ],
)
def test_a_place_that_the_end_of_a_line_changed_counts_beside_those_that_it_did_not(quote, texts, places):
    documents = {str(place): Document(str(place), text, "") for place, text in enumerate(texts)}
    ((question,), _) = resolve(load([{"id": "q", "question": "q?", "expected": [quote]}]), documents)[0]
    assert [(each.document, each.start, each.end) for each in question.evidence[0].places] == places


@pytest.mark.parametrize(
    "label",
    [
        "Perks Plus.pdf p3",
        "Perks Plus.pdf p. 3",
        "Perks Plus.pdf, page 3",
        "Perks Plus.pdf:3",
        "Perks Plus.pdf (Page 3)",
        "Perks Plus.pdf 3",
    ],
)
def test_a_page_as_a_person_says_it_is_shown_as_it_is_written(label):
    """Only where the rest names a document: a file of such a name, and a name that is none, are what they are."""
    asked = load([{"id": "q", "question": "q?", "required_evidence_ids": [label]}])
    paged = Document("Perks Plus.pdf", "One. Two. Three.", "", pages=((0, 4), (5, 9), (10, 16)))
    with pytest.raises(InputErrors, match=r"write the page as 'Perks Plus\.pdf#p3' "):
        resolve(asked, {paged.id: paged})
    with pytest.raises(InputErrors, match=r"write 'Perks Plus\.pdf': it has no pages "):
        resolve(asked, {paged.id: replace(paged, pages=())})
    with pytest.raises(InputErrors, match="no document has this name"):
        resolve(asked, {"other.pdf": replace(paged, id="other.pdf")})
    [(questions, _)] = resolve(asked, {paged.id: paged, label: replace(paged, id=label)})
    assert [evidence.label for evidence in questions[0].evidence] == [label]


def test_files_beside_references_are_one_notice_for_all_questions():
    documents = {name: Document(name, "Hello world", "") for name in ("a.md", "b.md")}
    span = {"start": 0, "end": 5}
    asked = [
        {"id": f"q_{name}", "question": name, "required_evidence_ids": [name], "references": [{"source": name, **span}]}
        for name in documents
    ]
    [(_, notices)] = resolve(load(asked), documents)
    assert [notice for notice in notices if "references" in notice] == [
        "2 labels of 2 questions, the first of 'q_a.md': Evidence id 'a.md' does not count beside references to that file"
    ]
