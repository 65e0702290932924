"""What questions mean: kinds of evidence, how quotes are compared, and what is checked before any work."""

import unicodedata

import pytest

from ragsweep.errors import InputErrors
from ragsweep.questions import few_questions, load, resolve
from ragsweep.types import Document, Place


def document(id, text, page_count=0):
    """A document; with pages its text is repeated on each, joined as PDF pages are."""
    size = len(text) + 2
    pages = tuple((size * page, size * page + len(text)) for page in range(page_count))
    return Document(id, "\n\n".join([text] * max(page_count, 1)), sha256=id, pages=pages)


DOCUMENTS = {
    item.id: item
    for item in [
        document("hr.pdf", "Leave is 25 days.", page_count=6),
        document("refunds.md", "Refunds are processed within 5\n  business days. Ask the oﬃce, or Müller & Co."),
        document("a/readme.md", "The gateway timed out after 110 days."),
        document("b/readme.md", "Payments: repay in March."),
        document("year #2.md", "A name with a number sign."),
        document("long.pdf", "Words.", page_count=21),
    ]
}


def resolved(documents=DOCUMENTS, **values):
    """The question with these values and the notices about it, without the one about few questions."""
    [((question,), notices)] = resolve(load([{"id": "q_007", "question": "What?", **values}]), documents)
    return question, [notice for notice in notices if "one question is worth" not in notice]


def mistakes(documents=DOCUMENTS, **values):
    """Every mistake in the question with these values, without its beginning and its place."""
    with pytest.raises(InputErrors) as caught:
        resolved(documents, **values)
    start, end = "Question 'q_007': ", " (dataset.questions[0])"
    assert all(message.startswith(start) and message.endswith(end) for message in caught.value.messages)
    return [message[len(start) : -len(end)] for message in caught.value.messages]


def whole(id):
    return Place(id, 0, len(DOCUMENTS[id].text))


def passages(evidence, documents=DOCUMENTS):
    return [documents[place.document].text[place.start : place.end] for place in evidence.places]


# ---- kinds of evidence ---------------------------------------------------------------------------------------------------


KINDS = [
    ("hr.pdf", "file", "hr.pdf", whole("hr.pdf")),
    ({"source": "hr.pdf"}, "file", "hr.pdf", whole("hr.pdf")),
    ("hr.pdf#p4", "page", "hr.pdf#p4", Place("hr.pdf", 57, 74)),
    ("hr.pdf#p04", "page", "hr.pdf#p4", Place("hr.pdf", 57, 74)),
    ({"source": "hr.pdf", "page": 4}, "page", "hr.pdf#p4", Place("hr.pdf", 57, 74)),
    ({"source": "refunds.md", "chunk": 2}, "chunk", "refunds.md chunk 2", Place("refunds.md", 0, 77, chunk=2)),
    ({"source": "hr.pdf", "start": 9, "end": 16}, "span", "hr.pdf[9:16]", Place("hr.pdf", 9, 16)),
    ({"source": "refunds.md", "quote": "Ask the"}, "quote", "refunds.md: Ask the", Place("refunds.md", 48, 55)),
    ({"quote": "Ask  the"}, "quote", "Ask the", Place("refunds.md", 48, 55)),
    ("a/readme.md", "file", "a/readme.md", whole("a/readme.md")),
    ("a\\readme.md", "file", "a/readme.md", whole("a/readme.md")),
    ("./a/readme.md", "file", "a/readme.md", whole("a/readme.md")),
    ("year #2.md", "file", "year #2.md", whole("year #2.md")),
]


@pytest.mark.parametrize(
    ("key", "item", "kind", "label", "place"),
    [("required_evidence_ids", *row) for row in KINDS] + [("expected", *row) for row in KINDS if not isinstance(row[0], str)],
)
def test_kinds_of_evidence_in_either_list(key, item, kind, label, place):
    question, _ = resolved(**{key: [item]})
    (evidence,) = question.evidence
    assert (evidence.kind, evidence.label, evidence.places) == (kind, label, (place,))


