"""Every mistake in config, files and questions is found before any work: exit code 2 and nothing left on disk."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

GOOD = {"id": "q1", "question": "How many days of leave?", "required_evidence_ids": ["leave.md"]}

OVERRIDES = [
    ("topk=5", "topk: unknown key; did you mean 'top_k'?"),
    ("+typo=1", "typo: unknown key"),
    ("chunker=wrod", "chunker=wrod: there is no such option; did you mean 'word'?"),
    ("chunker=word,pgae", "chunker=pgae: there is no such option; did you mean 'page'?"),
    ("reranker.topn=3", "reranker.topn: top_n is a root value: write top_n=3"),
    ("retriever.bm26=3", "retriever.bm26: unknown key"),
    ("chunk_size=0", "chunk_size=0 must be 1 or more words"),
    ("chunk_size=-5", "chunk_size=-5 must be 1 or more words"),
    ("chunk_size=5.0", "chunk_size=5.0: write a whole number"),
    ("chunk_size='5'", "chunk_size='5': write a whole number"),
    ("chunk_size=5,many", "chunk_size='many': write a whole number"),
    ("chunk_overlap=160", "chunk_overlap=160 must be smaller than chunk_size=160: write chunk_overlap=20"),
    ("top_k=0", "top_k=0: write a whole number of 1 or more"),
    ("top_n=31", "top_n=31 is more than top_k=30"),
    ("dedupe=0", "dedupe=0: write a number over 0"),
    ("n_jobs=0", "n_jobs=0: write a whole number of 1 or more"),
    ("report.sort=ndgc", "ndgc"),
    ("report.by=[tasktype]", "report.by=tasktype: the questions cannot be told apart by it; known: answerable"),
    ("report.by=task_type", "report.by='task_type': write a list"),
    ("report.by=a,b", "for several keys write report.by=[a,b]"),
    ("scorecard.weights.embedding=1", "scorecard.weights.embedding: unknown key; known: answer, chunking"),
    ("scorecard.weights.answer=-1", "scorecard.weights.answer=-1: write a number of 0 or more"),
    ("scorecard.weights.answer=inf", "scorecard.weights.answer=inf: write a number of 0 or more"),
    ("scorecard.weights={chunking:0,retrieval:0,reranking:0,context:0,answer:0}", "scorecard.weights: all are 0"),
    ("scorecard.weights.answer=1,2", "scorecard.weights.answer cannot be swept"),
    ("report.sort=score_overall", "report.sort=score_overall: there is no such column"),
    ("store.folder=x", "store.folder: unknown key; known: dir"),
    ("chunk_size=${oc.env:RAGSWEEP_NOPE}", "Environment variable 'RAGSWEEP_NOPE' not found"),
    ("~chunker", "nothing can be deleted"),
    ("foo", "cannot be read; write key=value"),
    ("experiment=nope", "there is no"),
    ("experiment=../elsewhere", "write the name of its folder alone"),
    ("hydra/launcher=nope", "hydra/launcher=nope: there is no such option"),
    ("hydra.nope=1", "nope"),
]

QUESTIONS = [
    ([], "no question in"),
    ({}, "must be a list"),
    ([GOOD, {**GOOD}], "two questions have this id: questions.json[0] and questions.json[1]"),
    ([{**GOOD, "question": " "}], "Question 'q1': question ' ' is no text"),
    ([{**GOOD, "question": None}], "Question 'q1': question is missing"),
    ([{**GOOD, "id": 7}], "id 7 is no text"),
    ([{**GOOD, "required_evidence_ids": []}], "it has no evidence"),
    ([{**GOOD, "required_evidence_ids": ["leaf.md"]}], "did you mean 'leave.md'"),
    ([{**GOOD, "required_evidence_ids": ["Leave.md"]}], "'leave.md'"),
    ([{**GOOD, "required_evidence_ids": ["leave.md#p1"]}], "'leave.md' has no pages"),
    ([{**GOOD, "required_evidence_ids": ["leave.md#4"]}], "write the page as '#p4'"),
    ([{"id": "q1", "question": "a", "expected": ["never said"]}], "it does not occur"),
    ([{"id": "q1", "question": "a", "expected": ["leave.md"]}], 'write {"source": "leave.md"}'),
    (["a"], "a question must be an object"),
]

FILES: list[tuple[Callable[[Path], object], str]] = [
    (lambda docs: (docs / "empty.md").write_text(""), "'empty.md' has no text"),
    (lambda docs: (docs / "blank.txt").write_text(" \n\t"), "'blank.txt' has no text"),
    (lambda docs: (docs / "bad.pdf").write_bytes(b"no pdf"), "bad.pdf"),
    (lambda docs: [path.unlink() for path in docs.iterdir()], "docs"),
]


@pytest.fixture
def refused(project):
    """A command that must end with one or more mistakes, and leave nothing."""

    def check(command: str, *overrides: str) -> str:
        ran = project.files(command, *overrides)
        assert ran.code == 2, ran.out + ran.err
        assert ran.out == ""
        assert ran.err.startswith(("mistake: ", *(f"{count} mistake" for count in range(1, 20))))
        assert "Traceback" not in ran.err
        assert sorted(path.name for path in project.root.iterdir()) == ["docs", "questions.json"]
        return ran.err

    return check


@pytest.mark.parametrize(("override", "message"), OVERRIDES)
def test_in_the_command(refused, override, message):
    assert message in refused("run", override)


@pytest.mark.parametrize(("questions", "message"), QUESTIONS)
def test_in_the_questions(refused, project, questions, message):
    project.questions(questions)
    assert message in refused("run")


@pytest.mark.parametrize("text", ["", "{", "[1", '[{"id": "a", "id": "b"}]', "[NaN]", "\ufeff"])
def test_in_the_form_of_the_questions(refused, project, text):
    (project.root / "questions.json").write_text(text)
    assert "questions.json" in refused("run")


@pytest.mark.parametrize(("spoil", "message"), FILES)
def test_in_the_files(refused, project, spoil, message):
    spoil(project.root / "docs")
    if not any((project.root / "docs").iterdir()):
        project.questions([{"id": "q", "question": "a", "answerable": False}])
    assert message in refused("run")


@pytest.mark.parametrize("command", ["run", "plan"])
def test_all_of_them_at_once(refused, project, command):
    (project.root / "docs" / "empty.md").write_text("")
    project.questions([{**GOOD, "question": ""}, {"id": "q2", "question": "a"}])
    said = refused(command, "top_k=0", "topn=3", "chunker=wrod", "~reranker", "generator.threshold=high", "rag_type=simple")
    lines = said.splitlines()
    assert lines[0] == f"{len(lines) - 1} mistakes found before any work:"
    for part in (
        "'~reranker': nothing can be deleted",
        "top_k=0: write a whole number",
        "topn: unknown key; did you mean 'top_n'?",
        "chunker=wrod",
        "'empty.md' has no text",
        "Question 'q1': question is empty",
        "Question 'q2': it has no evidence",
    ):
        assert sum(part in line for line in lines[1:]) == 1, part


@pytest.mark.parametrize("given", [["store.dir=docs/leave.md"], ["store.dir=docs/leave.md/in/it"], []], ids=" ".join)
def test_a_store_or_outputs_that_no_folder_can_be_among_them(refused, project, monkeypatch, given):
    if not given:
        monkeypatch.setenv("RAGSWEEP_OUTPUTS", "docs/leave.md")
    said = refused("run", *given, "topk=3")
    assert (
        f"/docs/leave.md{'/in/it' * ('in/it' in ''.join(given))} needs a folder, and {project.root}/docs/leave.md is none"
        in said
    )
    assert "topk: unknown key" in said


def test_what_is_wrong_in_one_combination_of_many_stops_them_all(refused):
    assert "chunk_overlap=30 must be smaller than chunk_size=20" in refused("run", "chunk_size=90,60,20", "chunk_overlap=30")


def test_each_mistake_is_told_once_however_many_combinations_have_it(refused):
    said = refused("run", "top_n=2,3", "chunk_size=5,6", "top_k=many")
    assert said.splitlines() == ["1 mistake found before any work:", "  top_k='many': write a whole number"]


def test_control_characters_of_names_are_shown_not_obeyed(refused, project):
    (project.root / "docs" / "a\x1b[31m\nb.md").write_text("text")
    project.questions([{**GOOD, "required_evidence_ids": ["xyzzy"]}])
    said = refused("run")
    assert "a\\x1b[31m\\nb.md" in said
    assert "\x1b" not in said
    assert len(said.splitlines()) == 2


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nope"], "'nope' is no command; known: accept"),
        (["plna"], "did you mean 'plan'?"),
        (["collect", "nowhere"], "holds no plan.json"),
        (["accept", "nowhere"], "holds no plan.json"),
        (["plan", "--top_k", "5"], "--top_k: values are written without --: top_k=..."),
        (["run", "--chunk-size=5"], "--chunk_size: values are written without --: chunk_size=..."),
        (["run", "chunkr=?"], "there is no such part; did you mean 'chunker'?"),
    ],
)
def test_other_commands(project, arguments, message):
    ran = project(*arguments)
    assert (ran.code, message in ran.err) == (2, True)
    assert not (project.root / "outputs").exists()


def test_check_without_an_accepted_report(project):
    project.experiment("dataset: {files: docs, questions: questions.json}\n")
    ran = project("check", "experiment=mine")
    assert (ran.code, "there is no accepted report.md" in ran.err) == (2, True)
    assert not (project.root / "outputs").exists()


def test_ask_takes_one_setup(project):
    ran = project("ask", "How many days?", "--files", "docs", "rag_type=search", "retriever=bm25", "chunker=word,page")
    assert (ran.code, "ask takes one setup, and these are 2 (word, page)" in ran.err) == (2, True)


def test_the_questions_file_is_not_touched(project):
    before = (project.root / "questions.json").read_bytes()
    assert project.files("run").code == 0
    assert (project.root / "questions.json").read_bytes() == before
    assert json.loads(before)


def test_an_unknown_key_hides_no_other_mistake(project):
    ran = project.files("plan", "topk=3", "dedupe=2", "chunker=word", "chunker.chunk_size=x")
    assert ran.code == 2
    for said in ("topk: unknown key", "dedupe=2: ", "chunker.chunk_size='x': write a whole number"):
        assert said in ran.err


def test_a_question_with_a_mistake_of_form_is_checked_for_all_others(project):
    project.questions(
        [
            {"id": "a", "question": "", "required_evidence_ids": ["leav.md"]},
            {"id": "a", "question": "Where?", "required_evidence_ids": ["leave.md"]},
        ]
    )
    ran = project.files("plan")
    assert ran.code == 2
    for said in ("question is empty", "did you mean 'leave.md'", "two questions have this id"):
        assert said in ran.err
