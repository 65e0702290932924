"""Examples of questions are right for any documents, and made of sentences that read like prose where there are some."""

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from ragsweep.questions import examples, load, resolve
from ragsweep.types import Block, Document

PROSE = "Up to five unused days move into the next year."
TEXTS = st.text(st.sampled_from("ab 5.\n-é。年\u00ad|#"), max_size=60).filter(str.strip)


def made(*texts, **fields):
    documents = {f"{place}.md": Document(f"{place}.md", text, "", **fields) for place, text in enumerate(texts)}
    [(questions, _)] = resolve(load(examples(documents)), documents)
    return questions, [[item.label for item in question.evidence] for question in questions]


@settings(deadline=None)
@given(st.lists(TEXTS, min_size=1, max_size=3))
@example(["\u00ad"])
@example(["word " * 200])
@example(["a-\nb c"])
@example(["5"])
@example(["| a | b |\n|---|---|\n| 1 | 2 |"])
def test_they_are_right_for_any_texts(texts):
    questions, _ = made(*texts)
    assert [len(question.evidence) for question in questions] in ([1, 2, 0], [1, 0])
    assert [question.answerable for question in questions][-1] is False


def test_prose_comes_before_headings_lists_tables_and_short_lines():
    table = "a. " * 20
    others = "# A heading of a document that is rather long and ends.\n\nShort one.\n\n- a list\n- of things that go on and on."
    assert made(f"{others}\n\n{PROSE}")[1][0] == [f"0.md: {PROSE}"]
    assert made(f"{table}\n\n{PROSE}", blocks=(Block("table", 0, len(table)),))[1][0] == [f"0.md: {PROSE}"]


def test_two_pieces_are_of_two_documents_where_there_are_two():
    second = "They lapse on the last day of March in any case."
    assert made(f"{PROSE} {second}")[1][:2] == [[f"0.md: {PROSE}"], [f"0.md: {PROSE}", f"0.md: {second}"]]
    assert made(PROSE, second)[1][:2] == [[f"0.md: {PROSE}"], [f"0.md: {PROSE}", f"1.md: {second}"]]


@pytest.mark.parametrize(("text", "place"), [(f"{PROSE}\n\nTwo.", " (0.md page 1)"), (f"One.\n\n{PROSE}", " (0.md page 2)")])
def test_pages_are_named(text, place):
    cut = text.index("\n\n")
    document = Document("0.md", text, "", pages=((0, cut), (cut + 2, len(text))))
    assert place in examples({"0.md": document})[0]["example_of_ragsweep_init"]


def test_a_sentence_that_stands_twice_is_no_example():
    other = "Staff may work abroad within the Union for twenty days."
    assert made(f"{PROSE}\n\n{PROSE}\n\n{other}")[1][0] == [f"0.md: {other}"]


def test_what_several_documents_say_is_asked_for_only_where_there_is_nothing_else():
    licence, other = (
        "All of this text was written by nobody in particular.",
        "Staff may work abroad within the Union for twenty days.",
    )
    assert made(f"{licence} {PROSE}", f"{licence} {other}")[1][:2] == [
        [f"0.md: {PROSE}"],
        [f"1.md: {other}", f"0.md: {licence}"],
    ]
    assert made(licence, licence)[1][0] == [f"0.md: {licence}"]
