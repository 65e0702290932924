"""The real command line in processes of its own: what a person types, what they see, and what is left on disk."""

import csv
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ragsweep.reporting.compare import strip_run

ROOT = Path(__file__).resolve().parents[1]
RAGSWEEP = Path(sys.executable).with_name("ragsweep")
POLICIES = ROOT / "experiments" / "policies"
README_COMMAND = ["-m", "rag_type=simple,adaptive", "chunker=word,paragraph"]
REPORTS = ("report.csv", "report.md", "questions.csv")
Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Shared by all: the model runs once."""
    return tmp_path_factory.mktemp("store")


@pytest.fixture(scope="module")
def run(store: Path) -> Run:
    """Runs a command in a folder; ``script`` is run.py (with the command's overrides alone) or the installed program."""

    def call(*arguments: str | Path, cwd: Path, script: Path | None = None, code: int = 0, **environment: str) -> Any:
        command = [sys.executable, script] if script else [RAGSWEEP]
        env = {**os.environ, "RAGSWEEP_STORE": str(store), **environment}
        env.pop("RAGSWEEP_OUTPUTS", None)
        done = subprocess.run([*command, *arguments], cwd=cwd, env=env, capture_output=True, encoding="utf-8", timeout=120)
        assert done.returncode == code, done.stdout + done.stderr
        return done

    return call


@pytest.fixture(scope="module")
def first(run: Run, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, subprocess.CompletedProcess[str]]:
    """The README's command, by run.py and from another folder, over an empty store: its run folder and what it printed."""
    here = tmp_path_factory.mktemp("first")
    done = run(*README_COMMAND, cwd=here, script=ROOT / "run.py")
    return (here / "outputs" / "policies" / "latest").resolve(), done


def write_questions(path: Path, *questions: dict[str, Any]) -> Path:
    path.write_text(json.dumps([{"id": f"q{place}", **question} for place, question in enumerate(questions)]), encoding="utf-8")
    return path


def rows(folder: Path) -> dict[str, dict[str, str]]:
    with (folder / "report.csv").open(encoding="utf-8", newline="") as file:
        return {row["setup"]: row for row in csv.DictReader(file)}


def reported(done: subprocess.CompletedProcess[str]) -> dict[str, Any]:
    """stdout of --json, which must be one JSON object and nothing else."""
    return dict(json.loads(done.stdout))


# ---- the README's command, and the same again under other circumstances --------------------------------------------------


def test_readme_command_prints_plan_table_and_places(first):
    folder, done = first
    assert list(rows(folder)) == ["simple + word", "adaptive + word", "simple + paragraph", "adaptive + paragraph"]
    assert {row["status"] for row in rows(folder).values()} == {"ok"}
    assert done.stdout.startswith("End-to-end report: 12 questions (11 answerable;")
    assert "\nQuestions to look at:\n" in done.stdout
    assert "4 setups" in done.stderr and str(folder) in done.stderr
    assert sorted(path.name for path in folder.iterdir() if path.is_file()) == [
        *("best.yaml", "manifest.json", "plan.json", "questions.csv", "report.csv", "report.json", "report.md", "run.lock")
    ]
    assert not (folder.parents[2] / "multirun").exists()


@pytest.mark.parametrize(
    "settings", [["n_jobs=1"], ["n_jobs=2"], ["hydra/launcher=basic"], ["hydra/launcher=joblib", "hydra.launcher.n_jobs=2"]]
)
def test_a_copy_elsewhere_gives_the_same_report_and_embeds_nothing(first, run, tmp_path, settings):
    shutil.copytree(POLICIES, tmp_path / "copies" / "policies")
    here = tmp_path / "it's here, #1"
    here.mkdir()
    done = run("run", "experiment=policies", "--experiments-dir", "../copies", *settings, cwd=here)
    folder = here / "outputs" / "policies" / "latest"
    plan = json.loads((folder / "plan.json").read_text(encoding="utf-8"))
    assert Path(plan["experiment_dir"]).resolve() == (tmp_path / "copies" / "policies").resolve()
    assert ", embedded now 0," in done.stdout
    assert [path.name for path in here.iterdir()] == ["outputs"]
    for name in REPORTS:
        texts = [strip_run((each / name).read_text(encoding="utf-8")) for each in (first[0], folder)]
        assert texts[0] == texts[1], name


def test_collect_makes_the_same_report_without_running(first, run, tmp_path):
    folder = tmp_path / "run"
    shutil.copytree(first[0], folder)
    for name in REPORTS:
        (folder / name).unlink()
    assert run("collect", folder, cwd=tmp_path).stdout == first[1].stdout
    assert all((folder / name).read_bytes() == (first[0] / name).read_bytes() for name in REPORTS)


# ---- experiments ---------------------------------------------------------------------------------------------------------


def test_a_local_experiment_wins_and_its_questions_may_stand_in_the_yaml(run, tmp_path):
    local = tmp_path / "experiments" / "policies"
    local.mkdir(parents=True)
    (local / "leave.txt").write_text("Staff have 25 days of leave.\n\nUnused days lapse in March.", encoding="utf-8")
    (local / "experiment.yaml").write_text(
        "dataset:\n  files: leave.txt\n  questions:\n"
        '    - {id: q1, question: "When do unused days lapse?", expected: ["lapse in March"]}\n'
        "rag_type: search\ntop_k: 2\ntop_n: 1\n"
        "sweep:\n  retriever: [bm25, hybrid]\n  chunk_size: [5, 20]\n  chunker: [word, page]\n"
        "setups:\n  - {name: all of it, rag_type: simple, chunker: paragraph, top_n: 2}\n",
        encoding="utf-8",
    )
    report = reported(run("run", "experiment=policies", "--json", cwd=tmp_path))
    assert [setup["name"] for setup in report["setups"]] == [
        "word + bm25 + chunk_size=5",
        "word + bm25 + chunk_size=20",
        "word + hybrid + chunk_size=5",
        "word + hybrid + chunk_size=20",
        "page + bm25",
        "page + hybrid",
        "all of it",
    ]
    assert (report["questions"], report["k"]) == (1, None)
    # A window of five words cuts the quote, and one hit cannot hold both halves.
    assert [setup["recall"] for setup in report["setups"]] == [0, 1, 0, 1, 1, 1, 1]


# ---- names and encodings -------------------------------------------------------------------------------------------------


def test_flags_take_names_that_hydra_cannot(run, tmp_path):
    odd = ["~a#p4, b=c ü.txt", "new\nline.txt", "-dash 'quote'.md", "${x} [1].txt"]
    files = tmp_path / "Übung, #1"
    files.mkdir()
    for place, name in enumerate(odd):
        (files / name).write_text(
            f"Rule number {place} concerns {['apples', 'pears', 'plums', 'grapes'][place]}.", encoding="utf-8"
        )
    questions = write_questions(
        tmp_path / "~questions, #1 ä.json",
        *({"question": f"Rule {place}?", "required_evidence_ids": [{"source": name}]} for place, name in enumerate(odd)),
    )
    report = reported(
        run(
            "run",
            "--json",
            "--files",
            *[files / name for name in odd],
            "--questions",
            questions,
            "rag_type=search",
            cwd=tmp_path,
        )
    )
    assert [setup["recall"] for setup in report["setups"]] == [1.0]


def test_chinese_names_under_an_ascii_locale(run, tmp_path):
    (tmp_path / "年休.md").write_text("# 年休\n\n每年有二十五天年休。", encoding="utf-8")
    questions = write_questions(tmp_path / "问题.json", {"question": "年休有多少天？", "required_evidence_ids": ["年休.md"]})
    plain = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    done = run("run", "--files", "年休.md", "--questions", questions, "rag_type=search", cwd=tmp_path, **plain)
    assert "Retrieval report: 1 question" in done.stdout
    assert "年休有多少天？" in (tmp_path / "outputs" / "run" / "latest" / "questions.csv").read_text(encoding="utf-8")


# ---- exit codes ----------------------------------------------------------------------------------------------------------


def test_mistakes_in_config_files_and_questions_come_together_before_any_work(run, tmp_path):
    (tmp_path / "a.txt").write_text("Something.", encoding="utf-8")
    questions = write_questions(tmp_path / "q.json", {"question": "What?", "required_evidence_ids": ["b.txt"]})
    done = run(
        *("run", "--files", "a.txt", "--questions", questions, "chunker=wrd,page", "topk=3", "chunk_size=ten"),
        cwd=tmp_path,
        code=2,
    )
    assert done.stdout == ""
    for part in ("chunker=wrd", "word", "topk", "top_k", "chunk_size", "Question 'q0'", "b.txt", "a.txt"):
        assert part in done.stderr
    assert "Traceback" not in done.stderr
    assert not (tmp_path / "outputs").exists()


BROKEN = '''
import os, signal
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

@dataclass(frozen=True)
class Raises:
    """A chunker that raises while it runs."""
    version: ClassVar[int] = 1
    needs: ClassVar[frozenset[str]] = frozenset()
    def split(self, document):
        yield 0, 1
        raise RuntimeError("broken on purpose")

@dataclass(frozen=True)
class Dies:
    """A reranker that takes its process with it."""
    version: ClassVar[int] = 1
    needs: ClassVar[frozenset[str]] = frozenset()
    def rerank(self, index, query, vectors, pool):
        os.kill(os.getpid(), signal.SIGKILL)
'''
SEARCH_PATH = """
from pathlib import Path
from hydra.plugins.search_path_plugin import SearchPathPlugin

class BrokenConf(SearchPathPlugin):
    def manipulate_search_path(self, search_path):
        search_path.append("broken", str(Path(__file__).parents[2] / "conf"))
"""


@pytest.fixture
def broken_parts(tmp_path: Path) -> Path:
    """An installed package, as far as Python can tell, whose entry point and Hydra plugin add a chunker and a reranker."""
    site = tmp_path / "site"
    texts = {
        "broken/__init__.py": BROKEN,
        "broken-1.0.dist-info/METADATA": "Metadata-Version: 2.1\nName: broken\nVersion: 1.0\n",
        "broken-1.0.dist-info/entry_points.txt": "[ragsweep.components]\nbroken = broken\n",
        "hydra_plugins/broken/__init__.py": SEARCH_PATH,
        "conf/chunker/raises.yaml": "# Raises.\n_target_: broken.Raises\n",
        "conf/reranker/dies.yaml": "# Dies.\n_target_: broken.Dies\n",
    }
    for name, text in texts.items():
        (site / name).parent.mkdir(parents=True, exist_ok=True)
        (site / name).write_text(text, encoding="utf-8")
    return site


def test_what_breaks_or_dies_is_a_row_and_the_others_finish(run, tmp_path, broken_parts):
    axes = ["chunker=word,raises,paragraph", "reranker=none,dies,blend"]
    run("run", "experiment=policies", "rag_type=search", *axes, cwd=tmp_path, code=1, PYTHONPATH=str(broken_parts))
    found = rows(tmp_path / "outputs" / "policies" / "latest")
    outcomes = {name: row["status"] for name, row in found.items()}
    assert outcomes == {
        f"{chunker} + {reranker}": "failed" if "raises" in chunker or "dies" in reranker else "ok"
        for chunker in ("word", "raises", "paragraph")
        for reranker in ("none", "dies", "blend")
    }
    assert all("broken on purpose" in row["error"] for name, row in found.items() if "raises" in name)
    assert {found[name]["error"] for name in ("word + dies", "paragraph + dies")} == {"worker died (signal 9)"}
    assert all(row["n_ok"] == "12" for row in found.values() if row["status"] == "ok")
