"""Where the time of a run went."""

import json

import pytest


@pytest.fixture
def ran(project):
    return project.files("run", "chunker=word,page")


def test_stages_and_steps_are_those_of_the_run(project, ran):
    """All attempts count, and each step once: shared seconds are in the steps too, so they are no part of a sum."""
    (run,) = ran.runs
    found = json.loads(project("profile", str(run), "--json").out)
    stages = found["stages"]
    assert {stage for stage, seconds in stages.items() if seconds} == {"plan", "indexes", "questions", "report"}
    steps = {setup["name"]: setup["steps"] for setup in found["setups"]}
    records = [json.loads(line) for path in run.glob("page-*/records.jsonl") for line in path.read_text().splitlines()]
    assert list(steps) == ["word", "page"] and set(steps["page"]) == {"retrieve", "rerank"}
    retrieved = sum(step["seconds"] for record in records for step in record["steps"] if step["name"] == "retrieve")
    assert steps["page"]["retrieve"] == pytest.approx(retrieved)
    for path in run.glob("page-*/records.jsonl"):
        path.unlink()
    manifest = run / "manifest.json"
    manifest.write_text(json.dumps({**json.loads(manifest.read_text()), "finished": False}))
    assert project("resume", str(run)).code == 0
    again = json.loads(project("profile", str(run), "--json").out)["stages"]
    assert all(again[stage] > stages[stage] for stage in ("plan", "questions", "report"))


def test_a_person_reads_where_most_of_it_went(project, ran):
    said = project("profile", str(ran.runs[0])).out
    assert "records scored, report written" in said and "most of it: " in said
    assert "setup  retrieve s  rerank s  all steps s  of all" in said


def test_a_run_that_noted_no_times_is_told(project, ran):
    manifest = ran.runs[0] / "manifest.json"
    manifest.write_text(json.dumps({**json.loads(manifest.read_text()), "stages": {}}))
    again = project("profile", str(ran.runs[0]))
    assert (again.code, "go on with ragsweep resume" in again.err) == (2, True)
