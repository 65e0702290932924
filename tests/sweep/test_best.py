"""best.yaml is the best setup as an experiment: it runs to the same id, wherever it lies, and says so once, on the terminal."""

import json
import shutil

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from omegaconf import OmegaConf

from ragsweep.sweep.frozen import PLAN, RECORDS, thaw
from ragsweep.sweep.yaml_text import literal, yaml_lines


def ids(folder):
    return [setup["id"] for setup in json.loads((folder / "report.json").read_text())["setups"]]


@given(st.recursive(st.none() | st.booleans() | st.integers() | st.text(), st.lists))
def test_values_are_read_back_from_yaml_as_they_were(value):
    config = OmegaConf.create(yaml.safe_load("\n".join(yaml_lines(literal({"outer": {"key": value}})))))
    assert OmegaConf.to_container(config, resolve=True) == {"outer": {"key": value}}


@pytest.mark.parametrize("text", ["${x}", "\\${x}", "a\\\\${oc.env:HOME}", "$x {y}", "\\n\\", "${${x}}", "a\x85b\u2028"])
def test_no_text_is_taken_for_a_reference(text):
    config = OmegaConf.create(yaml.safe_load("\n".join(yaml_lines(literal({"key": text})))))
    assert OmegaConf.to_container(config, resolve=True) == {"key": text}


@pytest.mark.parametrize(
    "given",
    [
        ["chunk_size=7", "chunk_overlap=2", "top_k=4", "top_n=1"],
        ["chunker=recursive", 'chunker.separators=["\\n","\u2028",". "]', "chunker.keep=right", "length=characters"],
        ["chunker=section", "chunker.heading_path=false", "dedupe=off"],
        ["chunker=page", "context_words=12", "dedupe=0.9"],
        ["chunker=token", "chunk_size=20", "language=german"],
        ["reranker=overlap", "language=german", "retriever.language=french", "retriever.k1=0.9"],
    ],
    ids=lambda given: " ".join(given),
)
def test_it_runs_to_the_same_setup(project, given):
    first = project.files("run", *given)
    assert first.code == 0, first.err
    again = project("run", str(first.runs[0] / "best.yaml"), "n_jobs=1")
    assert again.code == 0, again.err
    best, run = again.runs
    assert (best.parent.name, run.parent.name) == ("run", "run-best")
    assert ids(best) == ids(run)
    described = [json.loads((folder / PLAN).read_text())["setups"][0]["setup"] for folder in (best, run)]
    assert described[0] == described[1]


def test_it_runs_to_the_same_setup_with_models(project):
    given = ["reranker=mmr", "reranker.lambda=0.4", "rag_type=adaptive", "rag_type.max_retries=1", "generator.threshold=0.3"]
    given += ["retriever.fusion=convex", "retriever.dense_weight=0.3", "retriever.bm25.b=0.5"]
    first = project("run", "--files", "docs", "--questions", "questions.json", "n_jobs=1", *given)
    assert first.code == 0, first.err
    again = project("run", str(first.runs[0] / "best.yaml"), "n_jobs=1")
    assert ids(again.runs[0]) == ids(again.runs[1])


def test_it_names_every_setting_so_that_defaults_may_change(project, monkeypatch):
    """Root values that parts take over stand at the root; no other value of any part is left to conf/."""
    folder = project.files("run", "chunker=paragraph").runs[0]
    written = yaml.safe_load((folder / "best.yaml").read_text())
    assert {"chunk_size": 160, "chunk_overlap": 20, "top_k": 30, "top_n": 5, "dedupe": 1.0}.items() <= written.items()
    assert written["chunker"] == {"length": "words"}
    assert written["retriever"] == {"k1": 1.5, "b": 0.75}
    changed = project("run", str(folder / "best.yaml"), "chunk_size=9", "n_jobs=1")
    assert (changed.code, "chunk_overlap=20 must be smaller than chunk_size=9" in changed.err) == (2, True)
    changed = project("run", str(folder / "best.yaml"), "chunk_size=50,60", "n_jobs=1")
    assert "2 combinations, 2 setups" in changed.err


