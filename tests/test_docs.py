"""Every command of README and docs is run, and the table that README shows is what its first command prints.

In a block fenced as ``console`` a line after ``$ `` is a command; in one fenced as ``console 2`` or ``console 0`` each ends
with that exit code and prints the lines below it. A block whose fence names a path is written to it first, and ``>>>`` is a
doctest. The ``python`` blocks of a document that are no doctest are one script, which prints the lines of its ``text``
blocks, times aside. The commands of a document run in turn, in one folder that holds the sample as ``documents/`` and
``questions.json``. Those under a heading "Long runs" are left out; those that install or test the whole are left to .ci/run.
"""

import doctest
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).parents[1]
DOCUMENTS = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
FENCE = re.compile(r"^```(\w+)(?: (\S+))?\n(.*?)^```$", re.MULTILINE | re.DOTALL)
OF_CI = re.compile(r"pip install|^python -m pytest$|^\.ci/run$|^requirements/lock")
CHECKOUT = ("src", "conf", "run.py", "pyproject.toml", "experiments/policies", "tests/contracts")
"""What the commands of those who work on ragsweep get a copy of."""


class Block(NamedTuple):
    """A fenced block of a document."""

    language: str
    path: str
    text: str

    @property
    def shown(self) -> dict[str, list[str]]:
        """What is typed in it, and the lines shown below each command."""
        parts = self.text.split("$ ")[1:] if self.language == "console" else []
        return {command: lines for command, *lines in (part.splitlines() for part in parts)}

    @property
    def commands(self) -> list[str]:
        """What is typed in it."""
        return list(self.shown)


def blocks(text: str) -> list[Block]:
    """The blocks of a document in order, those under "Long runs" left out.

    >>> blocks("## Long runs\\n```console\\n$ a\\n```\\n## More\\n```yaml a/b.yaml\\nc: 1\\n```\\n")
    [Block(language='yaml', path='a/b.yaml', text='c: 1\\n')]
    """
    short = re.sub(r"^## Long runs\n.*?(?=^## |\Z)", "", text, flags=re.MULTILINE | re.DOTALL)
    return [Block(*found.groups(default="")) for found in FENCE.finditer(short)]


BLOCKS = {path: blocks(path.read_text(encoding="utf-8")) for path in DOCUMENTS}
WITH_COMMANDS = [path for path in DOCUMENTS if any(block.commands for block in BLOCKS[path])]


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """One store for all, and this interpreter's commands first."""
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    own = {name: value for name, value in os.environ.items() if not name.startswith("RAGSWEEP_")}
    return {**own, "PATH": path, "RAGSWEEP_STORE": str(tmp_path_factory.mktemp("store")), "PYTHONDONTWRITEBYTECODE": "1"}


def run(command: str, folder: Path, environment: dict[str, str], code: int = 0, lines: Sequence[str] = ()) -> str:
    """What a command prints on stdout; it must end with ``code``, and show ``lines`` on either stream."""
    done = subprocess.run(
        ["bash", "-c", command], cwd=folder, env=environment, capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == code, f"{command}\n{done.stdout}{done.stderr}"
    assert set(lines) <= set((done.stdout + done.stderr).splitlines()), f"{command}\n{done.stdout}{done.stderr}"
    return done.stdout


@pytest.mark.parametrize("path", WITH_COMMANDS, ids=lambda path: path.name)
def test_commands_run(path: Path, tmp_path: Path, environment: dict[str, str]) -> None:
    for name in CHECKOUT if path.name in ("CONTRIBUTING.md", "adding-a-component.md") else ():
        copy = shutil.copytree if (ROOT / name).is_dir() else shutil.copy
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        copy(ROOT / name, tmp_path / name)
        environment = {**environment, "PYTHONPATH": str(tmp_path / "src")}
    for name in ("documents", "questions.json"):
        sample = ROOT / "experiments/policies" / name
        (shutil.copytree if sample.is_dir() else shutil.copy)(sample, tmp_path / name)
    for block in BLOCKS[path]:
        is_checked = block.language == "console" and bool(block.path)
        code = int(block.path) if is_checked else 0
        if block.path and not is_checked:
            (tmp_path / block.path).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / block.path).write_text(block.text, encoding="utf-8")
        for command, lines in block.shown.items():
            if not OF_CI.search(command):
                run(command, tmp_path, environment, code, lines if is_checked else ())


def script(path: Path) -> str:
    """The Python of a document as one script; a block that is written to a file is none of it, nor is a doctest."""
    return "\n".join(
        each.text for each in BLOCKS[path] if each.language == "python" and not each.path and ">>> " not in each.text
    )


def untimed(line: str) -> str:
    """A line of a table without its last two columns.

    >>> untimed("word   0.955  12/12     11.0    17.4")
    'word   0.955  12/12'
    """
    return re.sub(r"(\s+[\d.]+){2}$", "", line)


@pytest.mark.parametrize("path", [path for path in DOCUMENTS if script(path)], ids=lambda path: path.name)
def test_python_runs(path: Path, tmp_path: Path, environment: dict[str, str]) -> None:
    for name in ("documents", "questions.json"):
        (tmp_path / name).symlink_to(ROOT / "experiments/policies" / name)
    (tmp_path / "script.py").write_text(script(path), encoding="utf-8")
    printed = [untimed(line) for line in run("python script.py", tmp_path, environment).splitlines()]
    shown = [untimed(line) for each in BLOCKS[path] if each.language == "text" for line in each.text.splitlines()]
    assert [line for line in shown if line not in printed] == []


@pytest.mark.parametrize(
    "path", [path for path in DOCUMENTS if ">>> " in path.read_text(encoding="utf-8")], ids=lambda path: path.name
)
def test_worked_examples_are_right(path: Path) -> None:
    assert doctest.testfile(str(path), module_relative=False, encoding="utf-8").failed == 0


def results(printed: str) -> list[list[str]]:
    """The cells of each line of a report, without run columns and run lines.

    >>> results("setup  Recall  p50 ms (2 side by side)\\nword  0.9  5.3\\nrun: 3 texts")
    [['setup', 'Recall'], ['word', '0.9']]
    """
    lines = [re.split(r"\s{2,}", line.strip()) for line in printed.strip().splitlines() if not re.match(r"run: |-+$", line)]
    width = next(sum(not re.match(r"p\d\d ", cell) for cell in line) for line in lines if line[0] == "setup")
    return [line[:width] for line in lines]


def test_the_table_in_the_readme_is_real(tmp_path: Path, environment: dict[str, str]) -> None:
    found = BLOCKS[ROOT / "README.md"]
    command = found[0].commands[0].rpartition(" && ")[2]
    (tmp_path / "run.py").symlink_to(ROOT / "run.py")
    assert results(found[1].text) == results(run(command, tmp_path, environment))


def test_ci_runs_what_is_left_out_here() -> None:
    """.ci/run takes the two commands from the README itself."""
    left = [command for block in BLOCKS[ROOT / "README.md"] for command in block.commands if OF_CI.search(command)]
    assert len(left) == 2
    assert "README.md" in (ROOT / ".ci" / "run").read_text(encoding="utf-8")


def test_links_lead_somewhere() -> None:
    lost = [
        f"{path.name}: {target}"
        for path in DOCUMENTS
        for target in re.findall(r"\]\(([^)#:]+)\)", path.read_text(encoding="utf-8"))
        if not (path.parent / target).exists()
    ]
    assert not lost
