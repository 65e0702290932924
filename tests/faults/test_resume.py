"""Runs that go on: what is kept, what is asked again, what is refused, and when a run stops by itself."""

import json
import sys
from asyncio import CancelledError
from pathlib import Path

import pytest

from ragsweep.errors import reason
from ragsweep.reporting.compare import differences
from ragsweep.retrievers.bm25 import Bm25

TEN = [
    {"id": f"q{number}", "question": f"What of leave number {number}?", "required_evidence_ids": ["leave.md"]}
    for number in range(10)
]


class Panic(BaseException):
    """As the libraries in Rust raise it."""


@pytest.fixture
def search(project):
    """A command over the project's files, one setup, ten questions."""
    project.questions(TEN)
    return project


def records(folder: Path) -> list[dict[str, object]]:
    paths = sorted(folder.glob("*/records*.jsonl"), reverse=True)  # records.jsonl, records.2.jsonl
    return [json.loads(line) for path in paths for line in path.read_text().splitlines()]


def said(ran) -> str:
    (line,) = (line for line in ran.err.splitlines() if line.startswith("resuming "))
    return line.rpartition(": ")[2]


def broken_at(monkeypatch, text: str, error: BaseException | None = None) -> None:
    """Have questions that hold ``text`` fail."""
    rank = Bm25.rank

    def broken(self, index, query, *given):
        if text in query:
            if error is not None:
                raise error
            raise ValueError("told to fail")
        return rank(self, index, query, *given)

    monkeypatch.setattr("ragsweep.retrievers.bm25.Bm25.rank", broken)


def test_edited_questions_are_asked_scored_again_or_dropped(search):
    run = search.files("run").runs[0]
    edited = [dict(question) for question in TEN]
    edited[1]["question"] = "What else of leave?"
    edited[2]["required_evidence_ids"] = ["remote.md"]
    del edited[3]
    edited.append({"id": "q10", "question": "What of remote work?", "required_evidence_ids": ["remote.md"]})
    search.questions(edited)
    ran = search("resume", str(run))
    assert (ran.code, said(ran)) == (0, "reused 7, re-scored 1, run 2, dropped 1")
    assert len((run / "questions.csv").read_text().splitlines()) == 11
    fresh = search.files("run").runs[0]
    assert differences(fresh, run) == []
    assert "run: attempt 2: reused 7, re-scored 1, run 2, dropped 1" in ran.out
    assert "run: 12 questions asked in 2 attempts, all steps together in " in ran.out


def test_a_finished_run_says_that_there_is_nothing_to_resume(search):
    run = search.files("run").runs[0]
    before = sorted((path, path.read_bytes()) for path in run.rglob("*.json*"))
    assert search("resume").err == "every run is finished: there is nothing to resume\n"
    ran = search("resume", str(run))
    assert (ran.code, ran.err) == (0, f"{run}: this run is finished: there is nothing to resume\n")
    assert sorted((path, path.read_bytes()) for path in run.rglob("*.json*")) == before


