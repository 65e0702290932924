"""Recorded runs through the command line: by themselves, beside own setups, and the questions for them."""

import csv
import json

import pytest

from ragsweep.sweep.frozen import PLAN, thaw

OURS = [
    {"id": "q1", "contexts": ["Staff have 25 days of leave."], "answer": "25 days", "citations": [1], "seconds": 0.5},
    {"id": "q2", "contexts": [{"source": "remote.md", "start": 33, "end": 65}], "answer": "Your manager", "seconds": 1.5},
]


@pytest.fixture
def write(project):
    def write(rows, name="ours.jsonl"):
        (project.root / name).write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
        return name

    return write


def table(folder, name="report.csv"):
    with (folder / name).open(encoding="utf-8", newline="") as file:
        return {row["setup"]: row for row in csv.DictReader(file)}


def as_recorded(folder):
    """What the one setup of a run did, as another system would write it."""
    plan = thaw(folder / PLAN)
    (job,) = plan.jobs
    for question in plan.corpora[job.reading].questions:
        record = plan.records(job)[question.text, 0]
        hits = [{"source": hit.document, "start": hit.start, "end": hit.end} for hit in record.retrieved]
        cited = [place for place, hit in enumerate(record.retrieved, 1) if hit.chunk in record.answer.cited]
        said = {"answer": record.answer.text, "abstained": record.answer.abstained, "citations": cited}
        yield {"id": question.id, "contexts": hits, "seconds": record.seconds, **said}


OF_RUNS = ("setup", "score_overall", "host", "folder", "jobs", "in_flight")
"""Columns of a run that a record does not have, or has otherwise."""


def test_the_record_of_an_own_run_has_the_scores_of_the_run(project, write):
    ran = project("run", "experiment=policies", "rag_type=simple", "chunker=word", "n_jobs=1")
    assert ran.code == 0, ran.err
    (own,) = table(ran.runs[-1]).values()
    write(as_recorded(ran.runs[-1]))
    scored = project("score", "ours.jsonl", "experiment=policies")
    assert scored.code == 0, scored.err
    found = table(scored.runs[-1])["ours"]
    compared = [key for key in found if found[key] and key not in OF_RUNS]
    assert {"recall", "mrr", "ndcg", "answered", "refused", "words", "retrieved_recall", "retrieved_mrr@3"} <= set(compared)
    assert {"citation_recall", "grounded", "context_precision", "evidence_cited", "p95_s"} <= set(compared)
    assert {key: found[key] for key in compared} == {key: own[key] for key in compared}
    assert [found[key] for key in ("steps", "chunks", "calls", "tokens", "after_reranking_recall")] == [""] * 5


def test_a_recorded_system_beside_own_setups(project, write):
    run = project.files("run", "chunker=word,page", "top_n=2").runs[-1]
    before = (run / "report.md").read_bytes()
    ran = project("collect", str(run), write(OURS))
    assert ran.code == 1  # a question without a record
    rows = table(ran.runs[0])
    assert list(rows) == ["word", "page", "ours"]
    assert [rows[name]["n_ok"] for name in rows] == ["3", "3", "2"]
    assert rows["ours"]["recall"] == "1.0"
    assert "note: ours: 1 of 3 questions have no record and count 0: 'q3'" in ran.out
    assert "ours: recorded, not run here; not known: chunking, embedding, reranking, steps, tokens" in ran.out
    assert (run / "report.md").read_bytes() == before
    whole = [*OURS, {"id": "q3", "answer": "I don't know based on the available documents.", "contexts": [], "seconds": 1}]
    ran = project("collect", str(run), write(whole), "--json", "--fail-under", "recall=1")
    assert ran.code == 0, ran.err
    ours = json.loads(ran.out)["setups"][-1]
    assert (ours["name"], ours["refused"], ours["steps"], ours["run"]["p50_s"]) == ("ours", 1.0, None, 1.0)
    assert ours["not_known"] == ["chunking", "embedding", "reranking", "steps", "tokens"]


