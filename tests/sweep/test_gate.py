"""gate, --fail-under and --fail-over through the command line: exit code 3 behind a whole report."""

import json

import pytest

from ragsweep.sweep.frozen import PLAN, RECORDS, thaw

EXPERIMENT = """
dataset: {files: docs, questions: questions.json}
rag_type: search
retriever: bm25
n_jobs: 1
sweep: {chunker: [page, word]}
gate: {recall: 1.0, words: 5}
"""


def test_a_gate_that_is_reached_and_one_that_is_not(project):
    ran = project.files("run", "--fail-under", "recall=0.9", "--fail-under", "hit=1")
    assert (ran.code, ran.err.splitlines()[-2]) == (
        0,
        "gate: reached by search + word (the best setup): recall 1.000 (at least 0.9), hit 1.000 (at least 1)",
    )
    assert "  gate: recall at least 0.9, hit at least 1 (the best setup)" in ran.err
    ran = project.files("run", "--fail-under", "recall=0.9", "--fail-over", "words=10.5")
    assert ran.code == 3
    assert ran.out.startswith("Retrieval report: 3 questions")
    assert ran.err.splitlines()[-2:] == [
        "gate: not reached by search + word (the best setup):",
        "  words 11.667 is 1.167 over 10.5",
    ]


def test_json_carries_the_outcome(project):
    ran = project.files("run", "gate.recall=0.9", "gate.words=10", "--json")
    assert ran.code == 3
    assert json.loads(ran.out)["gate"] == {
        "reached": False,
        "setup": "search + word",
        "metrics": {
            "recall": {"at_least": 0.9, "value": 1.0, "reached": True},
            "words": {"at_most": 10, "value": 11.666667, "reached": False},
        },
    }
    assert "words 11.667 is 1.667 over 10" in ran.err
    assert json.loads(project.files("run", "--json").out)["gate"] is None


def test_only_the_best_setup_counts(project):
    """top_n=1 finds one evidence of two: the mean of both setups is under the gate, the best setup is not."""
    project.questions(
        [{"id": "q", "question": "How many days of leave abroad?", "required_evidence_ids": ["leave.md", "remote.md"]}]
    )
    ran = project.files("run", "top_n=1,2", "gate.recall=0.9")
    assert (ran.code, "reached by top_n=2 (the best setup): recall 1.000" in ran.err) == (0, True)
    ran = project.files("run", "top_n=1,2", "gate.recall=0.9", "gate.setup='top_n=1'")
    assert ran.code == 3
    assert ran.err.splitlines()[-2:] == ["gate: not reached by top_n=1 (gate.setup):", "  recall 0.500 is 0.400 under 0.9"]
    ran = project.files("run", "top_n=1,2", "gate.recall=0.9", "report.sort=words")
    assert (ran.code, "not reached by top_n=1 (the best setup)" in ran.err) == (3, True)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (["--fail-under", "recal=0.9"], "--fail-under recal=0.9: recal: there is no such metric; did you mean 'recall'?"),
        (["gate.recal=0.9", "gate.hit=2"], "gate.recal: there is no such metric; did you mean 'recall'?\n  gate.hit=2: write"),
        (["gate.answered=0.9"], "gate.answered: rag_type=search gives no answers: leave it out, or choose another rag_type"),
        (["gate.recall=0.9", "gate.setup=word"], "gate.setup='word': there is no such setup; known: search + word"),
        (["gate.setup=search + word"], "gate: names no metric: write one, as in gate: {recall: 0.9}"),
        (["gate.recall=0.9,0.8"], "'gate.recall=0.9,0.8': gate.recall cannot be swept: write one value"),
        (["gate=0.9"], "gate=0.9: write keys and values"),
        (["gate.refused=0.5", "rag_type=simple"], "gate.refused: no question is unanswerable: leave it out"),
    ],
)
def test_mistakes_are_found_before_any_work(project, given, said):
    project.questions([{"id": "q", "question": "How many days of leave?", "required_evidence_ids": ["leave.md"]}])
    ran = project("run", "--files", "docs", "--questions", "questions.json", "rag_type=search", "retriever=bm25", *given)
    assert (ran.code, ran.out) == (2, "")
    assert said in ran.err
    assert not (project.root / "outputs" / "run").exists()