def test_a_bare_name_that_is_unique_is_enough():
    documents = {"a/b/leave.md": document("a/b/leave.md", "Leave.")}
    for label in ("leave.md", "a/b/leave.md"):
        assert resolved(documents, required_evidence_ids=[label])[0].evidence[0].label == "a/b/leave.md"


def test_names_are_compared_in_nfc():
    composed, decomposed = (unicodedata.normalize(form, "café.md") for form in ("NFC", "NFD"))
    documents = {composed: document(composed, "Coffee.")}
    assert resolved(documents, required_evidence_ids=[decomposed])[0].evidence[0].label == composed


def test_a_label_equal_to_a_document_id_is_that_document_before_the_number_sign_is_read():
    documents = {id: document(id, "Text.", page_count=4) for id in ("hr.pdf", "hr.pdf#p4")}
    assert resolved(documents, required_evidence_ids=["hr.pdf#p4"])[0].evidence[0].kind == "file"
    assert resolved(documents, required_evidence_ids=["hr.pdf#p3"])[0].evidence[0].label == "hr.pdf#p3"


def test_both_lists_and_references_count_in_the_order_written():
    question, notices = resolved(
        references=[{"source": "hr.pdf", "start": 0, "end": 5}],
        expected=["Ask the"],
        required_evidence_ids=["hr.pdf", "hr.pdf#p2", "refunds.md"],
    )
    assert [evidence.label for evidence in question.evidence] == ["hr.pdf#p2", "refunds.md", "Ask the", "hr.pdf[0:5]"]
    assert notices == [
        "Question 'q_007': Evidence id 'hr.pdf' does not count beside references to that file (dataset.questions[0])"
    ]


def test_an_unanswerable_question_needs_no_evidence_and_has_none():
    assert resolved(answerable=False, required_evidence_ids=[]) == resolved(answerable=False)
    question, notices = resolved(answerable=False, required_evidence_ids=["hr.pdf"])
    assert (question.answerable, question.evidence) == (False, ())
    assert "its evidence does not count" in notices[0]
    assert mistakes(answerable=False, required_evidence_ids=["no.pdf"])


# ---- quotes --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("quote", "text", "found"),
    [
        ("office", "Ask the oﬃce.", ["oﬃce"]),
        ("5 business days", "within 5\n  business days.", ["5\n  business days"]),
        ("report", "The re\u200bport.", ["re\u200bport"]),
        ("well-known", "A well-\nknown wellknown well-known man.", ["well-\nknown", "well-known"]),
        ("well-known", "A well-\nknown man.", ["well-\nknown"]),
        ("年休二十日", "年休\n二十日。", ["年休\n二十日"]),
        ("年休二十日", "年休\n二十日，年休二十日。", ["年休\n二十日", "年休二十日"]),
        ("café", "A cafe\u0301.", ["cafe\u0301"]),
        ("ends here and goes on", "It ends here\n\nand goes on.", ["ends here\n\nand goes on"]),
        ("hello world", "hello  world", ["hello  world"]),
        ("HELLO", "Hello hello", ["Hello", "hello"]),
        ('it\'s "so" - now', "It’s “so” – now", ["It’s “so” – now"]),
        ("payment", "The pay\u00adment and the pay-\nment.", ["pay\u00adment", "pay-\nment"]),
        ("straße", "STRASSE", ["STRASSE"]),
        ("10 days", "110 days; 10 days", ["10 days"]),
        ("pay", "repay and pay", ["pay"]),
        ("二十日", "年休二十日。", ["二十日"]),
        ("aba", "aba aba", ["aba", "aba"]),
        ("-a-", "-a-a-", ["-a-", "-a-"]),
    ],
)
def test_quotes_are_compared_on_a_normal_copy(quote, text, found):
    documents = {"t.md": document("t.md", text)}
    question, notices = resolved(documents, expected=[quote])
    assert passages(question.evidence[0], documents) == found
    assert notices == []


