"""Each question asked several times: means over all of them, the spread beside, and nothing asked twice."""

import csv
import json

import pytest

from scripted_server import Reply, scripted


@pytest.fixture
def asked(project):
    """Run the project's questions with a model that refuses every fourth call; what it was asked, and what came of it."""
    project.questions(
        [
            {"id": "q1", "question": "How many days of leave?", "required_evidence_ids": ["leave.md"]},
            {"id": "q2", "question": "Who approves the dates?", "required_evidence_ids": ["remote.md"]},
        ]
    )
    prompts = []

    def answer(request):
        prompts.append(request.json["messages"][1]["content"].rpartition("Question: ")[2])
        said = "ANSWERABLE: no" if len(prompts) == 4 else "ANSWERABLE: yes\nYes [1]."
        return Reply(body={"choices": [{"message": {"content": said}, "finish_reason": "stop"}]})

    with scripted(answer) as server:

        def run(*overrides, command="run"):
            own = ["generator=openai", f"generator.base_url={server.url}/v1", "generator.model=m", "generator.window=4096"]
            return project.files(command, "rag_type=simple", "repeats=3", *own, *overrides)

        yield run, prompts


def test_means_are_over_all_and_the_spread_is_shown(asked):
    run, prompts = asked
    ran = run()
    assert ran.code == 0, ran.err
    assert prompts == ["How many days of leave?", "Who approves the dates?"] * 3, "a cut-off run has whole repeats"
    assert "2 questions asked 3 times each" in ran.out
    assert "6/6" in ran.out
    assert "simple + word, 3 repeats: Answered 50% to 100%" in ran.out
    report = json.loads((ran.runs[0] / "report.json").read_text("utf-8"))["setups"][0]
    assert (report["answered"], report["n"]) == (pytest.approx(5 / 6), 6)
    assert report["spread"]["answered"] == [0.5, 1.0]
    assert report["spread"]["recall"] == [1.0, 1.0]
    with (ran.runs[0] / "questions.csv").open(encoding="utf-8", newline="") as file:
        rows = [(row["question_id"], row["repeat"], row["status"]) for row in csv.DictReader(file)]
    assert [row for row in rows if row[2] == "abstained"] == [("q2", "1", "abstained")]
    assert [row[:2] for row in rows] == [(id, str(repeat)) for id in ("q1", "q2") for repeat in range(3)]


def test_without_differences_it_says_so(asked):
    run, _ = asked
    assert "search + word, 3 repeats: each gave the same scores" in run("rag_type=search").out


def test_a_setup_that_failed_gave_no_scores(asked):
    run, _ = asked
    ran = run("generator.window=10")
    assert ran.code == 1
    assert "each gave" not in ran.out


def test_the_plan_counts_every_repeat(asked):
    run, prompts = asked
    assert "m: 6 calls, about " in run(command="plan").out
    assert "m: 8 calls, about " in run("timing=alone", command="plan").out, "and each question once more"
    assert prompts == []


@pytest.mark.parametrize("wrong", ["repeats=0", "repeats=1.5", "repeats=1,2"])
def test_a_wrong_number(asked, wrong):
    run, _ = asked
    ran = run(wrong)
    assert ran.code == 2 and "repeats" in ran.err


def test_what_is_left_is_asked_again_and_no_more(asked, project):
    run, prompts = asked
    (folder,) = run().runs
    (records,) = folder.rglob("records.jsonl")
    lines = records.read_text("utf-8").splitlines()
    whole = (folder / "report.md").read_text("utf-8").partition("run:")[0]
    records.write_text("\n".join(lines[:5]) + "\n", "utf-8")
    manifest = folder / "manifest.json"
    manifest.write_text(manifest.read_text("utf-8").replace('"finished": true', '"finished": false'), "utf-8")
    ran = project("resume", str(folder))
    assert ran.code == 0, ran.err
    assert len(prompts) == 7
    assert whole.splitlines()[0] in (folder / "report.md").read_text("utf-8")
