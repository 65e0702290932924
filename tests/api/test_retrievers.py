"""Retrievers of others: scored as ours are, told what cannot be used, and never flattered by what they do not tell."""

from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from ragsweep import RAG, compare_retrievers, evaluate_retriever, format_report
from ragsweep.api.hits import ByDocuments, ByLabels, told
from ragsweep.contexts.reading import Context
from ragsweep.errors import InputError, InputErrors
from ragsweep.evaluation.ranked import ranker
from ragsweep.questions import load, resolve
from ragsweep.types import Document, Question

METRICS = ("recall", "mrr", "ndcg", "hit", "all", "precision")


@dataclass
class Fixed:
    """Gives the same hits whatever is asked; what is an exception is raised."""

    hits: object

    def search(self, question, k):
        if isinstance(self.hits, Exception):
            raise self.hits
        return self.hits


@dataclass
class Telling:
    """Our own search, telling only some of what it knows."""

    rag: RAG
    keys: tuple[str, ...]

    def search(self, question, k):
        return [{key: hit[key] for key in self.keys} for hit in self.rag.search(question, k)]


@pytest.mark.parametrize("keys", [("source", "start", "end"), ("source", "text"), ("text",)], ids=" ".join)
def test_our_own_index_behind_a_wrapper_gives_the_retrieval_report(rag, questions, documents, keys):
    ours = rag.evaluate_retrieval(questions, top_k=3)
    theirs = evaluate_retriever(Telling(rag, keys), questions, 3, files=documents)
    assert [theirs[key] for key in METRICS] == [ours[key] for key in METRICS]
    assert theirs["words"] == ours["words"]
    assert [row["missed"] for row in theirs["rows"]] == [row["missed"] for row in ours["rows"]]
    assert theirs["name"] == "Telling"


QUESTIONS = [
    {"id": "file", "question": "1", "required_evidence_ids": ["a.md"]},
    {"id": "quote", "question": "2", "expected": ["Days lapse  in MARCH."]},
    {
        "id": "both",
        "question": "3",
        "expected": [{"source": "a.md", "quote": "25 days"}, {"source": "b.md", "quote": "office day"}],
    },
    {
        "id": "span",
        "question": "4",
        "required_evidence_ids": ["b.md"],
        "references": [{"source": "b.md", "start": 0, "end": 7}],
    },
    {"id": "none", "question": "5", "answerable": False},
]
TEXTS = {"a.md": "Staff have 25 days.\n\nUnused days lapse in\nMarch.", "b.md": "Tuesday is the office day."}


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    for name, text in TEXTS.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


A, MARCH, B = (
    {"source": "a.md", "text": "Staff have 25 days."},
    {"source": "a.md", "text": "Unused days lapse in March."},
    {"source": "b.md"},
)
WHOLE_B = {"source": "b.md", "text": TEXTS["b.md"], "start": 0, "end": 26}


@pytest.mark.parametrize("with_files", [True, False])
@pytest.mark.parametrize(
    ("hits", "recalls"),
    [
        ([], [0, 0, 0, 0]),
        ([A, MARCH, WHOLE_B], [1, 1, 1, 1]),
        ([A, A, A], [1, 0, 0.5, 0]),
        ([{"source": "/srv/docs/a.md"}], [1, 0, 0, 0]),
        ([SimpleNamespace(**A, score=np.float32(0.5))], [1, 0, 0.5, 0]),
        ([B, B, B, A], [0, 0, 0, 0]),  # of four hits three count
        ([{"source": "b.md", "start": 0, "end": 6}], [0, 0, 0, 0]),  # all but the last character of the span
        ([{"source": "other.md", "text": "Staff have 25 days."}], [0, 0, 0, 0]),
        (({"source": name} for name in ()), [0, 0, 0, 0]),
    ],
)
def test_evidence_is_found_by_what_a_hit_tells(docs, hits, recalls, with_files):
    result = evaluate_retriever(Fixed(hits), QUESTIONS, 3, files=docs if with_files else None)
    assert [row["recall"] for row in result["rows"]] == [*recalls, None]


