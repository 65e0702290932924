"""Names never become paths, secrets are never written, and no config or plan names foreign code."""

import json
from pathlib import Path

import pytest

CANARY = "sk-canary-0123456789abcdef"
NAMES = [
    "../../x",
    "/tmp/x",
    "..",
    ".",
    "con",
    "nul.txt",
    "a\nb",
    "a\x1b[31mb",
    "x" * 300,
    "ü/ö",
    "a\\b",
    "-rf",
    "名前",
    "~",
    "*",
]


def tree(root: Path) -> list[Path]:
    return sorted(path.relative_to(root) for path in root.rglob("*"))


# ---- names ---------------------------------------------------------------------------------------------------------------


def test_names_of_setups_and_ids_of_questions_are_no_paths(project):
    folder = project.experiment(
        "dataset: {files: docs, questions: questions.json}\nrag_type: search\nretriever: bm25\nn_jobs: 1\n"
        + "setups: "
        + json.dumps([{"name": name, "top_k": 10 + place} for place, name in enumerate(NAMES)])
    )
    project.questions(
        [{"id": name, "question": "days of leave", "required_evidence_ids": ["leave.md"]} for name in NAMES], folder
    )
    before = tree(project.root)
    ran = project("run", "experiment=mine")
    assert ran.code == 0, ran.err
    made = [path for path in tree(project.root) if path not in before]
    assert {path.parts[0] for path in made} == {"outputs"}
    run = ran.runs[0]
    folders = [path for path in run.iterdir() if path.is_dir()]
    assert len(folders) == len(NAMES)
    for path in folders:
        assert len(path.name.encode()) <= 80 + 13
        assert path.name.isascii()
        assert path.resolve().parent == run
    assert [setup["name"] for setup in json.loads((run / "report.json").read_text())["setups"]] == NAMES
    for text in (ran.out, ran.err, (run / "report.md").read_text()):
        assert "\x1b" not in text


def test_names_of_documents_are_no_paths_in_outputs(project):
    odd = ["a b.md", "ü.md", "a'b\".md", "a\nb.md", "-rf.md", "con.md", "a\\b.md", "#p1.md", "a\x1b[31m.md", "x" * 200 + ".md"]
    for name in odd:
        (project.root / "docs" / name).write_text(f"{name} says hello", encoding="utf-8")
    ran = project.files("run")
    assert ran.code == 0, ran.err
    assert "\x1b" not in ran.out + ran.err
    for path in tree(project.root / "outputs"):
        assert path.name.isprintable()
        assert path.name.isascii()


# ---- secrets -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "override",
    [
        f"generator.api_key={CANARY}",
        f"+generator.api_key={CANARY}",
        f"+api_key={CANARY}",
        f"++embedder.token={CANARY}",
        f"embedder.api_key={CANARY},{CANARY}2",
    ],
)
def test_a_key_in_an_override_is_refused_and_written_nowhere(project, override):
    ran = project.files("run", override)
    assert ran.code == 2
    assert override.lstrip("+").partition("=")[0] in ran.err
    assert_nowhere(project, ran)


@pytest.mark.parametrize("launcher", ["parallel", "basic"])
def test_the_environment_is_written_nowhere(project, monkeypatch, launcher):
    monkeypatch.setenv("SOME_API_KEY", CANARY)
    ran = project.files("run", "top_n=1,2", f"hydra/launcher={launcher}")
    assert ran.code == 0, ran.err
    assert_nowhere(project, ran)


def test_nor_when_setups_fail(project, monkeypatch):
    monkeypatch.setenv("SOME_API_KEY", CANARY)

    def broken(self, *given):
        raise RuntimeError("retrieval is broken")

    monkeypatch.setattr("ragsweep.retrievers.bm25.Bm25.rank", broken)
    ran = project.files("run")
    assert ran.code == 1
    assert "retrieval is broken" in ran.out
    assert_nowhere(project, ran)


def assert_nowhere(project, ran):
    assert CANARY not in ran.out + ran.err
    for path in project.root.rglob("*"):
        if path.is_file():
            assert CANARY.encode() not in path.read_bytes(), path


# ---- code ----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("where", "target"),
    [
        ("chunker", "os.system"),
        ("retriever", "subprocess.run"),
        ("embedder", "joblib.load"),
        ("chunker", "ragsweep.files.os.system"),
    ],
)
def test_an_experiment_names_no_foreign_code(project, where, target):
    command = f"touch {project.root / 'ran'}"
    project.experiment(
        f"dataset: {{files: docs, questions: questions.json}}\n{where}: {{_target_: {target}, command: '{command}'}}\n"
    )
    ran = project("run", "experiment=mine")
    assert ran.code == 2
    assert f"_target_={target!r}" in ran.err
    assert sorted(path.name for path in project.root.iterdir()) == ["docs", "experiments", "questions.json"]


def test_a_target_on_the_command_line_is_an_unknown_key(project):
    ran = project.files("run", "chunker._target_=os.system")
    assert (ran.code, "chunker._target_: unknown key" in ran.err) == (2, True)


@pytest.mark.parametrize("setting", ["hydra.launcher._target_=os.system", "+hydra.callbacks.x._target_=os.system"])
def test_nor_do_settings_of_hydra(project, setting):
    ran = project.files("run", setting)
    assert ran.code != 0
    assert "os.system" in ran.out + ran.err
    assert "Traceback" not in ran.err


def test_a_plan_is_read_as_data(project):
    run = project.files("run").runs[0]
    content = json.loads((run / "plan.json").read_text())
    content["setups"][0]["setup"]["reranker"]["_target_"] = "os.system"
    (run / "plan.json").write_text(json.dumps(content))
    ran = project("collect", str(run))
    assert ran.code in (1, 2)
    assert "_target_='os.system': write a class inside ragsweep" in ran.err


def test_terminal_codes_in_questions_and_answers_are_shown_not_obeyed(project):
    project.questions(
        [
            {"id": "=cmd\x1b]0;x\x07", "question": "\x1b[31mnothing\x1b[0m\x07", "required_evidence_ids": ["leave.md"]},
            {"id": "q2", "question": "days\tof\nleave\x00\x9b31m", "required_evidence_ids": ["remote.md"]},
        ]
    )
    ran = project.files("run")
    reports = [path.read_text() for path in (*ran.runs[0].glob("report.*"), ran.runs[0] / "questions.csv")]
    for text in (ran.out, ran.err, *reports):
        assert not any(code in text for code in "\x1b\x07\x00\x9b")
    assert '"days\tof\nleave\\x00\\x9b31m"' in reports[-1]
    for arguments in (["--trace"], []):
        ran = project("ask", "\x1b[31mdays of leave", "--files", "docs", "rag_type=search", "retriever=bm25", *arguments)
        assert (ran.code, "\x1b" in ran.out + ran.err) == (0, False)
