"""Runs read together: one table only for the same files and questions, today's labels, names that tell setups apart."""

import csv
import json

import pytest


@pytest.fixture
def run(project):
    """Runs over the files of the project; the folder of each."""

    def run(*overrides):
        ran = project.files("run", *overrides)
        assert ran.code == 0, ran.err
        return ran.runs[-1]

    return run


def table(folder, name="report.csv"):
    with (folder / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def collected(project):
    (folder,) = sorted((project.root / "outputs" / "collected").glob("2*"))
    return folder


def test_two_runs_make_one_table_under_names_of_what_differs(run, project):
    one, other = run("chunker=word", "chunk_size=5"), run("chunker=word,page", "chunk_size=9")
    ran = project("collect", str(one), str(other))
    assert ran.code == 0, ran.err
    rows = table(collected(project))
    assert [row["setup"] for row in rows] == ["word + chunk_size=5", "word + chunk_size=9", "page"]
    assert [row["chunk_size"] for row in rows] == ["5", "9", ""]
    assert "floor (word + chunk_size=5)" in ran.out
    assert "floor (word + chunk_size=9)" in ran.out
    alone = {row["setup"]: row["recall"] for folder in (one, other) for row in table(folder)}
    assert [row["recall"] for row in rows] == [alone["search + word"], alone["word"], alone["page"]]


def test_what_one_report_has_one_value_of_is_that_of_the_first_run_and_said(run, project):
    one, other = run("top_n=1", "report.sort=ndcg"), run("top_n=2", "score_at=[1,top_k]", "scorecard.weights={context: 0}")
    ran = project("collect", str(one), str(other))
    assert "run: report.sort=ndcg is that of the first run; others have null" in ran.out
    assert 'run: score_at=[1, 3, 5, 10, "top_k"] is that of the first run; others have [1, "top_k"]' in ran.out
    assert "run: scorecard.weights=" in ran.out
    ran = project("collect", str(other), str(other))
    assert "of the first run" not in ran.out
    assert "run: 3 questions asked in 1 attempt" in ran.out, "a run counts once"


def test_a_setup_of_both_runs_is_one_row_and_what_failed_once_is_taken_from_the_other(run, project):
    one, other = run("top_n=1,2"), run("top_n=2,3")
    (records,) = one.glob("top_n=2*/records.jsonl")
    lines = [json.loads(line) for line in records.read_text().splitlines()]
    lines[0] |= {"status": "failed", "final": [], "retrieved": [], "steps": [], "error": "ValueError: no"}
    records.write_text("".join(json.dumps(line) + "\n" for line in lines))
    ran = project("collect", str(one), str(other))
    assert ran.code == 0
    rows = table(collected(project))
    assert [(row["setup"], row["n_ok"]) for row in rows] == [("top_n=1", "3"), ("top_n=2", "3"), ("top_n=3", "3")]


def test_jobs_and_folder_are_of_the_run_whose_records_count(run, project):
    alone = run("top_n=1")
    three = run("top_n=1,2", "n_jobs=2")
    project("collect", str(alone), str(three))
    assert [(row["setup"], row["jobs"]) for row in table(project.root / "outputs" / "collected" / "latest")] == [
        ("top_n=1", "1"),
        ("top_n=2", "2"),
    ]
    (records,) = alone.glob("*/records.jsonl")
    records.unlink()
    ran = project("collect", str(alone), str(three))
    assert [(row["jobs"], row["n_ok"]) for row in table(project.root / "outputs" / "collected" / "latest")] == [
        ("2", "3"),
        ("2", "3"),
    ]
    assert "(2 side by side)" in ran.out


def test_other_questions_or_files_are_not_mixed_into_one_table(run, project):
    first = run("top_n=1")
    project.questions([{"id": "q1", "question": "Another?", "required_evidence_ids": ["leave.md"]}])
    asked_otherwise = run("top_n=1")
    ran = project("collect", str(first), str(asked_otherwise))
    assert ran.code == 2
    assert "asked different questions ('Another?', 'How many days of leave?'" in ran.err
    (project.root / "docs" / "leave.md").write_text("# Leave\n\nSomething else.")
    ran = project("collect", str(asked_otherwise), str(run("top_n=1")))
    assert ran.code == 2
    assert "are of different files ('leave.md'): collect each by itself" in ran.err
    assert not (project.root / "outputs" / "collected").exists()


def test_edited_labels_are_scored_without_running_and_the_counts_are_said(run, project):
    folder = run("top_n=1", "chunker=page")
    before = {row["question_id"]: row["recall"] for row in table(folder, "questions.csv")}
    path = project.root / "questions.json"
    questions = json.loads(path.read_text())
    answerable = [question for question in questions if question.get("answerable", True)]
    edited, retold, removed = answerable[0], answerable[1], next(q for q in questions if not q.get("answerable", True))
    edited["required_evidence_ids"] = ["remote.md" if edited["required_evidence_ids"] == ["leave.md"] else "leave.md"]
    retold["question"] += " Please?"
    questions.remove(removed)
    path.write_text(json.dumps(questions))

    ran = project("collect", str(folder))

    assert ran.code == 0
    after = {row["question_id"]: row["recall"] for row in table(folder, "questions.csv")}
    assert after == {edited["id"]: "0.0"}
    assert before[edited["id"]] == "1.0"
    assert "run: 1 question scored by edited labels" in ran.out
    assert "run: 1 question never asked and left out: run the experiment again" in ran.out
    assert "run: 2 questions no longer in the file and dropped" in ran.out


def test_a_mistake_in_edited_labels_is_one(run, project):
    folder = run("top_n=1")
    project.questions([{"id": "q1", "question": "How many days of leave?", "required_evidence_ids": ["laeve.md"]}])
    ran = project("collect", str(folder))
    assert ran.code == 2
    assert "leave.md" in ran.err


def test_questions_whose_file_is_gone_keep_the_labels_of_the_run(run, project):
    folder = run("top_n=1")
    before = (folder / "report.csv").read_bytes()
    (project.root / "questions.json").unlink()
    ran = project("collect", str(folder))
    assert ran.code == 0
    assert (folder / "report.csv").read_bytes() == before
    assert "\nrun: scored by the labels of the run: questions.json is no longer there\n" in ran.out


def test_only_what_check_can_run_again_is_accepted(project):
    folder = project.experiment("dataset: {files: docs, questions: questions.json}\nrag_type: search\nretriever: bm25\n")
    ran = project("run", "experiment=mine", "n_jobs=1", "top_k=7")
    refused = project("accept", str(ran.runs[-1]))
    assert refused.code == 2
    assert "ran with other values than an experiment.yaml has" in refused.err
    assert not (folder / "report.md").exists()
    ran = project("run", "experiment=mine", "n_jobs=1")
    assert project("accept", str(ran.runs[-1])).code == 0
    assert project("check", "experiment=mine", "n_jobs=1").code == 0
