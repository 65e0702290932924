"""Records to report: every planned setup and question has its row, whatever is missing, and nothing is run."""

import csv
import json
import shutil

import pytest

from ragsweep.sweep.collect import collect
from ragsweep.sweep.frozen import PLAN, RECORDS, thaw
from ragsweep.sweep.scoring import LOST

REPORTS = ("report.md", "report.csv", "report.json", "questions.csv")


@pytest.fixture
def run(project):
    """The folder of a run of two setups over three questions, two of them answerable."""
    ran = project.files("run", "top_n=1,2")
    assert ran.code == 0, ran.err
    return ran.runs[0]


def records(run, place):
    return run / thaw(run / PLAN).jobs[place].folder / RECORDS


def rows(run, name="report.csv"):
    with (run / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_requests_made_again_and_shared_answers_are_told_below_the_table(run, capsys):
    path = records(run, 0)
    first, *others = map(json.loads, path.read_text().splitlines())
    calls = [{"retries": 2, "seconds": 0.5, "waited": 1.25}, {"retries": 0, "seconds": 0.5, "waited": 0.0, "shared": True}]
    first["steps"][0]["calls"] = calls
    path.write_text("".join(json.dumps(row) + "\n" for row in [first, *others]))
    collect([run])
    said = "run: model servers: 1 call shared the answer of an equal one; 2 requests made again, 1.2 s waited, in no p50 or p95"
    assert said in capsys.readouterr().out.splitlines()


def test_the_report_of_collect_is_that_of_the_run_byte_for_byte(run, project, monkeypatch):
    before = {name: (run / name).read_bytes() for name in REPORTS}
    for name in REPORTS:
        (run / name).unlink()
    ran = project("collect", str(run))
    assert ran.code == 0
    assert {name: (run / name).read_bytes() for name in REPORTS} == before
    assert ran.out.startswith("Retrieval report: 3 questions (2 answerable)")


def test_labels_are_looked_for_again_only_where_their_file_was_edited(run, project, monkeypatch):
    before = {name: (run / name).read_bytes() for name in REPORTS}
    path = project.root / "questions.json"
    path.write_text(json.dumps(json.loads(path.read_text()), indent=1))  # other bytes, the same labels
    collect([run])
    assert {name: (run / name).read_bytes() for name in REPORTS} == before
    monkeypatch.setattr("ragsweep.sweep.runs.labels.resolve", lambda *given: pytest.fail("looked for again"))
    with pytest.raises(pytest.fail.Exception):
        collect([run])
    path.write_text(json.dumps(json.loads(path.read_text())))  # as it was
    collect([run])
    assert {name: (run / name).read_bytes() for name in REPORTS} == before


def test_collect_as_json_prints_the_report_and_nothing_else(run, project):
    ran = project("collect", str(run), "--json")
    assert ran.out == (run / "report.json").read_text(encoding="utf-8")
    assert len(json.loads(ran.out)["setups"]) == 2


def test_nothing_is_run_and_records_are_not_touched(run, monkeypatch):
    before = {path: path.read_bytes() for path in run.rglob("*") if path.is_file() and path.name not in REPORTS}
    monkeypatch.setattr("ragsweep.evaluation.run.run", lambda *given: pytest.fail("ran"))
    collect([run])
    assert {path: path.read_bytes() for path in run.rglob("*") if path.is_file() and path.name not in REPORTS} == before


def test_a_failed_question_counts_zero_and_stays(run):
    path = records(run, 0)
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    first = next(line for line in lines if line["question"] == "How many days of leave?")
    first |= {"status": "failed", "retrieved": [], "final": [], "steps": [], "error": "ValueError: no"}
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    before = [result.final.recall for result in collect([run]).report.results]
    collected = collect([run])
    broken, whole = collected.report.results
    assert (broken.status, broken.n_ok, broken.n, broken.final.recall) == ("partial", 2, 3, 0.5)
    assert (whole.status, whole.n_ok, whole.final.recall) == ("ok", 3, 1.0)
    assert before == [0.5, 1.0]
    assert collected.exit_code == 1
    assert [row["n"] for row in rows(run)] == ["3", "3"]
    failed = [row for row in rows(run, "questions.csv") if row["status"] == "failed"]
    assert [row["error"] for row in failed] == ["ValueError: no"]


def test_lost_records_are_failures_with_their_reason(run):
    path = records(run, 1)
    path.write_text("".join(path.read_text().splitlines(keepends=True)[:1]))
    result = collect([run]).report.results[1]
    assert (result.status, result.n_ok, result.n) == ("unfinished", 1, 3)
    assert [row["error"] for row in rows(run, "questions.csv") if row["status"] == "failed"] == [LOST, LOST]


def test_what_is_not_asked_yet_is_no_failure_to_look_at(run):
    """A question that failed is one, also in an unfinished setup; the row says that it is unfinished."""
    path = records(run, 1)
    first = json.loads(path.read_text().splitlines()[0])
    path.write_text(json.dumps({**first, "status": "failed", "retrieved": [], "final": [], "error": "ValueError: no"}) + "\n")
    result = collect([run]).report.results[1]
    assert [look.error for look in result.looks] == ["ValueError: no"]
    assert sum(result.ledger.values()) == len(result.looks[0].missed) == result.ledger["failed"]
    report = (run / "report.md").read_text()
    assert "| top_n=2 (unfinished) |" in report
    assert "| top_n=1 |" in report
    assert "lost" not in report


def test_a_setup_that_never_ran_keeps_its_row(run):
    records(run, 1).unlink()
    collected = collect([run])
    assert [(result.setup.name, result.status, result.n_ok) for result in collected.report.results] == [
        ("top_n=1", "ok", 3),
        ("top_n=2", "unfinished", 0),
    ]
    assert collected.report.results[1].final is None
    assert (collected.report.results[1].error, collected.exit_code) == (LOST, 1)
    assert [row["setup"] for row in rows(run)] == ["top_n=1", "top_n=2"]
    assert "0.000" not in next(line for line in (run / "report.md").read_text().splitlines() if "top_n=2" in line)


def test_a_torn_last_line_is_a_lost_record(run):
    path = records(run, 0)
    path.write_bytes(path.read_bytes()[:-20])
    assert [result.n_ok for result in collect([run]).report.results] == [2, 3]


def test_records_of_another_setup_count_for_nothing(run):
    first, second = records(run, 0), records(run, 1)
    first.write_bytes(second.read_bytes())
    assert [result.status for result in collect([run]).report.results] == ["unfinished", "ok"]
    second.write_bytes(second.read_bytes() + first.read_bytes())
    assert [result.n_ok for result in collect([run]).report.results] == [0, 3]


def test_the_latest_record_of_a_question_counts(run):
    path = records(run, 0)
    again = json.loads(path.read_text().splitlines()[0])
    again |= {"final": [], "retrieved": []}
    path.write_text(path.read_text() + json.dumps(again) + "\n")
    assert collect([run]).report.results[0].final.recall == 0.5


def test_a_setup_that_broke_is_whole_without_the_questions_that_it_could_not_ask(run, project):
    path = records(run, 0)
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    lines[-1] |= {"status": "failed", "retrieved": [], "final": [], "steps": [], "error": "ServerError: no", "unasked": True}
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    assert [(each.status, each.error) for each in collect([run]).report.results] == [
        ("failed", "ServerError: no"),
        ("ok", None),
    ]
    asked = json.loads((project.root / "questions.json").read_text())
    project.questions([each for each in asked if each["question"] != lines[-1]["question"]])
    assert [(each.status, each.error) for each in collect([run]).report.results] == [("ok", None), ("ok", None)]


def test_one_text_under_two_ids_is_run_once_and_scored_for_each(project):
    project.questions(
        [
            {"id": "q1", "question": "days of leave", "required_evidence_ids": ["leave.md"]},
            {"id": "q2", "question": "days of leave", "expected": ["nobody asks this"]},
            {"id": "q3", "question": "days of leave", "required_evidence_ids": ["remote.md"]},
        ]
    )
    (project.root / "docs" / "other.md").write_text("nobody asks this")
    ran = project.files("run", "top_n=1", "chunker=page")
    run = ran.runs[0]
    assert len(records(run, 0).read_text().splitlines()) == 1
    assert [(row["question_id"], row["recall"]) for row in rows(run, "questions.csv")] == [
        ("q1", "1.0"),
        ("q2", "0.0"),
        ("q3", "0.0"),
    ]


def test_a_document_that_left_the_store_is_named(run, project):
    shutil.rmtree(project.root / "outputs" / ".store" / "documents")
    ran = project("collect", str(run))
    assert ran.code == 1
    assert "the text of 'leave.md' is no longer in the store" in ran.err


def test_scores_by_a_key_of_the_questions_are_the_same_when_collected_again(project):
    written = json.loads((project.root / "questions.json").read_text())
    kinds = [["day"], ["day", "who"], "none"]
    project.questions([{**asked, "topic": kind} for asked, kind in zip(written, kinds, strict=True)])
    folder = project.files("run", "report.by=[topic]", "scorecard.weights.context=0").runs[0]
    texts = {name: (folder / name).read_text() for name in ("breakdown.csv", "report.csv")}
    assert [(row["by"], row["value"], row["answerable"]) for row in rows(folder, "breakdown.csv")] == [
        ("topic", "day", "2"),
        ("topic", "who", "1"),
        ("topic", "none", "0"),
    ]
    assert "### By topic" in (folder / "report.md").read_text()
    assert "weights: chunking 1, retrieval 1, reranking 1, context 0" in (folder / "report.md").read_text()
    assert project("collect", str(folder)).code == 0
    assert {name: (folder / name).read_text() for name in texts} == texts


def test_the_vectors_by_themselves_are_what_the_dense_retriever_finds(project, monkeypatch):
    folder = project.files("run", "retriever=dense,hybrid,bm25", "top_k=2").runs[0]
    report = (folder / "report.csv").read_text()
    dense, hybrid, bm25 = rows(folder)
    assert dense["dense_recall"] == dense["retrieved_recall"] == hybrid["dense_recall"] != ""
    assert (dense["dense_mrr"], dense["margin_questions"]) == (dense["retrieved_mrr"], "2")
    assert float(dense["margin"]) > 0
    assert bm25["dense_recall"] == bm25["margin"] == ""
    with monkeypatch.context() as patched:
        patched.setattr("ragsweep.evaluation.embedding.retrieve", lambda *given: pytest.fail("searched again"))
        assert project("collect", str(folder)).code == 0
    assert (folder / "report.csv").read_text() == report
    path = records(folder, 0)
    line, *others = path.read_text().splitlines()
    failed = {**json.loads(line), "status": "failed", "retrieved": [], "final": [], "steps": [], "error": "ValueError: no"}
    path.write_text("\n".join([json.dumps(failed), *others, ""]))
    assert project("collect", str(folder)).code == 1
    dense, hybrid, _ = rows(folder)
    assert dense["retrieved_recall"] < dense["dense_recall"] == hybrid["dense_recall"], (
        "what failed says nothing of the vectors"
    )
    assert f"{dense['dense_recall']},{dense['dense_mrr']}" in report
    shutil.rmtree(project.root / "outputs" / ".store" / "dense")
    assert "run: no embedding stage of word: its vectors are no longer in the store" in project("collect", str(folder)).out


def test_without_vectors_the_embedding_stage_is_left_out_by_name(run):
    assert "### Embedding\n\nleft out: no setup has chunk vectors\n" in (run / "report.md").read_text()


def test_values_that_all_setups_share_stand_above_the_table(run, project):
    report = collect([run]).report
    assert report.fixed["chunker"] == "word"
    assert "top_n" not in report.fixed
    ran = project.files("run", "top_n=1,2", "top_k=7", "chunker=page,word", "report.sort=mrr")
    fixed = collect([project.root / "outputs" / "run" / "latest"]).report.fixed
    assert ran.code == 0
    # page has no chunk_size; what it is for word must be said all the same
    assert (fixed["top_k"], "chunker" in fixed, fixed["chunk_size"]) == (7, False, 160)


def test_an_axis_of_one_value_is_no_secret(project):
    folder = project.experiment(
        "dataset: {files: docs, questions: questions.json}\nrag_type: search\nretriever: bm25\nn_jobs: 1\n"
        "sweep: {chunker: [word, page], top_k: [7]}\n"
    )
    assert project("run", "experiment=mine").code == 0
    report = (project.root / "outputs" / folder.name / "latest" / "report.md").read_text()
    assert "top_k=7" in report