def test_several_hits_cover_a_quote_together_where_the_documents_are_known(docs):
    halves = [{"source": "a.md", "start": 21, "end": 32}, {"source": "a.md", "start": 32, "end": 48}]
    asked = [QUESTIONS[1]]
    assert evaluate_retriever(Fixed(halves), asked, 2, files=docs)["mrr"] == 0.5
    assert evaluate_retriever(Fixed(halves), asked, 2, files=docs, settings={"evidence_match": "single"})["recall"] == 0
    texts = [{"text": TEXTS["a.md"][hit["start"] : hit["end"]]} for hit in halves]
    assert evaluate_retriever(Fixed(texts), asked, 2)["recall"] == 0


def test_a_span_of_another_text_is_not_believed(docs):
    moved = {"source": "a.md", "text": "Unused days lapse in March.", "start": 0, "end": 19}
    result = evaluate_retriever(Fixed([moved]), QUESTIONS[:3], 3, files=docs)
    assert [row["recall"] for row in result["rows"]] == [1, 1, 0]


def test_a_text_that_stands_at_several_places_is_taken_for_the_first_and_counted(docs):
    (docs / "a.md").write_text("Ask HR.\n\n25 days.\n\nAsk HR.\n\nMarch.", encoding="utf-8")
    asked = [{"id": "q", "question": "?", "references": [{"source": "a.md", "start": 0, "end": 7}]}]
    told_only, placed = {"source": "a.md", "text": "Ask HR."}, {"source": "a.md", "text": "Ask HR.", "start": 19, "end": 26}
    text, place = compare_retrievers({"text": Fixed([told_only]), "place": Fixed([placed])}, asked, files=docs)
    assert (text["recall"], place["recall"]) == (1, 0)
    assert [said for said in text["notices"] if "hits" in said] == [
        "text: hits with a text that stands at several places, of which the first counts (tell start and end): 1"
    ]


def test_what_is_not_told_or_is_nowhere_is_counted(docs):
    hits = [B, {"source": "a.md", "text": "in no document"}, {"source": "c.md", "text": "Staff have 25 days."}]
    (result,) = compare_retrievers({"mine": Fixed(hits)}, QUESTIONS, 3, files=docs)
    assert result["notices"][-2:] == [
        "mine: hits of files that are not among these, which find nothing: 5",
        "mine: hits that find the label of their file at most, as no text, span or page of theirs is in the documents: 8",
    ]
    (blind,) = compare_retrievers({"mine": Fixed([B])}, QUESTIONS, 3)
    assert [said for said in blind["notices"] if said.startswith("mine")] == [
        "mine: hits without text, by which evidence is labelled, which cannot find it (tell it, or give files=): 2",
        "mine: hits without start and end, by which evidence is labelled, which cannot find it (tell it, or give files=): 1",
    ]
    assert "note: mine: hits without text" in format_report(blind)


def test_every_hit_that_is_not_simply_where_it_tells_is_counted():
    texts = {
        id: Document(id, "First page. Text", "", pages=((0, 6), (6, 12), (12, 16))) for id in ("hr.pdf", "a/x.md", "b/x.md")
    }
    hits = [
        Context("made up", "hr.pdf", (2,)),
        Context("First", "hr.pdf", (3,)),
        Context("First", "hr.pdf", span=(3, 9)),
        Context(None, "x.md"),
    ]
    placed = ByDocuments([Question("q", "?", ())], texts)
    placed.place(0, hits)
    said = ["labels of page and file only", "on another page", "looked for by their text", "a name that several have"]
    assert [sum(each in why for each in said) * number for why, number in placed.counts.items()] == [1] * len(said)


PAGES = ((0, 15), (17, 33), (35, 50))
PAGED = [
    {"id": "page", "question": "1", "required_evidence_ids": ["hr.pdf#p2"]},
    {"id": "quote", "question": "2", "expected": [{"source": "hr.pdf", "quote": "second page"}]},
    {"id": "third", "question": "3", "expected": [{"source": "hr.pdf", "page": 3}]},
]