def test_it_is_the_setup_of_the_best_line_and_of_a_tie_the_first(project):
    project.questions(
        [{"id": "q", "question": "How many days of leave abroad?", "required_evidence_ids": ["leave.md", "remote.md"]}]
    )
    ran = project.files("run", "top_n=1,2,3")
    assert "Best Recall 1.000: top_n=2, top_n=3 (a tie" in ran.out
    assert yaml.safe_load((ran.runs[0] / "best.yaml").read_text())["top_n"] == 2
    tie = "of 2 that tie on Recall, nDCG and MRR, the first in the table"
    assert f"\n# Chosen {tie}.\n" in (ran.runs[0] / "best.yaml").read_text()
    assert ran.err.splitlines()[-2] == (f"the best setup as an experiment ({tie}): ragsweep run {ran.runs[0] / 'best.yaml'}")
    for name in ("report.md", "report.csv", "report.json", "questions.csv"):
        text = (ran.runs[0] / name).read_text()
        assert "best.yaml" not in text
        assert str(project.root) not in text


def test_without_a_best_setup_there_is_no_file(project):
    folder = project.files("run", "top_n=1,2").runs[0]
    assert (folder / "best.yaml").is_file()
    for job in thaw(folder / PLAN).jobs:
        (folder / job.folder / RECORDS).unlink()
    ran = project("collect", str(folder))
    assert (ran.code, (folder / "best.yaml").exists(), "best setup" in ran.err) == (1, False, False)


def test_of_several_runs_it_is_over_the_files_of_its_own(project):
    folders = [str(project.files("run", f"top_n={top_n}").runs[0]) for top_n in (1, 2)]
    ran = project("collect", *folders)
    collected = next(folder for folder in ran.runs if folder.parent.name == "collected")
    assert yaml.safe_load((collected / "best.yaml").read_text())["dataset"]["files"] == [str(project.root / "docs")]


def test_files_are_those_of_the_experiment_from_wherever_it_is_run(project, tmp_path, monkeypatch):
    folder = project.experiment(
        "dataset: {files: 'd*', questions: questions.json, root: .}\nrag_type: search\nretriever: bm25\nn_jobs: 1\n", "mine"
    )
    first = project("run", "experiment=mine").runs[0]
    elsewhere = tmp_path / "else where" / "my best (1), a=b.yaml"
    elsewhere.parent.mkdir()
    shutil.move(first / "best.yaml", elsewhere)
    monkeypatch.chdir(elsewhere.parent)
    monkeypatch.setenv("RAGSWEEP_OUTPUTS", str(tmp_path / "out"))
    ran = project("run", elsewhere.name, "n_jobs=1")
    assert ran.code == 0, ran.err
    again = next((tmp_path / "out").glob("my-best-1-a-b/latest"))
    assert ids(again.resolve()) == ids(first)
    shutil.rmtree(folder)
    ran = project("run", elsewhere.name)
    assert (ran.code, ran.out) == (2, "")
    assert "dataset.files: " in ran.err
    assert "no file matches" in ran.err
    assert "questions.json' cannot be read: No such file" in ran.err


def test_questions_in_the_experiment_itself_are_kept(project):
    project.experiment(
        "dataset:\n  files: docs\n  questions: [{id: q, question: 'What costs \\${x}?', required_evidence_ids: [leave.md]}]\n"
        "rag_type: search\nretriever: bm25\nn_jobs: 1\n"
    )
    first = project("run", "experiment=mine").runs[0]
    ran = project("run", str(first / "best.yaml"), "n_jobs=1")
    assert ran.code == 0, ran.err
    asked = [json.loads((folder / PLAN).read_text())["corpora"]["pypdf"]["questions"][0]["text"] for folder in ran.runs]
    assert asked == ["What costs ${x}?", "What costs ${x}?"]


