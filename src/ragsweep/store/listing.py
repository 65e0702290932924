"""What lies in a store, entry by entry, as ``ragsweep store ls`` shows it."""

import json
import os
import sqlite3
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypeAlias, get_args

from ragsweep.store import database, manifest
from ragsweep.store.vectors import FORMAT

Kind: TypeAlias = Literal["documents", "chunks", "copies", "dense", "bm25", "sentences", "queries"]
KEY = "key.json"


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of ``ragsweep store ls``: size in bytes, age in seconds, the key where it can be read.

    ``problem`` says why it is not used: an older or newer format, which makes it ``foreign``, or damage; None for a good one
    (sizes are checked, not sha256).
    """

    kind: str
    id: str
    size: int
    age: float
    key: Mapping[str, Any] | None
    problem: str | None
    foreign: bool = False


def listed(root: Path) -> Iterator[Entry]:
    """Every entry, whole or not, by kind and id; also those of other formats, which are never used."""
    for kind in get_args(Kind):
        if (root / kind).is_dir():
            for folder in sorted((root / kind).iterdir()):
                yield _entry(folder)
    for path in sorted((root / "vectors").glob("*.sqlite")):
        yield _vectors(path)


def as_it_is_now(entry: Entry, path: Path) -> Entry | None:
    """An entry looked at again, as another process may have made it anew, or removed it (None)."""
    if not os.path.lexists(path):
        return None
    return _vectors(path) if entry.kind == "vectors" else _entry(path)


def _entry(folder: Path) -> Entry:
    try:
        parts = list(folder.iterdir())
        found = manifest.read(folder).get("format")
        foreign = None if found == manifest.FORMAT else f"format {found}, not {manifest.FORMAT}"
        key = json.loads((folder / KEY).read_bytes())
    except (OSError, ValueError, RecursionError):
        return Entry(folder.parent.name, folder.name, folder.lstat().st_size, _age(folder), None, "damaged")
    problem = foreign or manifest.problem(folder, folder.parent.name, folder.name, hashes=False)
    size = sum(part.lstat().st_size for part in parts)
    return Entry(folder.parent.name, folder.name, size, _age(folder / manifest.MANIFEST), key, problem, foreign is not None)


def _vectors(path: Path) -> Entry:
    size, age = path.lstat().st_size, _age(path)
    try:
        identity, count = database.stored_identity(path)
        key = json.loads(identity)
        foreign = None if key["format"] == FORMAT else f"format {key['format']}, not {FORMAT}"
    except (sqlite3.Error, ValueError, TypeError, KeyError):
        return Entry("vectors", path.stem, size, age, None, "damaged")
    return Entry("vectors", path.stem, size, age, {"texts": count, **key}, foreign, foreign is not None)


def _age(path: Path) -> float:
    return max(0.0, time.time() - path.lstat().st_mtime)