def test_the_best_of_recorded_systems_has_no_best_yaml(project, write):
    ran = project(
        "score", write(OURS), write(OURS[:1], "half.jsonl"), "--files", "docs", "--questions", "questions.json", "top_n=1"
    )
    assert ran.code == 1
    assert "Best Recall 1.000: ours" in ran.out
    assert "the best is ours, a recorded system, which has no best.yaml" in ran.err
    assert not list(ran.runs[-1].glob("best.yaml"))
    rows = table(ran.runs[-1], "questions.csv")
    assert (rows["ours"]["error"], rows["half"]["steps"]) == ("it has no record", "")
    assert project("collect", str(ran.runs[-1])).out == ran.out
    for command in (("profile", str(ran.runs[-1])), ("ask", "--question-id", "q1", "--setup", f"{ran.runs[-1]}:ours")):
        said = project(*command)
        assert (said.code, "nothing ran here: it holds recorded runs" in said.err) == (2, True)
    assert "holds recorded systems, which check could not run again" in project("accept", str(ran.runs[-1])).err
    assert project("resume").err == "every run is finished: there is nothing to resume\n"


THEIRS = [
    {"id": "q1", "contexts": ["A summary of its own.", {"source": "leave.md"}, "25 days of leave."], "answer": "30 days"},
    {
        "id": "q2",
        "contexts": [{"text": "Your manager approves", "source": "remote.md", "page": None}],
        "answer": "Your manager",
    },
    {"id": "q3", "error": "broke"},
]


def kinds(ran):
    assert ran.code == 0, ran.err
    told = json.loads(ran.out, parse_constant=pytest.fail)
    return {one["id"]: (one["kind"], one["by"] and one["by"]["measure"]) for one in told["questions"]}, told


def test_recorded_systems_question_by_question(project, write):
    project.questions(
        [
            {"id": "q1", "question": "Days of leave?", "expected": ["25 days of leave"], "answer": "25 days"},
            {"id": "q2", "question": "Who approves?", "expected": [{"source": "remote.md"}], "answer": "Your manager"},
            {"id": "q3", "question": "A gym?", "answerable": False},
        ]
    )
    ran = project(
        "score", write(OURS), write(THEIRS, "theirs.jsonl"), "--files", "docs", "--questions", "questions.json", "top_n=2"
    )
    assert ran.code == 1, ran.err
    scored = ran.runs[-1]
    found, told = kinds(project("diff", f"{scored}:ours", "theirs", "--json"))
    assert found == {"q1": ("lost", "recall"), "q3": ("changed", None)}, "its third context is behind top_n=2"
    assert told["recall"] == {"a": 1.0, "b": 0.5}
    (one,) = (each for each in told["questions"] if each["id"] == "q1")
    assert [(each["document"], each["text"]) for each in one["b"][0]["chunks"]] == [
        (None, "A summary of its own."),
        ("leave.md", ""),
    ]
    assert one["b"][0]["verdict"]["said"].startswith("cut at top_n ("), "nobody knows a reranker"
    shown = project("diff", f"{scored}:ours", "theirs", "--question-id", "q1").out
    for said in (
        "[1] leave.md characters 0 to",
        "a text that is nowhere in",
        "A summary of its own.",
        "leave.md, passage not known",
    ):
        assert said in shown
    assert "(0.000)" not in shown, "nobody recorded a score"
    assert shown.count("ends with") == 1, "a text that is in no document ends no document"
    assert "both are the setup 'ours': name two" in project("diff", f"{scored}:ours", "our").err


