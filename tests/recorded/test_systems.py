"""Where contexts stand, what a record becomes, and what is told of it."""

import pytest
from hypothesis import given as drawn
from hypothesis import strategies as st

from ragsweep.contexts.outside import extended
from ragsweep.contexts.reading import Context
from ragsweep.errors import InputErrors
from ragsweep.recorded import Cut, Read, scored, systems
from ragsweep.recorded.rows import Row
from ragsweep.reporting.tables import tables
from ragsweep.results import Report
from ragsweep.types import Document, Evidence, Place, Question

TEXTS = {
    "a.md": "Staff have 25 days. Ask HR. It lapses in March.",
    "b.md": "Abroad: 20 days. Ask HR.",
    "c.pdf": "First page.\n\nSecond page. First page.",
}
DOCUMENTS = {id: Document(id, text, "") for id, text in TEXTS.items()}
DOCUMENTS["c.pdf"] = Document("c.pdf", TEXTS["c.pdf"], "", pages=((0, 11), (13, 37)))
QUESTIONS = [Question("q1", "How many days?", ()), Question("q2", "Who?", ()), Question("q3", "How  many DAYS?", ())]
CUT = Cut(3, 2)


def system(*rows, cut=CUT):
    (found,) = systems(Read(rows, ()), QUESTIONS, DOCUMENTS, cut)
    return found


def spans(found, id="q1"):
    record = found.records[id]
    documents = extended(found.documents, record.outside)
    return [(hit.document, documents[hit.document].text[hit.start : hit.end]) for hit in record.retrieved]


def given(*contexts, **values):
    return Row("s", "s.jsonl:1", "q1", contexts=contexts, **values)


@pytest.mark.parametrize(
    ("context", "place", "counted"),
    [
        (Context("staff  have 25\ndays."), ("a.md", "Staff have 25 days."), None),
        (Context("Ask HR."), ("a.md", "Ask HR."), "several places"),
        (Context("Ask HR.", "b.md"), ("b.md", "Ask HR."), None),
        (Context("Ask HR.", "/home/me/b.md"), ("b.md", "Ask HR."), "name a path that ends with the id"),
        (Context(None, "b.md", span=(8, 15)), ("b.md", "20 days"), None),
        (Context("20 days", "b.md", span=(8, 15)), ("b.md", "20 days"), None),
        (Context("20 days", "b.md", span=(0, 7)), ("b.md", "20 days"), "do not stand at their start"),
        (Context("First page.", "c.pdf", (2,)), ("c.pdf", "First page."), None),
        (Context("Second page.", "c.pdf", (1,)), ("c.pdf", "Second page."), "another page"),
        (Context(None, "c.pdf", (1,)), ("c.pdf", "First page."), "a page without a text"),
        (Context(None, "a.md"), ("a.md", ""), "name a file alone"),
        (Context("Read in another way.", "c.pdf", (2,)), ("c.pdf", "S"), "a page that does not have their text"),
        (Context("30 days"), ("", "30 days"), "nowhere"),
        (Context("30 days", "b.md"), ("b.md", "30 days"), "nowhere"),
        (Context("30 days", "x.md"), ("", "30 days"), "name a file that is not among these"),
        (Context("20 days", "b.md", (1,)), ("b.md", "20 days"), "in a file without pages"),
        (Context("20 days", "b.md", span=(9, 8)), ("b.md", "20 days"), "start before end"),
        (Context(None, "c.pdf", (3,)), ("c.pdf", ""), "name a file alone"),
        (Context(None, "a.md", (1,)), ("a.md", ""), "name a file alone"),
    ],
)
def test_a_context_is_where_it_says(context, place, counted):
    found = system(given(context, Context("It lapses in March.")))
    assert spans(found) == [place, ("a.md", "It lapses in March.")]
    notices = [each for each in found.notices if "contexts" in each]
    assert len(notices) == (counted is not None)
    assert counted is None or counted in notices[0]
    assert ("words" in found.unknown) == (counted == "name a file alone")


def test_the_same_words_on_the_page_that_is_named():
    (hit,) = system(given(Context("First page.", "c.pdf", (2,)))).records["q1"].retrieved
    assert (hit.start, hit.end) == (26, 37)


