"""`ragsweep init`: what it writes runs at once, what it is given wrong is told at once, and nothing is half written."""

import json
import os
import shutil
from pathlib import Path

import pytest
import yaml
from hydra.core.override_parser.overrides_parser import OverridesParser
from hypothesis import given
from hypothesis import strategies as st

from ragsweep import files
from ragsweep.config.overrides import parse
from ragsweep.sweep.init import _bad_name

LINES = """\
wrote experiments/mine: experiment.yaml, README.md, questions.json
  2 documents; 3 examples of a question, made of your files: write your own in their place
next:
  ragsweep questions check experiment=mine
  ragsweep run experiment=mine
"""


def written(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def read(folder: Path):
    return yaml.safe_load((folder / "experiment.yaml").read_text(encoding="utf-8"))


def test_what_it_prints_and_writes_and_that_it_runs(project):
    ran = project("init", "mine", "--files", "docs")
    assert (ran.code, ran.out, ran.err) == (0, LINES, "")
    folder = project.root / "experiments" / "mine"
    assert written(folder.parent) == ["mine"]
    assert written(folder) == ["README.md", "experiment.yaml", "questions.json"]
    assert read(folder) == {
        "dataset": {"files": "../../docs", "questions": "questions.json"},
        "rag_type": "search",
        "sweep": {"chunker": ["word", "paragraph"], "retriever": ["bm25", "hybrid"]},
    }
    checked = project("questions", "check", "experiment=mine")
    assert checked.code == 0
    assert "examples of ragsweep init, which say nothing about your search: q_001, q_002, q_003: write your own" in checked.out
    reported = project("run", "experiment=mine", "retriever=bm25", "n_jobs=1")
    assert reported.code == 0
    assert "3 questions (2 answerable)" in reported.out
    assert "note: examples of ragsweep init" in reported.out


def test_examples_are_sentences_of_the_files_and_say_that_they_are_examples(project):
    project("init", "mine", "--files", "docs")
    questions = json.loads((project.root / "experiments/mine/questions.json").read_text(encoding="utf-8"))
    quotes = [[item["quote"] for item in question.get("required_evidence_ids", [])] for question in questions]
    assert [len(found) for found in quotes] == [1, 2, 0]
    text = "".join(path.read_text(encoding="utf-8") for path in (project.root / "docs").iterdir())
    assert all(quote in text for found in quotes for quote in found)
    assert all(question["question"].startswith("Example: ") for question in questions)
    assert all("write a question of your own here" in question["example_of_ragsweep_init"] for question in questions)
    assert questions[2]["answerable"] is False


def test_questions_of_ones_own_stay_where_they_are(project):
    ran = project("init", "mine", "--files", "docs", "--questions", "questions.json")
    assert "3 questions" in ran.out and "example" not in ran.out
    folder = project.root / "experiments" / "mine"
    assert written(folder) == ["README.md", "experiment.yaml"]
    assert read(folder)["dataset"]["questions"] == "../../questions.json"
    assert project("plan", "experiment=mine").code == 0


def test_an_experiments_folder_elsewhere_is_in_the_commands(project):
    ran = project("init", "mine", "--files", "docs/*.md", "--experiments-dir", "a b/c")
    assert ran.out.splitlines()[-1] == "  ragsweep run experiment=mine --experiments-dir 'a b/c'"
    assert read(project.root / "a b/c/mine")["dataset"]["files"] == "../../../docs/*.md"
    assert project("plan", "experiment=mine", "--experiments-dir", "a b/c").code == 0


def test_what_reading_needs_is_written_too(project):
    (project.root / "docs" / "empty.md").write_text("")
    (project.root / "deep" / "docs").mkdir(parents=True)
    shutil.copytree(project.root / "docs", project.root / "deep" / "docs", dirs_exist_ok=True)
    reading = ["dataset.on_bad_file=skip", "dataset.root=deep", "dataset.limits.seconds=20", "dataset.limits.pages=9"]
    ran = project("init", "mine", "--files", "deep/docs", *reading)
    assert "  notice: 1 of 3 files skipped, each named below\n  notice: 'docs/empty.md' has no text" in ran.out
    dataset = read(project.root / "experiments/mine")["dataset"]
    assert dataset["on_bad_file"] == "skip"
    assert dataset["root"] == "../../deep"
    assert dataset["limits"] == {"seconds": 20, "pages": 9}
    assert project("plan", "experiment=mine").code == 0


def test_files_of_any_name(project):
    names = ["a, b.md", "~x #1 ${y}.md", "ü [1].md", 'it\'s \\ "so".md', "a\nb.md", "=.md", "no"]
    for name in names:
        (project.root / name).mkdir()
        shutil.copy(project.root / "docs/leave.md", project.root / name / f"{name.removesuffix('.md')}.md")
    assert project("init", "mine", "--files", *names).code == 0
    ran = project("questions", "check", "experiment=mine")
    assert ran.code == 0, ran.err
    assert "3 questions (2 answerable), 7 documents" in ran.out


# ---- mistakes ----------------------------------------------------------------------------------------------------------


@pytest.fixture
def refused(project):
    """A command that must end with mistakes alone, and leave no experiment and nothing half written."""

    def check(*arguments: str) -> list[str]:
        before = {path: path.read_bytes() for path in project.root.rglob("*") if path.is_file()}
        ran = project("init", *arguments)
        assert (ran.code, ran.out) == (2, "")
        assert {path: path.read_bytes() for path in project.root.rglob("*") if path.is_file()} == before
        return ran.err.splitlines()[1:]

    return check


@pytest.mark.parametrize(
    ("name", "near"),
    [
        ("a/b", "a-b"),
        ("../a", "a"),
        ("", None),
        (".", None),
        ("-x", "x"),
        (".hidden", "hidden"),
        ("übung 1", "ubung-1"),
        ("年假", None),
        ("1st", None),
        ("NULL", None),
        ("inf", None),
        ("a" * 81, "a" * 80),
        ("a\nb", "a-b"),
        ("a\0", "a"),
        ("mine.yaml", "mine-yaml"),
    ],
)
def test_names_that_cannot_be(name, near):
    said = f"NAME {name!r}: write a letter of A to Z, then letters, digits, - and _, at most 80 in all"
    assert _bad_name(name) == [said + (f", such as {near!r}" if near else "")]


def test_a_name_that_cannot_be_leads_nowhere(refused):
    assert refused("../mine", "--files", "docs")[0].startswith("  NAME '../mine': write a letter")


@given(st.one_of(st.text(max_size=8), st.from_regex(r"[A-Za-z][A-Za-z0-9_-]{0,7}", fullmatch=True)))
def test_a_name_that_is_let_through_is_read_as_it_is(name):
    if _bad_name(name):
        return
    overrides, problems = parse([f"experiment={name}"])
    assert (overrides.experiments, problems) == ((name,), [])
    assert OverridesParser.create().parse_override(f"experiment={name}").value() == name


@pytest.mark.parametrize("make", [Path.mkdir, lambda path: path.symlink_to("nowhere")])
def test_what_exists_is_left_as_it_is(refused, project, make):
    (project.root / "experiments").mkdir()
    make(project.root / "experiments" / "mine")
    (line,) = refused("mine", "--files", "docs")
    assert line.endswith("experiments/mine' exists and is left as it is: write another name")
    assert os.path.lexists(project.root / "experiments" / "mine")


def test_names_of_packaged_experiments_are_taken(refused):
    assert refused("policies", "--files", "docs") == [
        "  NAME 'policies': an experiment of this name comes with ragsweep: write another"
    ]


@pytest.mark.parametrize("where", [".", "e*/**/*.md"])
def test_files_that_would_hold_the_experiment_itself(refused, project, where):
    (project.root / "experiments").mkdir()
    shutil.copy(project.root / "docs/leave.md", project.root / "experiments/leave.md")
    (line,) = refused("mine", "--files", where)
    assert "experiments/mine' too, and its README.md would be read as a document" in line


def test_the_experiments_folder_is_no_folder(refused, project):
    (project.root / "experiments").write_text("")
    assert refused("mine", "--files", "docs")[0].endswith("experiments' is no folder")


PDFS = "pdf=pypdf,pdfium"


def test_all_mistakes_at_once(refused, project):
    (project.root / "docs" / "bad.pdf").write_bytes(b"no pdf")
    (project.root / "g.csv").write_text("question,source\nHow?,leave.md\n")
    found = refused("a/b", "--files", "docs", "nofile", "run.exe", "--questions", "g.csv", "topk=3", "top_k=3", PDFS)
    said = "\n".join(found)
    for part in (
        "topk: unknown key; did you mean 'top_k'?",
        "NAME 'a/b': write",
        "top_k: init takes pdf and dataset.* alone: write it in the experiment.yaml that init writes",
        "pdf: init takes one value: write the others in the experiment.yaml that init writes",
        "/nofile' does not exist",
        "/run.exe' does not exist",
        "dataset.questions: g.csv is a table (columns: question, source)",
        "\n      import csv, json\n",
    ):
        assert said.count(part) == 1, (part, said)


def test_files_that_cannot_be_read_are_named(refused, project):
    (project.root / "docs" / "bad.pdf").write_bytes(b"no pdf")
    (line,) = refused("mine", "--files", "docs")
    assert "'bad.pdf'" in line


def test_a_disk_that_fails_leaves_nothing(project, monkeypatch):
    def fail(path: Path, target: Path) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(files, "move", fail)
    ran = project("init", "mine", "--files", "docs")
    assert (ran.code, ran.out) == (1, "")
    assert written(project.root / "experiments") == []


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--files", "docs"], "write a NAME, before --files"),
        (["mine"], "--files"),
        (["mine", "--files", "docs", "experiment=x"], "NAME alone"),
        (["-x", "--files", "docs"], "-x"),
    ],
)
def test_the_command_is_explained(project, capsys, arguments, said):
    with pytest.raises(SystemExit) as ended:
        project("init", *arguments)
    assert ended.value.code == 2
    assert said in capsys.readouterr().err