def test_recorded_systems_against_setups(project, write):
    """Of the folder of a report of both, and of two folders; by what both told."""
    run = project.files("run", "chunker=word,page", "top_n=2").runs[-1]
    silent = [{"id": each["id"], "answer": each["answer"]} for each in OURS]
    collected = project("collect", str(run), write(OURS), write(silent, "silent.jsonl")).runs[0]
    (project.root / "ours.jsonl").unlink()  # the folder holds its copy
    found, _ = kinds(project("diff", f"{collected}:word", "ours", "--json"))
    assert found == {"q3": ("lost", "ran")}, "that one answers, and the other only searches, is no difference"
    again = (collected / "report.md").read_bytes()
    assert project("collect", str(collected)).code == 1
    assert (collected / "report.md").read_bytes() == again
    ran = project("diff", f"{collected}:word", "ours")
    assert "answers are not compared: word gives none" in ran.out
    _, told = kinds(project("diff", f"{collected}:ours", "silent", "--question-id", "q1", "--json"))
    assert (told["recall"], told["counts"]["same"]) == (None, 3), "no recall of what nobody recorded"
    assert set(told["questions"][0]["b"][0]) == {"recall", "status", "answer", "error"}
    shown = project("diff", f"{collected}:ours", "silent", "--question-id", "q1").out
    assert "contexts are not compared: silent recorded none" in shown and "its contexts were not recorded" in shown
    ran = project("diff", f"{collected}:word", "silent")
    assert (ran.code, "'word' does not answer, and 'silent' recorded no contexts" in ran.err) == (2, True)
    scored = project(
        "score", write(OURS), "--files", "docs", "--questions", "questions.json", "top_n=2", "gate.recall=0.1"
    ).runs[-1]
    two, _ = kinds(project("diff", f"{run}:word", f"{scored}:ours", "--json"))
    assert two == found


def test_a_scored_folder_is_collected_with_runs_that_have_several_cuts(project, write):
    run = project.files("run", "top_n=1,2").runs[-1]
    ran = project("collect", str(run), write(OURS))
    assert ran.code == 2
    assert "as in ragsweep score ours.jsonl top_n=5, then collect the run with the folder of its report" in ran.err
    scored = project("score", "ours.jsonl", "--files", "docs", "--questions", "questions.json", "top_n=2").runs[-1]
    ran = project("collect", str(run), str(scored))
    assert list(table(project.root / "outputs" / "collected" / "latest")) == ["top_n=1", "top_n=2", "ours"]


def test_all_mistakes_at_once_and_nothing_written(project, write):
    project.questions([{"id": "q1", "question": "How many?", "required_evidence_ids": ["leav.md"]}])
    write([{"id": "q1", "seconds": -1}, {"id": "q7", "answer": "a"}])
    ran = project("score", "ours.jsonl", "--files", "docs", "--questions", "questions.json", "chunkr=word")
    assert ran.code == 2
    for said in ("chunkr", "leav.md", "ours.jsonl:1: 'q1': seconds: -1"):
        assert said in ran.err
    assert ran.runs == []
    assert project("score", "ours.jsonl").err.startswith("mistake: write whose questions were asked: experiment=NAME")


def test_the_questions_for_another_system(project):
    asked = project("export-questions", "--files", "docs", "--questions", "questions.json").out.splitlines()
    assert [json.loads(line) for line in asked][1] == {"id": "q2", "question": "Who approves the dates?"}
    labels = [
        {"id": "f", "question": "File?", "required_evidence_ids": ["leave.md"], "answer": ["a", "b"], "team": "HR"},
        {"id": "s", "question": "Span?", "required_evidence_ids": [{"source": "leave.md", "start": 0, "end": 5}]},
        {"id": "c", "question": "Chunk?", "required_evidence_ids": [{"source": "leave.md", "chunk": 1}], "task_type": "t"},
        {"id": "q", "question": "Quotes?", "expected": ["25 days", {"source": "remote.md", "quote": "20 days"}]},
        {"id": "n", "question": "None?", "answerable": False, "required_facts": ["x"]},
    ]
    project.questions(labels)
    ran = project("export-questions", "out.jsonl", "--files", "docs", "--questions", "questions.json", "--with-labels")
    assert (ran.code, ran.err) == (0, "5 questions: out.jsonl\n")
    twice = ["export-questions", "--files", "docs", "--with-labels", "--questions"]
    assert project(*twice, "out.jsonl").out == project(*twice, "questions.json").out == (project.root / "out.jsonl").read_text()
    ran = project("export-questions", "out.jsonl", "--files", "docs", "--questions", "questions.json")
    assert (ran.code, "out.jsonl: is there already" in ran.err) == (2, True)