def test_what_is_nowhere_keeps_its_words_beside_its_source_and_the_documents_are_as_they_were():
    found = system(given(Context("one two three", "a.md"), Context("four", "a.md"), Context("five")))
    assert spans(found) == [("a.md", "one two three"), ("a.md", "four"), ("", "five")]
    assert [(hit.document, hit.start, hit.end) for hit in found.records["q1"].retrieved] == [
        ("a.md", 48, 61),
        ("a.md", 62, 66),
        ("", 1, 5),
    ]
    assert found.documents == DOCUMENTS


@pytest.mark.parametrize(
    ("values", "status", "cited"),
    [
        ({"answer": "20 days", "citations": (2,)}, "answered", (1,)),
        ({"answer": "I don't know based on the available documents."}, "abstained", ()),
        ({"answer": "20 days", "abstained": True}, "abstained", ()),
        ({"answer": "I don't know based on the available documents.", "abstained": False}, "answered", ()),
        ({"abstained": True}, "abstained", ()),
        ({"answer": " ", "abstained": False}, "empty", ()),
        ({"answer": " "}, "empty", ()),
        ({}, "empty", ()),
        ({"answer": "20 days", "error": "Timeout"}, "failed", None),
    ],
)
def test_the_status_of_an_answer(values, status, cited):
    found = system(given(Context("20 days."), Context("Ask HR."), **values), Row("s", "", "q2", answer="HR"))
    record = found.records["q1"]
    assert record.status == status
    assert (record.answer.cited if record.answer else None) == cited


def test_contexts_without_answers_are_a_search():
    found = system(given(Context("20 days.")))
    assert found.records["q1"].status == "searched"
    assert "answers" in found.unknown
    assert "citations" not in found.unknown


def test_what_no_record_tells_is_left_out_by_name():
    found = system(Row("s", "", "q1", answer="a", seconds=1.0), Row("s", "", "q2", answer="a"))
    assert found.unknown == ("chunking", "embedding", "reranking", "steps", "contexts", "citations", "seconds", "tokens")
    assert "s: seconds are given for 1 of 2 records, and left out: write them for all" in found.notices
    assert "s: 1 of 3 questions have no record and count 0: 'q3'" in found.notices


def test_a_budget_of_words_cuts_what_is_given_and_not_what_was_found():
    found = system(given(Context("Staff have 25 days."), Context("Ask HR."), Context("Abroad:")), cut=Cut(3, 3, 5))
    assert len(found.records["q1"].retrieved) == 3
    assert len(found.records["q1"].final) == 1


def test_a_file_alone_has_no_room_in_a_budget_that_the_file_does_not_fit():
    """Of no known words, any number of files would fit."""
    found = system(given(Context(None, "b.md"), Context(None, "a.md")), cut=Cut(3, 3, 8))
    assert [hit.document for hit in found.records["q1"].final] == ["b.md"]


def test_rows_of_ragas_are_matched_by_the_text_of_the_question():
    asked = [
        Row("s", f"s.csv:{line}", question=text, answer=str(line)) for line, text in enumerate(["who?", "How many days?"] * 2)
    ]
    found = system(asked[0], asked[1], asked[3])
    assert {id: record.answer.text for id, record in found.records.items() if record.answer} == {
        "q1": "1",
        "q2": "0",
        "q3": "3",
    }


def test_records_of_questions_that_a_limit_left_out_are_no_mistake():
    rows = [Row("s", "", id, answer="a") for id in ("q1", "q8", "q9")]
    (found,) = systems(Read(rows, ()), QUESTIONS, DOCUMENTS, CUT, partial=True)
    assert "s: 2 records are of questions that are not among these, and left out" in found.notices
    with pytest.raises(InputErrors, match="none of the records is of a question that was asked"):
        systems(Read(rows[1:], ()), QUESTIONS, DOCUMENTS, CUT, partial=True)


