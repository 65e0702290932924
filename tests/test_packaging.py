"""The locks hold what pyproject.toml asks for, at versions that are safe, for every platform and from nowhere but the index."""

import ast
import re
import tomllib
from importlib.metadata import packages_distributions
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

import ragsweep

ROOT = Path(__file__).parents[1]
PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
RUNTIME = [Requirement(line) for line in PROJECT["project"]["dependencies"]]
EXTRAS = [Requirement(line) for lines in PROJECT["project"]["optional-dependencies"].values() for line in lines]
PEERS = {"raglite-toolkit", "langchain-text-splitters", "chonkie", "semantic-text-splitter", "faiss-cpu", "context-grid"}
UNLOCKED = {"model2vec", "sentence-transformers", "tiktoken", *PEERS}
"""Extras that tests never need, one of them with gigabytes behind it."""
BUILD = [Requirement(line) for line in PROJECT["build-system"]["requires"]]

PIN = re.compile(r"([a-z0-9][a-z0-9._-]*)(?:\[[a-z,]+\])?==(\S+) \\\n((?:    --hash=sha256:[0-9a-f]{64}(?: \\)?\n)+)")
LOCKS = {path.stem: path.read_text(encoding="utf-8") for path in sorted((ROOT / "requirements").glob("*.txt"))}
LOCKED = {name: {found[1]: Version(found[2]) for found in PIN.finditer(text)} for name, text in LOCKS.items()}

# The first release without a known hole that concerns a machine which runs or builds ragsweep.
SAFE = {
    "pypdf": "7.1.1",  # about 50 fixes in 16 months, mostly loops and memory on hostile files
    "hydra-core": "1.3.8",  # instantiate of arbitrary targets
    "omegaconf": "2.3.1",
    "h11": "0.16",  # CVE-2025-43859
    "joblib": "1.5.3",
    "cryptography": "44.0.1",  # CVE-2024-12797
    "pyyaml": "5.4",  # CVE-2020-14343
    "markdown-it-py": "2.2",  # CVE-2023-26303
    "protobuf": "6.31.1",  # CVE-2025-4565
    "filelock": "3.20.1",  # CVE-2025-68146
    "idna": "3.7",  # CVE-2024-3651
    "tqdm": "4.66.3",  # CVE-2024-34062
    "pygments": "2.15.1",  # CVE-2022-40896
    "setuptools": "78.1.1",  # CVE-2025-47273
    "pip": "25.3",  # CVE-2025-8869
}


def _least(requirement: Requirement) -> Version:
    """The lower bound of a requirement."""
    bounds = [Version(each.version) for each in requirement.specifier if each.operator in (">=", "==", "~=")]
    return max(bounds)


LOCKABLE = [each for each in RUNTIME + EXTRAS + BUILD if each.name not in UNLOCKED]


@pytest.mark.parametrize("requirement", LOCKABLE, ids=lambda each: each.name)
def test_a_dependency_is_locked_at_or_over_its_minimum(requirement: Requirement) -> None:
    name = canonicalize_name(requirement.name)
    assert _least(requirement) <= LOCKED["ci"][name]
    assert LOCKED["ci"][name] in requirement.specifier
    if requirement in RUNTIME:
        assert LOCKED["runtime"][name] == LOCKED["ci"][name]
    if requirement in BUILD:
        assert LOCKED["build"][name] == LOCKED["ci"][name]


@pytest.mark.parametrize("name", SAFE)
def test_a_locked_version_is_safe(name: str) -> None:
    assert LOCKED["ci"][name] >= Version(SAFE[name])


def test_minimums_of_ours_are_safe() -> None:
    """Who installs the oldest versions that pyproject.toml allows gets no known hole either."""
    assert {each.name for each in RUNTIME if _least(each) < Version(SAFE.get(canonicalize_name(each.name), "0"))} == set()


@pytest.mark.parametrize("name", LOCKS)
def test_a_lock_holds_pins_with_hashes_and_nothing_else(name: str) -> None:
    """No index, no local folder, no address: they would be those of the machine that made it."""
    rest = re.sub(r"^ *#.*\n", "", PIN.sub("", LOCKS[name]), flags=re.MULTILINE)
    assert rest.strip() == ""
    if name != "smollm2":  # a model for tests, apart because its package asks for packages that the model does not need
        assert LOCKED[name].items() <= LOCKED["ci"].items()


def test_hashes_cover_every_platform() -> None:
    """numpy has a wheel for each platform and Python: a lock made from one machine's wheels would hold one or two."""
    numpy = next(found for found in PIN.finditer(LOCKS["runtime"]) if found[1] == "numpy")
    assert numpy[3].count("--hash") > 20


def test_every_dependency_is_used() -> None:
    names = {canonicalize_name(each.name) for each in RUNTIME}
    imported = set()
    for path in (ROOT / "src").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_bytes())):
            if isinstance(node, ast.Import):
                imported |= {alias.name.partition(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom):
                imported.add((node.module or "").partition(".")[0])
    distributions = packages_distributions()
    assert names - {canonicalize_name(dist) for module in imported for dist in distributions.get(module, ())} == set()


def test_one_version() -> None:
    assert PROJECT["project"]["version"] == ragsweep.__version__
    assert f"\n## [{ragsweep.__version__}]" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")


def test_what_a_developer_ran_is_not_published() -> None:
    assert "/outputs" in PROJECT["tool"]["hatch"]["build"]["targets"]["sdist"]["exclude"]


def test_every_dependency_has_its_reason() -> None:
    """docs/decisions/dependencies.md has a row for each, with the minimum that pyproject.toml asks for."""
    text = (ROOT / "docs" / "decisions" / "dependencies.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| ([\w.-]+) \| ([\d.]+) \|", text, re.MULTILINE)
    assert dict(rows) == {each.name: str(_least(each)) for each in RUNTIME + EXTRAS + BUILD}
