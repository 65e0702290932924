"""evidence_match through the command line: scores, floor, ceiling, the report's line and plan.json; never a setup's id."""

import json

import pytest

QUESTIONS = [
    {"id": "q1", "question": "How many days of leave?", "expected": ["leave. Unused days lapse"]},
    {"id": "q2", "question": "Who approves the dates?", "expected": ["manager approves"]},
]
CHUNKS = ("chunker=word", "chunk_size=7", "chunk_overlap=0")  # a border between "leave." and "Unused"


def reported(project, *overrides):
    ran = project.files("run", *CHUNKS, *overrides, "--json")
    assert ran.code == 0, ran.err
    folder = ran.runs[0]
    return json.loads(ran.out), json.loads((folder / "plan.json").read_text("utf-8")), folder


def test_the_rule_scores_and_bounds_alike(project):
    project.questions(QUESTIONS)
    (union, _, _), (single, plan, folder) = (reported(project, *rule) for rule in ((), ("evidence_match=single",)))
    assert (union["rule"], single["rule"], plan["settings"]["evidence_match"]) == ("union", "single", "single")
    assert [report["setups"][0]["recall"] for report in (union, single)] == [1, 0.5]
    assert [report["ceilings"][0]["recall"] for report in (union, single)] == [1, 0.5]
    assert [report["floors"][0]["recall"] for report in (union, single)] == [1, 0.5]  # all 4 chunks are drawn
    assert union["setups"][0]["id"] == single["setups"][0]["id"]
    assert "evidence_match=single" in (folder / "report.md").read_text("utf-8").replace("\\\\", "")


def test_collect_keeps_the_rule_of_the_run(project):
    project.questions(QUESTIONS)
    first, _, folder = reported(project, "evidence_match=single")
    again = project("collect", str(folder), "--json")
    assert json.loads(again.out) == first


@pytest.mark.parametrize(
    ("override", "message"),
    [
        ("evidence_match=one", "evidence_match='one': write 'union' or 'single'"),
        ("evidence_match=union,single", "it cannot be swept: one report has one rule; run it twice"),
    ],
)
def test_what_is_refused(project, override, message):
    ran = project.files("plan", override)
    assert ran.code == 2 and message in ran.err


def test_an_experiment_says_it_once_for_all(project):
    project.experiment("dataset: {files: docs, questions: questions.json}\nsweep: {evidence_match: [union, single]}\n")
    assert "sweep.evidence_match: cannot be swept" in project("plan", "experiment=mine").err