def test_labels_of_chunks_are_of_another_cut():
    asked = [Question("q1", "?", (Evidence("chunk", "a.md chunk 1", (Place("a.md", 0, 47, 1),)),))]
    (found,) = systems(Read([Row("s", "", "q1", answer="a")], ()), asked, DOCUMENTS, CUT)
    assert "s: labels of chunks mean those that ragsweep cuts, and no context matches one: label quotes" in found.notices


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        (
            [Row("s", "s.jsonl:4", "q4", answer="a")],
            "s.jsonl:4: there is no question 'q4'; there are 3: ragsweep export-questions lists them",
        ),
        (
            [Row("s", f"s.jsonl:{line}", "q1", answer="a") for line in (1, 2)],
            "s.jsonl:2: 'q1' stands there twice: s.jsonl:1 too",
        ),
        (
            [Row("s", "s.jsonl:1", "q1", answer="a")] * 2,
            "s.jsonl:1: 'q1' stands there twice: s.jsonl:1 too; both are of the system 's': rename a file, or write system",
        ),
        (
            [Row("s", "s.csv:2", question="How many day?", answer="a")],
            "no question asks 'How many day?'; did you mean 'How many days?'",
        ),
        (
            [Row("s", f"s.csv:{n}", question="Who?", answer="a") for n in (2, 3)],
            "s.csv:3: 'q2' stands there twice: s.csv:2 too",
        ),
        (
            [
                Row("s", f"{name}:{line}", id, answer="a")
                for name in ("s.csv", "s.jsonl")
                for line, id in ((1, "q1"), (2, "q2"))
            ],
            "s.jsonl:1: 'q1' and 1 more questions stand there twice: s.csv:1 too; both are of the system 's': rename a file",
        ),
    ],
)
def test_mistakes_are_told_with_those_of_the_files(rows, said):
    with pytest.raises(InputErrors) as caught:
        systems(Read(rows, ["told before"]), QUESTIONS, DOCUMENTS, CUT)
    assert caught.value.messages[0] == "told before"
    assert said in caught.value.messages[1]
    assert len(caught.value.messages) == 2


def test_a_system_that_says_nothing_is_a_mistake_and_no_consequence_of_others():
    rows = [Row("s", "s.jsonl:1", "q1", seconds=1.0)]
    for mistakes, said in (([], "s: no record has an answer or contexts"), (["told before"], "told before")):
        with pytest.raises(InputErrors) as caught:
            systems(Read(rows, mistakes), QUESTIONS, DOCUMENTS, CUT)
        assert [message.partition(":")[0] for message in caught.value.messages] == [said.partition(":")[0]]


@drawn(st.data())
def test_any_piece_of_a_document_is_found_where_it_stands_or_where_the_same_words_do(data):
    id = data.draw(st.sampled_from(sorted(TEXTS)))
    start, end = sorted((data.draw(st.integers(0, len(TEXTS[id]))), data.draw(st.integers(0, len(TEXTS[id])))))
    written = TEXTS[id][start:end]
    shouted = f"  {written.upper()} \n"
    ((document, text),) = spans(system(given(Context(shouted, id))))
    found = text.casefold().split() == written.casefold().split()
    assert document == id
    assert found or text == shouted
    if any(char.isalnum() for char in written) and not (written[0].isdigit() or written[-1].isdigit()):
        assert found


@pytest.mark.parametrize(
    ("kind", "contexts", "is_marked"),
    [
        ("quote", [Context("30 days"), Context("31 days"), Context("Ask HR.")], True),
        ("quote", [Context("30 days"), Context("Ask HR.")], False),  # half of them
        ("quote", [Context("Read otherwise.", "c.pdf", (1,))], True),
        ("page", [Context("Read otherwise.", "c.pdf", (1,))], False),  # the page is all that is asked for
        ("page", [Context("Read otherwise.", "c.pdf")], True),
        ("file", [Context("Read otherwise.", "c.pdf")], False),
        ("file", [Context("Read otherwise.")], True),
    ],
)
def test_a_system_of_which_most_contexts_are_nowhere_is_marked(kind, contexts, is_marked):
    """It looks worse than it is, and its scores alone do not tell so."""
    question = Question("q1", "How many days?", (Evidence(kind, "a label", (Place("c.pdf", 0, 11),)),))
    (found,) = systems(Read([given(*contexts)], ()), [question], DOCUMENTS, CUT)
    assert ("places" in found.unknown) == is_marked
    (table,) = tables(Report("sample", 1, 1, {}, {}, [scored(found, [question], {}, "union", ())[0]]))
    assert any("do not compare" in line for line in table.below) == is_marked
