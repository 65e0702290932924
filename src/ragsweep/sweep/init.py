"""A new experiment over somebody's files: a folder with its YAML, questions to begin with, and a README for the verdict."""

import os
import re
import shlex
import sys
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from secrets import token_hex
from typing import Any
from unicodedata import normalize

from ragsweep import files
from ragsweep import questions as labels
from ragsweep.documents import would_find
from ragsweep.places import packaged, schema_file
from ragsweep.sweep.describe import count
from ragsweep.sweep.reading import read_corpora
from ragsweep.sweep.run import make_store
from ragsweep.sweep.wanted import Wanted

SWEEP = {"chunker": ["word", "paragraph"], "retriever": ["bm25", "hybrid"]}
QUESTION = "Which chunker and which retriever find most of the evidence?"
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,79}")
_WORDS = {"null", "true", "false", "nan", "inf"}
"""What the grammar of overrides takes for a value that is no text."""
_README = """\
# {question}

To fill in: whose questions these are, and what hangs on the answer.

    ragsweep questions check experiment={name}{elsewhere}
    ragsweep run experiment={name}{elsewhere}

## Verdict
To fill in: which setup, and by how many questions it is better than the next.
"""

ExperimentFile = Callable[[str, Mapping[str, Any]], str]
"""The text of experiment.yaml for the question asked and the values set."""


def init(wanted: Wanted, name: str, experiments: Path, experiment_file: ExperimentFile) -> int:
    """Write ``experiments/name`` for the files and questions of ``wanted``, whole or not at all. Returns the exit code.

    Raises InputErrors with every mistake in the name, the place, the files and the questions; what is there stays as it is.
    """
    folder = Path(os.path.abspath(experiments / name))  # noqa: PTH100 - links in it stay, as in the paths of the files
    misplaced = _bad_name(name) or _bad_place(folder, wanted)
    problems = [*wanted.problems, *misplaced, *_not_taken(wanted)]
    # Without questions one stands in, so that everything is read by the one way there is.
    asked = [{"id": "asked", "question": "asked", "answerable": False}] if wanted.questions is None else wanted.questions
    corpora = read_corpora(replace(wanted, problems=problems, questions=asked), make_store(wanted))
    (corpus,) = corpora.by_reading.values()
    elsewhere = "" if experiments == Path("experiments") else f" --experiments-dir {shlex.quote(str(experiments))}"
    contents = {
        "experiment.yaml": f"{_for_editors(folder)}\n{experiment_file(QUESTION, _values(wanted, folder))}".encode(),
        "README.md": _README.format(question=QUESTION, name=name, elsewhere=elsewhere).encode(),
    }
    read = count(len(corpus.questions), "question")
    if wanted.questions is None:
        examples = labels.examples(corpus.documents)
        contents["questions.json"] = files.strict_json(examples, indent=1) + b"\n"
        read = f"{count(len(examples), 'example')} of a question, made of your files: write your own in their place"
    _write(folder, contents)
    lines = [
        f"wrote {experiments / name}: {', '.join(contents)}",
        f"  {count(len(corpus.documents), 'document')}; {read}",
        *(f"  notice: {notice}" for notice in corpora.notices),
        "next:",
        f"  ragsweep questions check experiment={name}{elsewhere}",
        f"  ragsweep run experiment={name}{elsewhere}",
    ]
    sys.stdout.write("\n".join(lines) + "\n")
    return 0


def _for_editors(folder: Path) -> str:
    """The comment that names the schema: by a relative path where ragsweep lies in the project, as in its .venv."""
    schema = schema_file()
    return f"# yaml-language-server: $schema={os.path.relpath(schema, folder) if schema.is_relative_to(Path.cwd()) else schema}"


def _bad_name(name: str) -> list[str]:
    if _NAME.fullmatch(name) and name.lower() not in _WORDS:
        return []
    plain = re.sub(r"[^A-Za-z0-9_]+", "-", normalize("NFKD", name).encode("ascii", "ignore").decode()).strip("-")[:80]
    near = f", such as {plain!r}" if _NAME.fullmatch(plain) and plain.lower() not in _WORDS else ""
    return [f"NAME {name!r}: write a letter of A to Z, then letters, digits, - and _, at most 80 in all{near}"]


def _bad_place(folder: Path, wanted: Wanted) -> list[str]:
    """Why the experiment cannot be written there."""
    name = folder.name
    if os.path.lexists(folder):
        return [f"NAME {name!r}: {str(folder)!r} exists and is left as it is: write another name"]
    if (packaged("experiments") / name).exists():
        return [f"NAME {name!r}: an experiment of this name comes with ragsweep: write another"]
    if not next(parent for parent in folder.parents if os.path.lexists(parent)).is_dir():
        return [f"--experiments-dir: {str(folder.parent)!r} is no folder"]
    if would_find(folder / "README.md", _listed(wanted.files), wanted.base):
        return [
            f"--files: they would hold {str(folder)!r} too, and its README.md would be read as a document: "
            "name the folder of the documents alone, or an --experiments-dir elsewhere"
        ]
    return []


def _not_taken(wanted: Wanted) -> list[str]:
    """Values that init does not write: it takes those that reading the files needs."""
    keys = dict.fromkeys(key for row in wanted.rows for key in row.asked if not _of_reading(key))
    keys |= dict.fromkeys(f"gate.{key}" for key in wanted.settings.gate)
    told = {problem.partition(":")[0] for problem in wanted.problems}
    return [
        f"{key}: init takes {'one value' if _of_reading(key) else 'pdf and dataset.* alone'}: "
        f"write {'the others' if _of_reading(key) else 'it'} in the experiment.yaml that init writes"
        for key in (keys | dict.fromkeys(wanted.axes))
        if key not in told
    ]


def _of_reading(key: str) -> bool:
    return key == "pdf" or key.startswith("dataset.")


def _values(wanted: Wanted, folder: Path) -> dict[str, Any]:
    """What experiment.yaml sets: paths relative to its folder, what reading the files needs, and a small sweep."""
    values: dict[str, Any] = {}
    for key, value in wanted.rows[0].asked.items():
        name = ".".join(key.split(".")[:2])
        rest = key[len(name) + 1 :]
        values[name] = {**values.get(name, {}), rest: value} if rest else value
    paths = [_relative(wanted, path, folder) for path in _listed(wanted.files)]
    values["dataset.files"] = paths if len(paths) > 1 else paths[0]
    if wanted.root is not None:
        values["dataset.root"] = _relative(wanted, wanted.root, folder)
    written = wanted.questions if wanted.questions is not None else str(folder / "questions.json")
    values["dataset.questions"] = _relative(wanted, written, folder) if isinstance(written, str) else written
    return {**values, "rag_type": "search", "sweep": SWEEP}


def _relative(wanted: Wanted, path: str, folder: Path) -> str:
    return os.path.relpath(wanted.base / path, folder)


def _listed(paths: str | list[str] | None) -> list[str]:
    return [paths] if isinstance(paths, str) else paths or []


def _write(folder: Path, contents: Mapping[str, bytes]) -> None:
    """All of the folder at once: it is written under another name, which no command lists, and renamed."""
    temporary = folder.parent / f".{token_hex(8)}.tmp"
    files.make_folder(temporary)
    try:
        for name, content in contents.items():
            files.write(temporary / name, content)
        files.move(temporary, folder)
    except BaseException:
        files.remove(temporary)
        raise
