"""A small sweep of counting fakes, run by the real command line in child processes, each with a session of its own."""

import csv
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from ragsweep.reporting.compare import differences
from ragsweep.worker import attempt

MAIN = "import sys; from ragsweep.cli import main; sys.exit(main())"
WORDS = ["leave", "days", "staff", "manager", "office", "travel", "hotel", "card", "claim", "night", "bike", "gym"]
QUESTIONS = [
    {"id": f"q{number}", "question": f"What of the {word}?", "required_evidence_ids": [f"{word}.md", "gym.md"]}
    for number, word in enumerate(WORDS[:8])
]
SEARCH_PATH = """
from pathlib import Path
from hydra.plugins.search_path_plugin import SearchPathPlugin

class FakesConf(SearchPathPlugin):
    def manipulate_search_path(self, search_path):
        search_path.append("fakes", str(Path(__file__).parents[2] / "conf"))
"""


def within(seconds: float, condition: Callable[[], Any]) -> Any:
    """The first true value of ``condition``; fails when there is none in time."""
    end = time.monotonic() + seconds
    while not (value := condition()):
        assert time.monotonic() < end, "it did not happen in time"
        time.sleep(0.005)
    return value


@dataclass
class Sweep:
    """``docs``, ``questions.json`` and a command line; ``defaults`` are the overrides of every run."""

    root: Path
    defaults: tuple[str, ...] = ()
    started: list["subprocess.Popen[str]"] = field(default_factory=list)
    seen: list[Path] = field(default_factory=list)

    def start(self, *arguments: str, **environment: str) -> "subprocess.Popen[str]":
        """A command in a session of its own."""
        kept = {name: value for name, value in os.environ.items() if not name.startswith("RAGSWEEP_")}
        own = {"PYTHONPATH": str(self.root / "site"), "FAKES_LOG": str(self.root / "log"), "FAKES_GO": str(self.root / "go")}
        process = subprocess.Popen(
            [sys.executable, "-c", MAIN, *arguments],
            cwd=self.root,
            env={**kept, **own, "PYTHONDONTWRITEBYTECODE": "1", **environment},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),  # a shell's & may have it ignored
        )
        self.started.append(process)
        return process

    def begin(self, *overrides: str, **environment: str) -> "subprocess.Popen[str]":
        """A run over the files."""
        given = ["--files", "docs", "--questions", "questions.json"]
        return self.start("run", *given, *self.defaults, *overrides, **environment)

    def run(self, *overrides: str, **environment: str) -> "Done":
        """A run over the files to its end."""
        return self.done(self.begin(*overrides, **environment))

    def resume(self, *arguments: str, **environment: str) -> "Done":
        """A resume to its end."""
        return self.done(self.start("resume", *arguments, **environment))

    def done(self, process: "subprocess.Popen[str]") -> "Done":
        """What a command returned and printed."""
        out, err = process.communicate(timeout=120)
        _ = self.folders
        return Done(process.returncode, out, err)

    @property
    def folders(self) -> list[Path]:
        """The run folders in the order in which they were seen, as two may have the same second in their names."""
        found = {path.parent for path in self.root.glob("outputs/run/20*/plan.json")}
        self.seen += sorted(found - set(self.seen))
        return list(self.seen)

    def records(self, folder: Path) -> list[dict[str, Any]]:
        """Every whole line of every file of records."""
        lines = (line for path in sorted(folder.glob("*/records*.jsonl")) for line in path.read_text().split("\n")[:-1])
        return [json.loads(line) for line in lines]

    def recorded(self, number: int) -> list[dict[str, Any]]:
        """The records of the newest run, when there are ``number`` of them."""
        return within(30, lambda: self.folders and len(found := self.records(self.folders[-1])) >= number and found)

    def rows(self, folder: Path) -> dict[str, dict[str, str]]:
        """The rows of report.csv by setup."""
        with (folder / "report.csv").open(encoding="utf-8", newline="") as file:
            return {row["setup"]: row for row in csv.DictReader(line for line in file if not line.startswith("#"))}

    def processes(self, started: "subprocess.Popen[str]") -> dict[int, str]:
        """The command of each living process of a command's session, by its pid."""
        found = {}
        for path in Path("/proc").glob("[0-9]*"):
            with suppress(OSError):
                state, _, _, session = (path / "stat").read_text().rpartition(")")[2].split()[:4]
                if int(session) == started.pid and state != "Z":
                    found[int(path.name)] = (path / "cmdline").read_text().replace("\0", " ")
        return found

    within = staticmethod(within)
    differences = staticmethod(differences)

    def calls(self) -> Counter[str]:
        """How often each thing was asked of a fake."""
        log = self.root / "log"
        return Counter(log.read_text().splitlines()) if log.exists() else Counter()

    def questions(self, questions: list[dict[str, Any]]) -> None:
        """Write the questions."""
        (self.root / "questions.json").write_text(json.dumps(questions))


@dataclass(frozen=True)
class Done:
    """What a command returned and printed."""

    code: int
    out: str
    err: str

    @property
    def counts(self) -> dict[str, int]:
        """What a resume said that becomes of questions."""
        (said,) = (line for line in self.err.splitlines() if line.startswith("resuming "))
        return {what: int(number) for what, number in re.findall(r"(reused|re-scored|run|dropped) (\d+)", said)}


@pytest.fixture
def sweep(tmp_path: Path) -> Iterator[Sweep]:
    """Two chunk sizes by two settings of a generator that takes 30 ms: 4 setups of 8 questions."""
    texts = {
        "site/fakes/__init__.py": (Path(__file__).parent / "fakes.py").read_text(),
        "site/fakes-1.0.dist-info/METADATA": "Metadata-Version: 2.1\nName: fakes\nVersion: 1.0\n",
        "site/fakes-1.0.dist-info/entry_points.txt": "[ragsweep.components]\nfakes = fakes\n",
        "site/hydra_plugins/fakes/__init__.py": SEARCH_PATH,
        "site/conf/generator/slow.yaml": "# Slow.\n_target_: fakes.Slow\nseconds: 0.03\nname: ''\nmemory_mb: null\n",
        "site/conf/embedder/counting.yaml": "# Counting.\n_target_: fakes.Counting\nseconds: 0.0\n",
        "site/conf/chunker/raises.yaml": "# Raises.\n_target_: fakes.Raises\n",
        **{f"docs/{word}.md": f"About {word}. " + " ".join(WORDS) + f". More of the {word}." for word in WORDS},
    }
    for name, text in texts.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    defaults = ("retriever=bm25", "generator=slow", "chunk_size=6,12", "top_n=3", "generator.name=a,b", "n_jobs=2")
    made = Sweep(tmp_path, defaults)
    made.questions(QUESTIONS)
    yield made
    for process in made.started:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
    shutil.rmtree(tmp_path / "outputs", ignore_errors=True)


@pytest.fixture
def launch():
    """What the launcher with one process does."""

    def launch(plan, folder, jobs):
        for setup, _ in jobs:
            attempt(plan, setup)

    return launch


@pytest.fixture
def wanted(project, monkeypatch):
    """A composed sweep of two setups over two files and three questions, to be run in this process as often as it takes."""
    seen = []
    with monkeypatch.context() as context:
        context.setattr("ragsweep.sweep.run.show_plan", lambda wanted: seen.append(wanted) or 0)
        assert project.files("plan", "top_n=1,2").code == 0
    return seen[0]