def test_part_of_the_questions_is_said(project):
    ran = project.files("run", "limit=1")
    assert "\n# PARTIAL: chosen by 1 of 3 questions\n" in (ran.runs[0] / "best.yaml").read_text()
    assert "the best setup as an experiment (PARTIAL, chosen by 1 of 3 questions): ragsweep run" in ran.err


def test_it_keeps_the_name_of_the_setup_and_that_of_its_experiment(project):
    project.experiment("dataset: {files: docs, questions: questions.json}\nrag_type: search\nretriever: bm25\nn_jobs: 1\n")
    first = project("run", "experiment=mine", "chunk_size=7,9", "chunk_overlap=1").runs[0]
    best = project("run", str(first / "best.yaml"))
    assert best.code == 0, best.err
    again = next(folder for folder in best.runs if folder.parent.name == "mine-best")
    named = [json.loads((folder / "report.json").read_text())["setups"][0]["name"] for folder in (first, again)]
    assert named == ["chunk_size=7", "chunk_size=7"]
    assert "setup chunk_size=7" in project("plan", str(first / "best.yaml"), "n_jobs=2", "limit=1").out
    other = project("plan", str(first / "best.yaml"), "chunk_size=8").out
    assert "setup search + word" in other, "the name is that of other values"
    assert "chunk_size=7" not in other


def test_any_experiment_runs_by_the_path_of_its_file(project):
    folder = project.experiment(
        "dataset: {files: docs, questions: questions.json}\nrag_type: search\nretriever: bm25\nn_jobs: 1\nchunker: page\n"
    )
    by_name, by_path = (project("run", given) for given in ("experiment=mine", "experiments/mine/experiment.yaml"))
    assert by_path.code == 0, by_path.err
    assert by_path.runs[0].parent.name == "mine"
    assert by_name.out.splitlines()[:3] == by_path.out.splitlines()[:3]
    assert project("accept", str(by_path.runs[0])).code == 0
    assert project("check", str(folder / "experiment.yaml")).code == 0
    assert "setup page" in project("plan", "experiments/mine/experiment.yaml", "chunker=page,word").out
    assert project("ask", "How many days of leave?", "experiments/mine/experiment.yaml").code == 0


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (["best.yaml"], "best.yaml: there is no such file: write the path of an experiment.yaml or a best.yaml"),
        (["a.yaml", "b.yaml"], "a.yaml b.yaml: write one experiment, by its name or by its file"),
        (["a.yaml", "experiment=mine"], "a.yaml: write one experiment, by its name or by its file"),
        (["broken.yaml"], "broken.yaml is not YAML"),
        (["typo.yaml"], "topk: unknown key; did you mean 'top_k'?"),
        (["turned.yaml"], "turned.yaml:2: pdf: no is read as a truth value"),
    ],
)
def test_mistakes_in_a_path(project, given, said):
    for name, text in {"broken": "a: [", "typo": "topk: 3", "turned": "top_k: 3\npdf: no"}.items():
        (project.root / f"{name}.yaml").write_text(text)
    ran = project("run", *given)
    assert (ran.code, ran.out) == (2, "")
    assert said in ran.err


def test_a_file_of_another_name_has_no_accepted_report(project):
    """Its folder may be a run's, whose report.md is another."""
    first = project.files("run").runs[0]
    before = (first / "report.md").read_bytes()
    project("run", str(first / "best.yaml"), "n_jobs=1")
    again = project.root / "outputs" / "run-best" / "latest"
    copy = "copy it to experiments/NAME/experiment.yaml"
    assert copy in project("run", str(first / "best.yaml"), "n_jobs=1").err.splitlines()[-1]
    assert f"ran a file that is no experiment by name: {copy}" in project("accept", str(again)).err
    ran = project("check", str(first / "best.yaml"))
    assert (ran.code, "check takes an experiments/NAME/experiment.yaml" in ran.err) == (2, True)
    assert (first / "report.md").read_bytes() == before
