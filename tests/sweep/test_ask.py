"""One question of one setup, composed or of a run: answers with citations, verdicts that are the report's, strict JSON."""

import json

import pytest

from ragsweep.reporting.asked import Asked, answer_lines, as_json, traced_lines
from ragsweep.results import Score
from ragsweep.sweep.collect import collect
from ragsweep.types import Answer, Document, Evidence, Hit, Question, Record
from scripted_server import Reply, scripted

LEAVE, QUOTE = Evidence("page", "hr.pdf#p1", ()), Evidence("quote", "\x1b[31mdays", ())
DOCUMENT = Document("hr.pdf", "25 days.\n\nMarch.", "", pages=((0, 8), (10, 16)))


def asked(status, ends=None, answer=None, **record):
    """A question that was asked over one document of two pages, its chunks the pages."""
    evidence = (LEAVE, QUOTE)[: len(ends or ())]
    hits = (Hit(1, "hr.pdf", 2, 10, 16, 0.5), Hit(0, "hr.pdf", 1, 0, 8, 0.25))
    score = Score("q1", "When?", None, status, None, None, None, (), (), 0, 0, 0, 0.0, ends=tuple(ends or ()))
    happened = Record("When?", 0, status, hits, hits, answer, **record)
    return Asked("simple", Question("q1", "When?", evidence, bool(evidence)), happened, {"hr.pdf": DOCUMENT}, score)


@pytest.mark.parametrize(
    ("status", "ends", "verdict"),
    [
        ("answered", ["not_reachable"], "not reachable (hr.pdf#p1)"),
        ("answered", ["copy"], "dropped as a copy (hr.pdf#p1)"),
        ("answered", ["cited", "not_retrieved"], r"not retrieved (\x1b[31mdays); given and answered, cited (hr.pdf#p1)"),
        ("answered", ["reranking", "reranking"], r"lost in reranking (hr.pdf#p1, \x1b[31mdays)"),
        ("gave_up", ["withheld"], "withheld (hr.pdf#p1)"),
        ("abstained", ["abstained"], "given but abstained (hr.pdf#p1)"),
        ("answered", ["not_cited"], "given and answered, not cited (hr.pdf#p1)"),
        ("cut", ["not_cited"], "given, and the answer is cut (hr.pdf#p1)"),
        ("empty", ["not_cited"], "given, and the answer is empty (hr.pdf#p1)"),
        ("searched", ["found"], "found (hr.pdf#p1)"),
        ("failed", ["failed"], "question failed (hr.pdf#p1)"),
        ("answered", [], "unanswerable, and answered all the same"),
        ("abstained", [], "unanswerable, and refused"),
        ("gave_up", [], "unanswerable, and refused"),
        ("searched", [], "unanswerable: there is nothing to find"),
        ("failed", [], "question failed"),
    ],
)
def test_the_verdict_in_one_line(status, ends, verdict):
    one = asked(status, ends, error="broken" if status == "failed" else None)
    assert list(traced_lines(one))[-1] == f"verdict: {verdict}"
    assert as_json(one)["verdict"] == {
        "said": verdict,
        "evidence": [{"label": each.label, "end": end} for each, end in zip((LEAVE, QUOTE), ends, strict=False)],
    }


def test_citations_name_document_chunk_and_page():
    one = asked("answered", answer=Answer("In March [1].\x1b[0m\nSo it is.", False, cited=(1,)))
    cited = "  [1] hr.pdf chunk 2, page 2"
    assert list(answer_lines(one)) == [
        r"In March [1].\x1b[0m",
        "So it is.",
        cited,
        "verdict: unanswerable, and answered all the same",
    ]
    assert cited in traced_lines(one)
    told = as_json(one)
    assert told["citations"] == [{"number": 1, "document": "hr.pdf", "page": 2, "chunk": 2}]
    assert [(chunk["page"], chunk["text"], chunk["cited"]) for chunk in told["chunks"]] == [
        (2, "March.", True),
        (1, "25 days.", False),
    ]


def test_a_verdict_is_that_of_the_report(project):
    """Every setup and question of a run, asked again as the run froze it."""
    (project.root / "docs" / "other.md").write_text((project.root / "docs" / "leave.md").read_text())
    label = {
        "question": "How many days of leave?",
        "required_evidence_ids": ["other.md", {"quote": "Your manager approves the dates."}],
    }
    project.questions([{"id": "q4", **label}, {"id": "q5", "question": "A gym?", "answerable": False}])
    folder = project.files("run", "chunker=word,page", "chunk_size=4", "chunk_overlap=1", "top_k=3", "top_n=1").runs[0]
    report = collect([folder])
    names = {each.setup.id: each.setup.name for each in report.report.results}
    seen = set()
    for id, scores in report.scores.items():
        for score in scores:
            ran = project("ask", "--setup", f"{folder}:{names[id]}", "--question-id", score.question_id, "--json")
            told = json.loads(ran.out, parse_constant=pytest.fail)
            assert (ran.code, told["setup"], told["question"]) == (0, names[id], score.question)
            assert [each["end"] for each in told["verdict"]["evidence"]] == list(score.ends)
            seen |= set(score.ends)
    assert {"reranking", "not_reachable", "copy"} <= seen, "the rows are to differ"


