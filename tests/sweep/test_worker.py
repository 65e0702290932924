"""A job: from a frozen plan to its records on disk, as a function and as a program."""

import json
import subprocess
import sys
from contextlib import nullcontext

import pytest

from ragsweep.errors import ServerError, StoreError
from ragsweep.sweep.frozen import PLAN, RECORDS, freeze, thaw
from ragsweep.sweep.plan import make_plan
from ragsweep.sweep.prepare import prepare
from ragsweep.worker import worker


@pytest.fixture
def run(want, row, store, tmp_path):
    """The plan of one prepared setup."""
    plan = make_plan(want(row(name="mine")), store)
    prepare(plan, store)
    freeze(plan, tmp_path / "run")
    return thaw(tmp_path / "run" / PLAN)


def work(run):
    worker(str(run.folder / PLAN), run.jobs[0].id)
    paths = sorted((run.folder / run.jobs[0].folder).glob("records*.jsonl"), reverse=True)
    return [json.loads(line) for path in paths for line in path.read_text().splitlines() if line.endswith("}")]


def test_a_record_for_each_question_in_order_and_the_log_says_so(run):
    assert [record["question"] for record in work(run)] == [question.text for question in run.corpora["pypdf"].questions]
    log = (run.folder / run.jobs[0].folder / "run.log").read_text()
    assert "mine: 3 questions to answer" in log


def test_it_returns_at_once_when_its_records_are_complete(run, monkeypatch):
    before = work(run)
    monkeypatch.setattr("ragsweep.store.Store.find", lambda *given: pytest.fail("opened"))
    assert work(run) == before


def test_only_what_is_missing_is_asked_again(run):
    first, second, third = work(run)
    path = run.folder / run.jobs[0].folder / RECORDS
    path.write_text("".join(json.dumps(record) + "\n" for record in (first, third)) + '{"torn')
    again = work(run)
    assert again[:2] == [first, third]
    assert [record["question"] for record in again[2:]] == [second["question"]]


def test_labels_and_answers_are_not_in_a_record(run):
    work(run)
    text = (run.folder / run.jobs[0].folder / RECORDS).read_text()
    assert "Your manager approves the dates." not in text
    assert "evidence" not in text


def test_what_breaks_the_setup_is_logged_and_raised(run, store):
    for entry in (store.root / "chunks").iterdir():
        (entry / "manifest.json").unlink()
    with pytest.raises(StoreError, match="chunks: what was prepared for this setup is no longer in the store"):
        work(run)
    log = (run.folder / run.jobs[0].folder / "run.log").read_text()
    assert "the setup mine stopped" in log
    assert "Traceback" in log
    records = run.records(run.jobs[0])
    assert len(records) == 3
    assert all(record.status == "failed" and "no longer in the store" in record.error for record in records.values())


def test_a_question_that_raises_is_a_failed_record_and_the_next_is_asked(run, monkeypatch):
    def rank(self, index, query, *given):
        if query.startswith("Who"):
            raise ValueError("broken")
        return []

    monkeypatch.setattr("ragsweep.retrievers.bm25.Bm25.rank", rank)
    assert [(record["status"], record.get("error")) for record in work(run)] == [
        ("searched", None),
        ("failed", "ValueError: broken"),
        ("searched", None),
    ]


@pytest.mark.parametrize(("status", "asked"), [(401, 1), (404, 1), (403, 3), (500, 3)])
def test_a_key_or_a_model_that_a_server_does_not_know_ends_the_setup_at_its_first_question(run, monkeypatch, status, asked):
    queries = set()

    def rank(self, index, query, *given):
        queries.add(query)
        raise ServerError(f"answered {status}", "request", status)

    monkeypatch.setattr("ragsweep.retrievers.bm25.Bm25.rank", rank)
    with pytest.raises(ServerError) if asked == 1 else nullcontext():
        work(run)
    records = run.records(run.jobs[0]).values()
    assert (len(queries), [record.unasked for record in records].count(False)) == (asked, asked)
    assert [record.error for record in records] == [f"ServerError: answered {status}"] * 3
    assert run.left(run.jobs[0]) == [], "and a resume, another attempt, asks them"


def test_as_a_program(run):
    done = subprocess.run(
        [sys.executable, "-m", "ragsweep.worker", run.folder / PLAN, run.jobs[0].id],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert len(run.records(run.jobs[0])) == 3


def test_the_log_of_a_setup_holds_the_traceback_of_a_question_that_failed_in_the_program_itself(project, monkeypatch):
    def broken(self, *given):
        raise ValueError("no such luck")

    monkeypatch.setattr("ragsweep.retrievers.bm25.Bm25.rank", broken)
    ran = project.files("run")  # n_jobs=1: in this process, after Hydra has set up its logging
    (log,) = ran.runs[0].glob("*/run.log")
    assert log.read_text().count("Traceback") == 3
    assert log.read_text().count("ValueError: no such luck") == 3
    assert "Traceback" not in ran.out + ran.err