def test_a_run_that_ended_before_its_plan_is_no_run(search, monkeypatch):
    with monkeypatch.context() as context:
        context.setattr("ragsweep.sweep.run.freeze", lambda plan, folder: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            search.files("run")
    (folder,) = search.root.glob("outputs/run/*")
    ran = search("resume")
    assert (ran.code, ran.err) == (0, "no run has begun here: there is nothing to resume\n")
    ran = search("resume", str(folder))
    assert (ran.code, "a run that was cut off before it had one did nothing: write it again" in ran.err) == (2, True)
    (run,) = search.files("run").runs
    assert (run / "plan.json").is_file()


def test_a_finished_run_keeps_its_exit_code(search):
    run = search.files("run", "gate.words=1")
    assert run.code == 3
    ran = search("resume", str(run.runs[0]))
    assert (ran.code, "there is nothing to resume" in ran.err) == (3, True)


def test_without_a_folder_a_finished_run_with_failed_questions_is_named(search, monkeypatch):
    with monkeypatch.context() as context:
        broken_at(context, "number 4")
        search.files("run", "retry_failed=false")
        assert search("resume").err == "every run is finished: there is nothing to resume\n"
        run = search.files("run").runs[0]
    ran = search("resume")
    command = f"ragsweep resume {run.relative_to(search.root)}"
    assert (ran.code, ran.err.splitlines()[1]) == (0, f"1 questions failed in {run}; to ask them again: {command}")
    assert search(*command.split()[1:]).code == 0


@pytest.mark.parametrize(
    ("old", "new", "what"),
    [
        ('"document": "leave.md"', '"document": "gone.md"', "names a document that the run does not have: 'gone.md'"),
        ('"score": ', '"score": NaN, "scored": ', "NaN is no number of JSON"),
        ('"score": ', '"scored": ', "it is no record of ragsweep"),
        ("{", "{" * 5000, "not a line of JSON"),
    ],
)
def test_a_line_that_is_no_record_of_the_run_is_named(search, old, new, what):
    run = search.files("run").runs[0]
    (path,) = run.glob("*/records.jsonl")
    lines = path.read_text().splitlines(keepends=True)
    path.write_text("".join([*lines[:3], lines[3].replace(old, new, 1), *lines[4:]]))
    for command in ("collect", "resume"):
        ran = search(command, str(run))
        assert (ran.code, f"error: {path}:4: " in ran.err, what in ran.err) == (1, True, True), ran.err
        assert "Traceback" not in ran.err
    path.write_text("".join([*lines[:3], *lines[4:]]))
    ran = search("resume", str(run))
    assert (ran.code, said(ran)) == (0, "reused 9, re-scored 0, run 1, dropped 0")


def test_what_failed_is_asked_again_unless_retry_failed_says_no(search, monkeypatch):
    with monkeypatch.context() as context:
        broken_at(context, "number 4")
        run = search.files("run").runs[0]
        kept = search.files("run", "retry_failed=false").runs[0]
        assert search("resume", str(kept)).err.splitlines()[-1].endswith("there is nothing to resume")
    ran = search("resume", str(run))
    assert (ran.code, said(ran)) == (0, "reused 9, re-scored 0, run 1, dropped 0")
    assert [record["status"] for record in records(run) if "number 4" in record["question"]] == ["failed", "searched"]


@pytest.mark.parametrize("error", [SystemExit(0), SystemExit(4), GeneratorExit(), CancelledError(), Panic("index")])
def test_what_would_end_the_command_without_a_report_is_a_failed_question(search, monkeypatch, error):
    broken_at(monkeypatch, "number 4", error)
    ran = search.files("run", "n_jobs=1")
    assert ran.code == 1
    (said,) = [record["error"] for record in records(ran.runs[0]) if record["status"] == "failed"]
    assert said == f"WorkerError: a component raised {reason(error)}"
    assert " 9/10 " in ran.out


def test_a_chunker_that_would_end_the_command_costs_its_own_setups(search, monkeypatch):
    monkeypatch.setattr("ragsweep.chunkers.paragraph.Paragraph.split", lambda self, document: sys.exit(0))
    ran = search.files("run", "chunker=word,paragraph", "n_jobs=1")
    assert ran.code == 1
    assert "failed: paragraph: WorkerError: a component raised SystemExit: 0" in ran.out


def test_an_interrupt_that_a_component_raises_stays_one(search, monkeypatch):
    broken_at(monkeypatch, "number 4", KeyboardInterrupt())
    assert search.files("run", "n_jobs=1").code == 130


def test_a_question_that_fails_again_is_one_failure(search, monkeypatch):
    broken_at(monkeypatch, "number 4")
    run = search.files("run").runs[0]
    ran = search("resume", str(run))
    assert ran.code == 1
    assert "failed: ValueError: told to fail (1 question)" in ran.err
    (row,) = [line for line in ran.out.splitlines() if " 9/10 " in line]
    assert " 0.900 " in row


def test_failures_are_summed_up_by_reason_with_their_logs_and_debug_shows_their_frames(search, monkeypatch):
    broken_at(monkeypatch, "number")
    ran = search.files("run", "top_n=1,2")
    lines = ran.err.splitlines()
    place = lines.index("failed: ValueError: told to fail (20 questions)")
    logs = sorted(ran.runs[0].glob("*/run.log"))
    assert (
        lines[-1]
        == f"next: put right what failed; ragsweep resume {ran.runs[0].relative_to(Path.cwd())} then asks 20 questions again"
    )
    assert lines[place + 1 : place + 3] == [
        f"  top_n={n}: q0, q1, q2 and 7 more: {log}" for n, log in zip((1, 2), logs, strict=True)
    ]
    assert "Traceback" not in ran.err
    debugged = search.files("run", "--debug")
    assert debugged.err.count("Traceback") == 1
    assert '    raise ValueError("told to fail")' in debugged.err
    assert "Traceback" in search("plan", "--debug", "topk=3").err


@pytest.mark.parametrize(
    ("given", "asked"),
    [
        (["on_error=stop"], 3),
        (["max_failures=0"], 3),
        (["max_failures=2"], 5),
        (["max_failures=0.3"], 6),
        (["max_failures=8"], 10),
        ([], 10),
    ],
)
def test_a_run_stops_when_more_questions_fail_than_may(search, monkeypatch, given, asked):
    """Questions 2, 3, 4 ... fail: with max_failures=2 the third failure, that of number 4, is one too many."""
    with monkeypatch.context() as context:
        for number in range(2, 10):
            broken_at(context, f"number {number}")
        ran = search.files("run", *given)
    run = ran.runs[0]
    assert (ran.code, len(records(run))) == (1, asked)
    assert ("go on with: ragsweep resume" in ran.err) == (asked < 10)
    assert (json.loads((run / "report.json").read_text())["setups"][0]["status"] == "unfinished") == (asked < 10)
    assert search("resume", str(run)).code == 0
    assert len({record["key"] for record in records(run)}) == 10


def test_on_error_and_max_failures_are_one_decision(search):
    ran = search.files("plan", "on_error=stop", "max_failures=3")
    assert (ran.code, "on_error=stop is max_failures=0: write one of them" in ran.err) == (2, True)
    for wrong in ("max_failures=-1", "max_failures=1.5", "max_failures=some"):
        assert search.files("plan", wrong).code == 2


@pytest.mark.parametrize("override", ["top_k=3", "chunker=word,page", "experiment=mine", "on_error=stop"])
def test_only_the_machine_may_change(search, override):
    run = search.files("run").runs[0]
    ran = search("resume", str(run), override)
    key = override.partition("=")[0]
    assert (ran.code, f"{key}: a run goes on with the values that it began with" in ran.err) == (2, True)


def test_n_jobs_and_the_launcher_may_change(search, monkeypatch):
    with monkeypatch.context() as context:
        broken_at(context, "number 4")
        run = search.files("run").runs[0]
    ran = search("resume", str(run), "n_jobs=2", "hydra/launcher=basic")
    assert (ran.code, said(ran)) == (0, "reused 9, re-scored 0, run 1, dropped 0")


def test_what_was_removed_from_the_store_is_built_again_or_named(search, monkeypatch):
    with monkeypatch.context() as context:
        broken_at(context, "number 4")
        run = search.files("run").runs[0]
    store = search.root / "outputs" / ".store"
    for kind in ("chunks", "bm25"):
        for entry in (store / kind).iterdir():
            (entry / "manifest.json").unlink()
    assert search("resume", str(run)).code == 0
    for entry in (store / "documents").iterdir():
        (entry / "manifest.json").unlink()
    ran = search("collect", str(run))
    assert (ran.code, "is no longer in the store" in ran.err) == (1, True)
    search.questions([*TEN, {"id": "new", "question": "And?", "answerable": False}])
    ran = search("resume", str(run))
    assert (ran.code, said(ran)) == (0, "reused 10, re-scored 0, run 1, dropped 0")
    assert "2 texts were removed from the store: their files are read again" in ran.err
    for entry in (store / "documents").iterdir():
        (entry / "manifest.json").unlink()
    (search.root / "docs" / "leave.md").write_text("Another text of leave.")
    ran = search("resume", str(run))
    assert ran.code == 1
    assert "the text of 'leave.md' is no longer in the store" in ran.err
    assert "its file is gone or not what it was: run the experiment again" in ran.err


def test_each_point_of_a_run_may_be_its_end(sweep):
    """A kill before anything is published, after some records, before the report; and of the resume itself at each of these."""
    sweep.defaults = (*sweep.defaults, "generator.seconds=0")
    assert sweep.run().code == 0
    (undisturbed,) = sweep.folders
    for point, of_resume, more in (
        ("before-publish:8", "before-publish:2", 0),
        ("after-record:3", "after-record:5", 5),
        ("before-merge", "before-merge", 0),
    ):
        assert sweep.run("n_jobs=1", RAGSWEEP_KILL_AT=point).code == -9
        folder = sweep.folders[-1]
        kept = len(sweep.records(folder))
        killed = sweep.resume("n_jobs=1", RAGSWEEP_KILL_AT=of_resume)
        assert (killed.code, len(sweep.records(folder))) == (-9, kept + more)
        assert sweep.resume("n_jobs=1").code == 0
        assert sweep.differences(undisturbed, folder) == []


def test_a_run_at_work_is_left_alone(sweep):
    running = sweep.begin("n_jobs=1", FAKES_HOLD="What of the days?")
    sweep.recorded(1)
    refused = sweep.resume()
    assert (refused.code, "this run is at work: process " in refused.err) == (2, True)
    (sweep.root / "go").touch()
    assert sweep.done(running).code == 0


def test_a_chunker_that_raises_costs_its_row_of_nine(sweep):
    sweep.defaults = ("retriever=bm25", "generator=slow", "n_jobs=1", "generator.seconds=0")
    given = ("chunker=word,raises,paragraph", "generator.name=a,b,c")
    done = sweep.run(*given)
    assert done.code == 1
    rows = sweep.rows(sweep.folders[-1])
    assert sorted(row["status"] for row in rows.values()) == ["failed"] * 3 + ["ok"] * 6
    assert all("broken on purpose" in row["error"] for name, row in rows.items() if "raises" in name)
    stopped = sweep.run(*given, "on_error=stop")
    assert (stopped.code, sweep.records(sweep.folders[-1])) == (1, [])
    assert len(sweep.rows(sweep.folders[-1])) == 9
