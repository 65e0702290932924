"""timing=alone: some questions are asked again after the sweep, for p50 and p95 only."""

import json

import pytest

from ragsweep.reporting.compare import strip_run
from ragsweep.sweep import alone

FILES = ("report.md", "report.csv", "questions.csv")
ASKED = [
    {"id": f"q{n}", "question": f"How many days of leave, number {n}?", "required_evidence_ids": ["leave.md"]} for n in range(5)
]


def reports(ran):
    return {name: strip_run((ran.runs[0] / name).read_text("utf-8")) for name in FILES}


def timed(ran):
    return [json.loads(line) for path in sorted(ran.runs[0].glob("*/alone.jsonl")) for line in path.read_text().splitlines()]


@pytest.fixture
def most(project, monkeypatch):
    """Two questions of five are timed."""
    monkeypatch.setattr(alone, "MOST", 2)
    project.questions(ASKED)


def test_it_changes_nothing_but_the_times(project, most):
    swept = project.files("run", "chunker=word,page")
    expected = reports(swept)
    ran = project.files("run", "chunker=word,page", "timing=alone")
    assert "p50 ms (alone)" in ran.out and "alone" not in swept.out
    assert "questions timed alone: 4 of 4" in ran.err
    assert [row["question"][-2] for row in timed(ran)] == ["0", "2"] * 2, "spread over all questions, the same of each setup"
    assert reports(ran) == expected


def test_the_percentiles_are_of_those_alone(project, most):
    """Those of the sweep would crown the setup that happened to run beside less."""
    ran = project.files("run", "timing=alone")
    (path,) = ran.runs[0].glob("*/alone.jsonl")
    path.write_text(
        "".join(json.dumps({**row, "seconds": seconds}) + "\n" for row, seconds in zip(timed(ran), (1.0, 3.0), strict=True))
    )
    (setup,) = json.loads(project("collect", str(ran.runs[0]), "--json").out)["setups"]
    assert (setup["run"]["p50_s"], setup["run"]["p95_s"]) == (2.0, pytest.approx(2.9))


def test_no_setup_pays_for_documents_that_the_next_ones_use_too(project, most, monkeypatch):
    read = []

    def seen(setup, index, *rest):
        read.append(len(index.documents._read) == len(index.documents))
        return run(setup, index, *rest)

    run = alone.run
    monkeypatch.setattr(alone, "run", seen)
    project.files("run", "chunker=word,page", "timing=alone")
    assert read == [True, True]


def test_a_resume_times_what_is_left(project, most):
    ran = project.files("run", "timing=alone")
    (path,) = ran.runs[0].glob("*/alone.jsonl")
    kept = path.read_text().splitlines(keepends=True)[0]
    path.write_text(kept + '{"question": "torn')
    manifest = ran.runs[0] / "manifest.json"
    manifest.write_text(json.dumps({**json.loads(manifest.read_text()), "finished": False}))
    again = project("resume", str(ran.runs[0]))
    assert again.code == 0, again.err
    assert "questions timed alone: 1 of 1" in again.err
    assert path.read_text().startswith(kept) and len(timed(ran)) == 2


def test_the_plan_counts_what_is_asked_again(project, most, monkeypatch):
    said = project.files("plan", "timing=alone").out
    assert "then up to 50 questions of each again, alone" in said or "then up to 2 questions of each again, alone" in said