def test_a_quote_inside_longer_words_only_is_taken_with_a_notice():
    question, notices = resolved(expected=["ayment"])
    assert passages(question.evidence[0]) == ["ayment"]
    assert "Quote 'ayment' stands only inside longer words" in notices[0]


def test_whole_words_in_one_document_outdo_parts_of_words_in_another():
    documents = {"a.md": document("a.md", "repays"), "b.md": document("b.md", "pay")}
    assert [place.document for place in resolved(documents, expected=["pay"])[0].evidence[0].places] == ["b.md"]


def test_a_quote_without_a_source_has_a_place_in_every_document_and_with_one_only_there():
    documents = {id: document(id, "Same text.") for id in ("a.md", "b.md")}
    anywhere, there = resolved(documents, expected=["same text", {"source": "b.md", "quote": "same text"}])[0].evidence
    assert [place.document for place in anywhere.places] == ["a.md", "b.md"]
    assert [place.document for place in there.places] == ["b.md"]


# ---- checked before any work ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("label", "message"),
    [
        ("hr.pdf#4", "write the page as '#p4'"),
        ("hr.pdf#page=4", "write the page as '#p4'"),
        ("hr.pdf#P4", "write the page as '#p4'"),
        ("hr.pdf#p4-6", "write one label a page: '#p4', ..."),
        ("hr.pdf#p0", "'hr.pdf' has no page 0: its pages are 1 to 6"),
        ("hr.pdf#p7", "'hr.pdf' has no page 7: its pages are 1 to 6"),
        ("refunds.md#p1", "'refunds.md' has no pages: write 'refunds.md'"),
        ("HR.pdf", "upper and lower case count: write 'hr.pdf'"),
        ("HR.pdf#p4", "upper and lower case count: write 'hr.pdf'"),
        ("A/Readme.md", "upper and lower case count: write 'a/readme.md'"),
        ("readme.md", "2 files have this name: write 'a/readme.md' or 'b/readme.md'"),
        ("refund.md", "no document has this name; did you mean 'refunds.md' or 'a/readme.md'?"),
        ("documents/hr.pdf", "no document has this name; did you mean 'hr.pdf'?"),
        (
            "zzz",
            "no document has this name; there are 6: a/readme.md, b/readme.md, hr.pdf, long.pdf, refunds.md, year #2.md",
        ),
    ],
)
def test_labels_that_name_nothing(label, message):
    assert mistakes(required_evidence_ids=[label]) == [f"Evidence id {label!r}: {message}"]


@pytest.mark.parametrize(
    ("item", "message"),
    [
        ({"source": "hr.pdf", "page": 7}, "'hr.pdf' has no page 7: its pages are 1 to 6"),
        ({"source": "refunds.md", "page": 1}, "'refunds.md' has no pages: write 'refunds.md'"),
        ({"source": "refunds"}, "did you mean 'refunds.md'?"),
        ({"source": "refunds.md", "start": 70, "end": 78}, "'refunds.md' has 77 characters: the span ends behind them"),
        ({"source": "refunds.md", "start": 31, "end": 33}, "the span holds white space only"),
        ("\u00ad", "it holds no character that can be found"),
        ("hr.pdf", 'it is the name of a file: write {"source": "hr.pdf"}'),
        ("hr.pdf#p4", 'it is the name of a file: write {"source": "hr.pdf", "page": 4}'),
        (
            "refunds are procesed within 5 business days",
            '; the nearest passage is {"source": "refunds.md", "quote": "Refunds are processed within 5 business days."}',
        ),
        (
            {"source": "hr.pdf", "quote": "Leave is 20 days."},
            "it does not occur in 'hr.pdf'; the nearest passage is "
            '{"source": "hr.pdf", "quote": "Leave is 25 days."} (page 1)',
        ),
    ],
)
def test_objects_and_quotes_that_name_nothing(item, message):
    (mistake,) = mistakes(expected=[item])
    assert mistake.endswith(message)


def test_digits_at_an_end_do_not_touch_others():
    (mistake,) = mistakes(expected=["10 days"])
    assert mistake.startswith("Quote '10 days': it does not occur in any of 6 documents; the nearest passage is")