def test_a_mistake_in_a_gate_is_told_beside_one_in_a_label(project):
    project.questions([{"id": "q", "question": "How many days of leave?", "required_evidence_ids": ["leaf.md"]}])
    ran = project.files("plan", "gate.refused=0.9")
    assert ran.err.startswith("2 mistakes found before any work:\n  gate.refused: rag_type=search")
    assert "'leaf.md'" in ran.err


def test_the_gate_of_an_experiment_holds_in_run_collect_and_check(project):
    project.experiment(EXPERIMENT)
    ran = project("run", "experiment=mine")
    assert (ran.code, "  words 11.667 is 6.667 over 5" in ran.err) == (3, True)
    folder = str(ran.runs[0])
    assert project("collect", folder).code == 3
    assert project("collect", folder, "--fail-over", "words=24").code == 0
    assert project("accept", folder).code == 0
    assert project("check", "experiment=mine").code == 3
    relaxed = project("run", "experiment=mine", "--fail-over", "words=30")
    assert relaxed.code == 0
    assert project("accept", str(relaxed.runs[0])).code == 0, "a gate is no change of the report"
    assert project("check", "experiment=mine", "gate.words=24").code == 0
    assert project("ask", "How many?", "experiment=mine", "chunker=page").code == 0


def test_every_experiment_of_a_command_runs(project):
    for name in ("first", "second"):
        project.experiment(EXPERIMENT, name)
    ran = project("run", "experiment=first,second", "chunker=page")
    assert (ran.code, len(ran.runs)) == (3, 2)


def test_a_missed_gate_goes_before_a_failed_setup_and_a_reached_one_does_not(project):
    folder = project.files("run", "top_n=1,2").runs[0]
    records = folder / thaw(folder / PLAN).jobs[1].folder / RECORDS
    rows = [{**json.loads(line), "status": "failed", "error": "no"} for line in records.read_text().splitlines()]
    records.write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert project("collect", str(folder)).code == 1
    assert project("collect", str(folder), "--fail-under", "recall=0.5").code == 1
    assert project("collect", str(folder), "--fail-over", "words=1").code == 3


def test_a_run_that_is_not_finished_reaches_no_gate(project):
    """What was asked so far may be the easy half."""
    folder = project.files("run", "top_n=1,2").runs[0]
    (folder / thaw(folder / PLAN).jobs[1].folder / RECORDS).unlink()
    ran = project("collect", str(folder), "--fail-under", "recall=0")
    assert (ran.code, "gate: not reached: the run is not finished\n" in ran.err) == (3, True)


def test_runs_with_different_gates_are_collected_under_one_that_is_given(project):
    given = (["top_n=1", "gate.recall=0.1"], ["top_n=2", "gate.recall=0.2"], ["top_n=3", "gate.recall=0.2"])
    folders = [str(project.files("run", *each).runs[0]) for each in given]
    ran = project("collect", *folders[:2])
    assert (ran.code, "have different gates: write which numbers to reach" in ran.err) == (2, True)
    assert project("collect", *folders[:2], "--fail-under", "recall=1").code == 0
    without = str(project.files("run", "top_n=4").runs[-1])
    for both in ([folders[0], without], [without, folders[0]]):
        assert (project("collect", *both).code, project("collect", *both, "--fail-under", "recall=1").code) == (2, 0)
    ran = project("collect", *folders[1:])
    assert (ran.code, "gate: reached by top_n=2 (the best setup, of 2 that tie on " in ran.err) == (0, True)
    ran = project("collect", folders[0], "--fail-under", "answered=0.5")
    assert (ran.code, "gate.answered: rag_type=search gives no answers" in ran.err) == (2, True)


def test_a_named_setup_is_judged_under_its_name_in_a_report_of_several_runs(project):
    """The runs call their setups search + word; together they are told apart, and the gate still means its own."""
    named = ["gate.recall=0.1", "gate.setup=search + word"]
    folders = [str(project.files("run", size, *named).runs[0]) for size in ("chunk_size=5", "chunk_size=6")]
    ran = project("collect", *folders)
    assert (ran.code, "have different gates" in ran.err) == (2, True), "they are of different setups"
    ran = project("collect", folders[0], "--fail-under", "recall=0.2")
    assert "reached by search + word (gate.setup)" in ran.err


def test_a_partial_run_says_so(project):
    ran = project.files("run", "limit=1", "gate.words=1")
    assert (ran.code, "gate (PARTIAL: 1 of 3 questions): not reached by search + word" in ran.err) == (3, True)