def test_a_composed_setup_is_asked_what_is_in_no_file(project):
    ran = project.files("ask", "When do unused days lapse?", "report.by=[task_type]", "limit=1", "gate.recall=1")
    assert ran.code == 0, ran.err
    assert ran.out.startswith("leave.md chunk 1 (")


def test_a_composed_setup_is_asked_a_labelled_question(project):
    ran = project.files("ask", "--question-id", "q2", "--trace", "limit=1")
    assert ran.code == 0, ran.err
    assert "q2: Who approves the dates?" in ran.err
    assert ran.out.splitlines()[-2:] == [
        "evidence Your manager approves the dates.: found",
        "verdict: found (Your manager approves the dates.)",
    ]
    assert project.files("ask", "--question-id", "q2").out.endswith("\nverdict: found (Your manager approves the dates.)\n")
    assert "verdict" not in json.loads(project.files("ask", "Who approves?", "--json").out)
    assert "verdict" not in project.files("ask", "Who approves?").out
    assert "mistake: the question is empty: write what to search for" in project.files("ask", " ").err


def test_a_run_is_asked_by_todays_labels_over_the_texts_that_it_read(project):
    (folder,) = project.files("run", "chunker=page").runs
    (project.root / "docs" / "leave.md").unlink()
    project.questions([{"id": "new", "question": "Days of leave?", "required_evidence_ids": ["leave.md"]}])
    ran = project("ask", "--setup", f"{folder}:search", "--question-id", "new", "--trace")
    assert (ran.code, ran.out.splitlines()[-1]) == (0, "verdict: found (leave.md)"), ran.err
    assert project("ask", "Days of leave?", "--setup", f"{folder}:search + page").out.startswith("leave.md chunk 1 (")
    (project.root / "questions.json").unlink()
    assert project("ask", "--setup", f"{folder}:search", "--question-id", "q1", "--trace").out.endswith("found (leave.md)\n")


def test_what_cannot_be_asked_is_told(project):
    (folder,) = project.files("run", "chunker=word,page").runs
    for setup, more, said in (
        (f"{folder}:page", ["--question-id", "q9"], "--question-id q9: there is no such question; known: q1, q2, q3"),
        (f"{folder}:pge", ["Days?"], "the run has no such setup; did you mean 'page'?"),
        (f"{folder}:a page", ["Days?"], "the run has no such setup; did you mean 'page'?"),
        (str(folder), ["Days?"], f"--setup {folder}: write behind a colon which of its 2 setups: 'word', 'page'"),
        ("nowhere:page", ["Days?"], "--setup nowhere:page: there is no such folder: write RUN_DIR:NAME"),
        ("docs:page", ["Days?"], "docs holds no plan.json: name the folder of a run"),
        (f"{folder}:page", ["Days?", "top_n=1"], "top_n=1: --setup names all of a setup, its files too: leave that out"),
    ):
        ran = project("ask", *more, "--setup", setup)
        assert (ran.code, ran.out) == (2, "")
        assert said in ran.err


def test_a_setup_that_cannot_be_prepared_is_a_failed_question(project):
    with scripted(Reply(401, body="no")) as server:
        own = ["embedder=openai", f"embedder.base_url={server.url}/v1", "embedder.model=m", "retriever=dense"]
        ran = project.files("ask", "--question-id", "q1", "--json", *own)
    told = json.loads(ran.out)
    assert (ran.code, told["status"], told["verdict"]["evidence"]) == (1, "failed", [{"label": "leave.md", "end": "failed"}])
    assert told["error"].startswith(f"ServerError: POST {server.url}/v1/embeddings answered 401")
    assert told["steps"] == told["chunks"] == []


def test_a_key_is_asked_for_before_a_run_is_asked(project, monkeypatch):
    monkeypatch.setenv("MY_KEY", "canary-0123456789")
    reply = Reply(body={"choices": [{"message": {"content": "ANSWERABLE: yes\n25 [1]."}, "finish_reason": "stop"}]})
    with scripted(reply) as server:
        own = ["generator=openai", f"generator.base_url={server.url}/v1", "generator.model=m", "generator.window=999"]
        (folder,) = project.files("run", "rag_type=simple", "generator.key_env=MY_KEY", *own).runs
        ran = project("ask", "--question-id", "q1", "--setup", f"{folder}:simple", "--json")
        told = json.loads(ran.out)
        assert (told["answer"], told["verdict"]["said"]) == ("25 [1].", "given and answered, cited (leave.md)")
        (call,) = next(step["calls"] for step in told["steps"] if step["name"] == "generate")
        assert call["failure"] is None
        monkeypatch.delenv("MY_KEY")
        ran = project("ask", "Days?", "--setup", f"{folder}:simple")
    assert ran.code == 2
    assert "generator: http://127.0.0.1" in ran.err
    assert "the environment variable MY_KEY is not set; write export MY_KEY=..." in ran.err