def test_every_mistake_is_listed_in_the_form_with_its_place():
    questions = [
        {"id": "q_1", "question": "What?", "required_evidence_ids": ["hr.pdf#4", "no.pdf"]},
        {"id": "q_2", "question": "What?", "expected": ["occurs nowhere"]},
    ]
    with pytest.raises(InputErrors) as caught:
        resolve(load(questions), DOCUMENTS)
    assert isinstance(caught.value, ValueError)
    assert len(caught.value.messages) == 3
    assert caught.value.messages[0] == (
        "Question 'q_1': Evidence id 'hr.pdf#4': write the page as '#p4' (dataset.questions[0], required_evidence_ids[0])"
    )
    assert caught.value.messages[2].endswith("(dataset.questions[1])"), "an only label needs no number"


# ---- notices -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("labels", "count"),
    [
        (["hr.pdf", "hr.pdf"], 1),
        (["hr.pdf", {"source": "hr.pdf"}], 1),
        (["hr.pdf#p4", "hr.pdf#p04", {"source": "hr.pdf", "page": 4}], 1),
        ([{"quote": "Ask the"}, {"quote": "ask\nTHE"}, {"source": "refunds.md", "quote": "Ask the"}], 1),
        (["hr.pdf#p4", "hr.pdf#p5"], 2),
    ],
)
def test_equal_labels_are_one_with_a_notice(labels, count):
    question, notices = resolved(required_evidence_ids=labels)
    assert len(question.evidence) == count
    assert len([notice for notice in notices if "counts once" in notice]) == len(labels) - count


def test_a_file_beside_its_page_counts_as_two_with_a_notice():
    question, notices = resolved(required_evidence_ids=["hr.pdf", "hr.pdf#p4"])
    assert len(question.evidence) == 2
    assert notices == ["Question 'q_007': 'hr.pdf' beside 'hr.pdf#p4' counts as two (dataset.questions[0])"]


def test_file_labels_on_pdfs_of_over_20_pages_have_a_notice():
    assert resolved(required_evidence_ids=["long.pdf"])[1] == [
        "'long.pdf' has 21 pages and is named whole once: label pages ('long.pdf#p4')"
    ]
    assert resolved({"l.pdf": document("l.pdf", "Words.", page_count=20)}, required_evidence_ids=["l.pdf"])[1] == []


def test_a_page_without_text_has_a_notice():
    documents = {"a.pdf": Document("a.pdf", "one\n\n", "", pages=((0, 3), (5, 5)))}
    assert "has no text, so nothing can find it" in resolved(documents, required_evidence_ids=["a.pdf#p2"])[1][0]


def test_chunk_labels_have_a_notice():
    assert "changes its meaning with the chunker" in resolved(expected=[{"source": "hr.pdf", "chunk": 2}])[1][0]


@pytest.mark.parametrize(
    ("count", "unanswerable", "worth"), [(6, 1, "0.200"), (29, 0, "0.034"), (30, 0, None), (30, 20, None), (2, 2, None)]
)
def test_fewer_than_30_questions_have_a_notice(count, unanswerable, worth):
    questions = [
        {"id": f"q_{number}", "question": "What?", "required_evidence_ids": ["hr.pdf"], "answerable": number >= unanswerable}
        for number in range(count)
    ]
    expected = f"{count} questions ({count - unanswerable} answerable): one question is worth {worth} of Recall"
    assert few_questions(resolve(load(questions), DOCUMENTS)[0][0]) == (expected if worth else None)


def test_a_notice_for_many_questions_is_said_once():
    questions = [
        {"id": f"q_{number}", "question": "What?", "required_evidence_ids": ["hr.pdf", "hr.pdf#p1"]} for number in range(40)
    ]
    assert resolve(load(questions), DOCUMENTS)[0][1] == [
        "40 questions ('q_0' and others): 'hr.pdf' beside 'hr.pdf#p1' counts as two"
    ]