@pytest.mark.parametrize(
    ("hit", "with_files", "without"),
    [
        ({"page_numbers": [2]}, [1, 1, 0], [1, 0, 0]),  # a whole page; without its text nobody knows what stands there
        ({"page": 2}, [1, 1, 0], [1, 0, 0]),
        ({"page_numbers": {3, 2}}, [1, 1, 1], [1, 0, 1]),
        ({"page_numbers": [1, 3]}, [0, 0, 0], [0, 0, 1]),  # no passage of the text: page 2 lies between
        ({"page_numbers": [2], "text": "read in another way"}, [1, 0, 0], [1, 0, 0]),
        ({"page_numbers": [2, 3], "text": "read in another way"}, [1, 0, 1], [1, 0, 1]),
        ({"page_numbers": [9]}, [0, 0, 0], [0, 0, 0]),
        ({"text": "the second page"}, [1, 1, 0], [0, 1, 0]),
    ],
    ids=str,
)
def test_pages(hit, with_files, without):
    documents = {"hr.pdf": Document("hr.pdf", "The first page.\n\nThe second page.\n\nThe third page.", "", PAGES)}
    loaded = load(PAGED)
    ((questions, _),) = resolve(loaded, documents)
    given = told([{"source": "hr.pdf", **hit}], "here")
    for asked, recalls in ((ByDocuments(questions, documents), with_files), (ByLabels(loaded.drafts), without)):
        placed = [asked.place(number, given) for number in range(len(PAGED))]
        assert [ranker(question, of, "union")(hits).finds for question, of, hits in placed] == [
            [bool(each)] for each in recalls
        ]


def test_a_search_that_raises_is_a_failed_question(docs):
    class Flaky:
        def search(self, question, k):
            if question == "1":
                raise TimeoutError("no answer from sk-abcdefghijklmnopqrstuvwxyz")
            return [WHOLE_B, A]

    result = evaluate_retriever(Flaky(), QUESTIONS, files=docs)
    first, *others = result["rows"]
    assert (first["status"], first["recall"], first["sources"]) == ("failed", 0, [])
    assert first["error"].startswith("TimeoutError: no answer")
    assert (result["status"], result["n_ok"], result["n"]) == ("partial", 4, 5)
    assert result["recall"] == (0 + 0 + 1 + 1) / 4
    assert [row["status"] for row in others] == ["searched"] * 4
    assert (result["tokens"], result["cost"]) == (None, None)  # nobody told: no search is free

    class Lazy:
        @property
        def source(self):
            raise ConnectionError("gone")

    assert evaluate_retriever(Fixed([Lazy()]), QUESTIONS, files=docs)["rows"][0]["error"] == "ConnectionError: gone"
    none = evaluate_retriever(Fixed(KeyError("x")), QUESTIONS, files=docs)
    assert (none["recall"], none["status"], none["p95_ms"]) == (None, "failed", None)


def test_words_that_nobody_told_are_not_few(docs):
    """A retriever that names files alone would be the leanest of all."""
    file = {"source": "a.md"}
    for more, known in (({}, False), ({"start": 0, "end": 3}, True), ({"text": "stands nowhere"}, True)):
        result = evaluate_retriever(Fixed([{**file, **more}]), QUESTIONS, files=docs)
        assert (result["words"] is not None) == known
        assert (result["stages"]["context"]["context_precision"] is not None) == known


def test_no_retriever_wins_by_failing_or_by_giving_more_than_was_asked_for():
    """Means over what ran would pick the first, uncut lists the second, counting copies the third."""
    names = ["a.md", "b.md", "c.md", "d.md"]
    asked = [{"id": name, "question": name, "required_evidence_ids": [name, "e.md"]} for name in names]

    def raising(name):
        raise TimeoutError(name)

    def hits(*found):
        return [{"source": name} for name in found]

    def searching(search):
        return SimpleNamespace(search=lambda question, k: search(question))

    flaky = searching(lambda name: raising(name) if name in names[2:] else hits(name, "e.md"))
    deep = searching(lambda name: hits("x", "y", "z", name, "e.md"))
    copies = searching(lambda name: hits("e.md", "e.md", "e.md"))
    steady = searching(lambda name: hits("x", name, "e.md") if name != "d.md" else hits(name))
    results = compare_retrievers({"flaky": flaky, "deep": deep, "copies": copies, "steady": steady}, asked, 3)
    assert {each["name"]: each["recall"] for each in results} == {"flaky": 0.5, "deep": 0, "copies": 0.5, "steady": 0.875}
    assert max(results, key=lambda each: each["ndcg"])["name"] == "steady"


