"""``ragsweep diff`` over real runs: counts that are the report's, contexts beside each other, and what cannot be compared."""

import json

import pytest

from ragsweep.sweep.collect import collect


@pytest.fixture
def run(project):
    project.questions(
        [
            {"id": "q1", "question": "How many days of leave?", "required_evidence_ids": [{"quote": "25 days of leave"}]},
            {"id": "q2", "question": "Who approves the dates?", "required_evidence_ids": ["remote.md"]},
            {"id": "q3", "question": "A gym?", "answerable": False},
        ]
    )
    (folder,) = project.files("run", "chunker=word,page", "chunk_size=4", "chunk_overlap=1", "top_n=1").runs
    return folder


def test_a_difference_is_that_of_the_report(project, run):
    report = collect([run])
    recalls = {each.setup.name: report.scores[each.setup.id] for each in report.report.results}
    ran = project("diff", f"{run}:word", "page", "--json")
    assert (ran.code, ran.err.count("mistake")) == (0, 0)
    told = json.loads(ran.out, parse_constant=pytest.fail)
    assert sum(told["counts"].values()) == 3
    for name, letter in (("word", "a"), ("page", "b")):
        answerable = [score.final.recall for score in recalls[name] if score.final]
        assert told["recall"][letter] == pytest.approx(sum(answerable) / len(answerable))
    every = {one["id"]: one for one in told["questions"]}
    assert every["q1"]["kind"] == "won", "four words hold no quote of four words with others around it"
    assert [chunk["text"] for chunk in every["q1"]["b"][0]["chunks"]] == [
        "Staff have 25 days of leave. Unused days lapse in March."
    ]
    assert "q3" not in every


def test_counts_come_first_and_a_pipe_is_80_wide(project, run):
    ran = project("diff", f"{run}:word", "page")
    lines = ran.out.splitlines()
    assert lines[0].startswith("A: word, ") and lines[1].startswith("B: page, ")
    assert lines[2].startswith("3 questions: B won ")
    assert "\x1b" not in ran.out
    assert max(map(len, lines)) <= 80
    beside = next(line for line in lines if line.startswith("A: searched"))
    assert beside[41:] == "B: searched"
    assert "evidence of q1: whole" in ran.out
    one = project("diff", f"{run}:word", "page", "--question-id", "q3").out
    assert "same    q3: A gym?" in one and "q1:" not in one
    assert "q1:" not in project("diff", f"{run}:word", "page", "--only", "lost").out


def test_two_runs(project, run):
    (other,) = project.files("run", "chunker=page", "top_n=1").runs
    ran = project("diff", f"{run}:page", f"{other}:page")
    assert ran.code == 0 and "won 0, lost 0, changed 0, same 3" in ran.out, "the same setup of two runs"


def test_questions_without_a_record_are_lost_with_the_reason(project, run):
    (records,) = [path for path in run.rglob("records.jsonl") if "page" in path.parent.name]
    kept = [line for line in records.read_text("utf-8").splitlines() if "How many" not in line]
    records.write_text("\n".join(kept) + "\n", "utf-8")
    told = json.loads(project("diff", f"{run}:word", "page", "--question-id", "q1", "--json").out)
    (one,) = told["questions"]
    assert (one["b"][0]["status"], one["b"][0]["recall"]) == ("failed", 0)
    assert "no record" in one["b"][0]["error"] and one["kind"] == "lost"
    shown = project("diff", f"{run}:page", "word", "--question-id", "q1").out
    assert "A: failed" in shown and "failed: lost: its worker left no" in shown


def test_what_cannot_be_compared(project, run):
    for first, second, more, said in (
        (f"{run}:wrd", "page", [], f"{run}:wrd: the run has no such setup; did you mean 'word'?"),
        (f"{run}:word", "pge", [], "the run has no such setup; did you mean 'page'?"),
        (f"{run}:word", "word", [], "both are the setup 'word': name two"),
        ("nowhere:word", "page", [], "nowhere:word: there is no such folder: write RUN_DIR:NAME, as in 'outputs"),
        (f"{run}:word", "page", ["--question-id", "q9"], "--question-id q9: there is no such question; known: q1, q2, q3"),
    ):
        ran = project("diff", first, second, *more)
        assert (ran.code, ran.out) == (2, "")
        assert said in ran.err
    project.questions([{"id": "q1", "question": "Another?", "required_evidence_ids": ["leave.md"]}])
    (other,) = project.files("run", "chunker=page", "top_n=1").runs
    ran = project("diff", f"{run}:word", f"{other}:page")
    assert ran.code == 2 and "asked different questions" in ran.err