@pytest.mark.parametrize(
    ("hits", "said"),
    [
        ([A, {**A, "score": float("nan")}], ["hit 2: score=nan: write a finite number"]),
        ([{**A, "score": "0.5"}], ["hit 1: score='0.5': write a finite number"]),
        ([{**A, "page_numbers": 4}], ["hit 1: page_numbers=4: write a list of whole numbers; the first page is 1"]),
        ([{**A, "page_numbers": [0]}, {**A, "page_numbers": ["4"]}], ["page_numbers=[0]: ", "page_numbers=['4']: "]),
        ([{**A, "start": 5}], ["hit 1: start=5 and end=None: write both, start before end"]),
        ([{**A, "start": 5, "end": 5}], ["start=5 and end=5: write both, start before end"]),
        ([{**A, "start": -1, "end": 2.5}], ["start=-1: write a whole number of 0", "end=2.5: write a whole number of 1"]),
        ([{**A, "chunk": True}], ["hit 1: chunk=True: write a whole number"]),
        ([{"source": 5}], ["hit 1: source=5: write the name of a file"]),
        ([{"source": "a.md", "text": b"bytes"}], ["hit 1: text=b'bytes': write a text"]),
        (["a.md"], ["hit 1: 'a.md' has neither source nor text: give mappings or objects with source, text, page_numbers"]),
        (None, ["search gave NoneType: write a list of hits, best first"]),
        ({"hits": []}, ["search gave dict: write a list of hits, best first"]),
        ("a.md", ["search gave str: write a list of hits, best first"]),
    ],
)
def test_hits_of_which_nothing_can_be_made_are_named(docs, hits, said):
    for files in (docs, None):
        with pytest.raises((InputError, InputErrors)) as caught:
            compare_retrievers({"mine": Fixed(hits)}, QUESTIONS, files=files)
        messages = str(caught.value).splitlines()
        assert len(messages) == len(said)
        assert all(
            line.startswith("retriever 'mine', question 'file'") and part in line
            for line, part in zip(messages, said, strict=True)
        )


def test_mistakes_of_the_call_are_said_together(docs):
    with pytest.raises(InputErrors) as caught:
        compare_retrievers({"mine": object()}, [{"id": "q"}], 0, files=docs, settings={"top_n": 3, "pdf": "pypdf"})
    messages = "\n".join(caught.value.messages)
    for part in (
        "top_n: a retriever of your own has no such setting",
        "top_k=0: write a whole number of 1 or more",
        "retriever 'mine': object has no search(question, k)",
        "Question 'q': question is missing",
    ):
        assert part in messages
    with pytest.raises(InputErrors) as caught:
        compare_retrievers({1: Fixed([]), " ": Fixed([]), "mine": Fixed}, QUESTIONS)
    assert list(caught.value.messages) == [
        "retriever 1: write its name as a text, as in {'mine': retriever}",
        "retriever ' ': write its name as a text, as in {'mine': retriever}",
        "retriever 'mine': Fixed is a class: write an object of it, Fixed(...)",
    ]
    with pytest.raises(InputErrors, match="retrievers: list gives no names"):
        compare_retrievers([Fixed([])], QUESTIONS)
    with pytest.raises(InputErrors, match="retrievers: write at least one"):
        compare_retrievers({}, QUESTIONS)
    with pytest.raises(InputError, match="nothing is indexed yet"):
        evaluate_retriever(RAG(), QUESTIONS)  # a mistake of the caller is no failed question


def test_retrievers_stand_in_one_table_with_our_own(rag, questions, documents):
    results = compare_retrievers(
        {"ours": rag, "first file": Fixed([{"source": "leave_policy.md"}])}, questions, 3, files=documents
    )
    assert [each["name"] for each in results] == ["ours", "first file"]
    lines = format_report(results).splitlines()
    assert lines[0] == "Retrieval report: 12 questions (11 answerable), top_n=3"
    assert [line[:10] for line in lines[4:6]] == ["ours      ", "first file"]
    assert len(format_report([*results, rag.evaluate_retrieval(questions)]).split("Retrieval report:")) == 3
