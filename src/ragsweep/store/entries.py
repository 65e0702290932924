"""Entries: folders that are named by what made them, built once, and checked before they are used.

<root>/<kind>/<id>/     key.json (readable), the payload, manifest.json
<root>/locks/           one lock a key, never deleted
<root>/unfinished/      what a killed builder left; nothing reads it
<root>/quarantine/      what was found damaged
"""

import json
import logging
import os
import shutil
import sqlite3
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from secrets import token_hex
from typing import Any, Literal, TypeAlias, get_args

from ragsweep import files
from ragsweep.errors import StoreError
from ragsweep.store import database, manifest
from ragsweep.store.vectors import FORMAT, VectorStore

Kind: TypeAlias = Literal["documents", "chunks", "dense", "bm25", "sentences", "queries"]
KEY = "key.json"
ID_CHARACTERS = 32

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of ``ragsweep store ls``: size in bytes, age in seconds, the key where it can be read.

    ``problem`` says why it is not used: an older or newer format, damage; None for a good one (sizes are checked, not sha256).
    """

    kind: str
    id: str
    size: int
    age: float
    key: Mapping[str, Any] | None
    problem: str | None


class Store:
    """A folder of entries that several processes share.

    ``warn`` is told once of each damaged entry, ``waiting`` for whom a build waits. ``built`` and ``found`` count the results
    of ``build`` by kind.
    """

    def __init__(
        self, root: Path, warn: Callable[[str], object] = _log.warning, waiting: Callable[[str], object] = _log.info
    ) -> None:
        self.root = root
        self.built: Counter[str] = Counter()
        self.found: Counter[str] = Counter()
        self._warn = warn
        self._waiting = waiting
        self._verified: set[Path] = set()

    def find(self, kind: Kind, key: Mapping[str, Any]) -> Path | None:
        """The entry's folder, or None when it is missing or damaged. Checks manifest and sizes; writes nothing at all."""
        folder = self._folder(kind, key)
        return folder if manifest.problem(folder, kind, folder.name, hashes=False) is None else None

    def sound(self, kind: Kind, key: Mapping[str, Any]) -> Path | None:
        """The entry's folder as ``build`` would take it: sha256 checked once per process, damage moved to quarantine."""
        folder = self._folder(kind, key)
        try:
            problem = self._check(folder)
            if problem is not None and os.path.lexists(folder):
                self._quarantine(folder, problem)
        except OSError as error:
            raise StoreError(f"{folder}: {error}") from error
        return folder if problem is None else None

    def build(self, kind: Kind, key: Mapping[str, Any], make: Callable[[Path], None]) -> Path:
        """The entry's folder; when it is missing, ``make`` fills a new one, in one process only, while others wait.

        The sha256 of every file is checked once per process. A damaged entry is moved to quarantine and built again. ``make``
        writes plain files, no folders (see ``files.write`` and ``files.write_array``); what it raises is passed on, but an
        OSError becomes a StoreError.
        """
        folder = self._folder(kind, key)
        try:
            if self._check(folder) is None:
                self.found[kind] += 1
                return folder
            with files.lock(self.root / "locks" / f"{kind}-{folder.name}", self._waiting):
                problem = self._check(folder)  # somebody may have built it while we waited
                if problem is None:
                    self.found[kind] += 1
                    return folder
                if os.path.lexists(folder):
                    self._quarantine(folder, problem)
                self._make(folder, key, make)
        except OSError as error:
            raise StoreError(f"{folder}: {error}") from error
        self.built[kind] += 1
        return folder

    def vectors(self, identity: Mapping[str, Any]) -> VectorStore:
        """The vectors of one embedder, named by its identity."""
        return VectorStore(self.root, identity, self._warn, self._waiting)

    def entries(self) -> Iterator[Entry]:
        """Every entry, whole or not, by kind and id; also those of other formats, which are never used."""
        for kind in get_args(Kind):
            if (self.root / kind).is_dir():
                for folder in sorted((self.root / kind).iterdir()):
                    yield _entry(folder)
        for path in sorted((self.root / "vectors").glob("*.sqlite")):
            yield _vectors(path)

    def prune(self) -> tuple[int, int]:
        """Remove what is never used: entries of other formats or damaged, what killed builders left, and the quarantine.

        Returns (number of removed entries and leftovers, bytes). Run it while nothing is being built.
        """
        useless = [self.root / entry.kind / entry.id for entry in self.entries() if entry.problem]
        left = [path for name in ("unfinished", "quarantine") for path in sorted((self.root / name).glob("*"))]
        size = 0
        for path in [*useless, *left]:
            path = path if os.path.lexists(path) else path.with_name(f"{path.name}.sqlite")
            size += sum(part.lstat().st_size for part in (path, *path.rglob("*")) if not part.is_dir())
            files.remove(path)
        return len(useless) + len(left), size

    def _folder(self, kind: Kind, key: Mapping[str, Any]) -> Path:
        # The format is part of the name, so another release never meets our entries, nor we its.
        id = files.digest({"format": manifest.FORMAT, "kind": kind, "key": dict(key)})[:ID_CHARACTERS]
        return self.root / kind / id

    def _check(self, folder: Path) -> str | None:
        problem = manifest.problem(folder, folder.parent.name, folder.name, hashes=folder not in self._verified)
        if problem is None:
            self._verified.add(folder)
        return problem

    def _quarantine(self, folder: Path, problem: str) -> None:
        target = self.root / "quarantine" / f"{folder.parent.name}-{folder.name}-{token_hex(4)}"
        files.move(folder, target)
        self._warn(f"{folder}: {problem}; moved to {target} and built again")

    def _make(self, folder: Path, key: Mapping[str, Any], make: Callable[[Path], None]) -> None:
        temporary = self.root / "unfinished" / f"{folder.parent.name}-{folder.name}-{token_hex(4)}"
        files.make_folder(temporary)
        try:
            make(temporary)
            files.write(temporary / KEY, files.strict_json(dict(key), indent=2))
            manifest.seal(temporary, folder.parent.name, folder.name)
            files.publish_folder(temporary, folder)
        except BaseException:
            shutil.rmtree(temporary, ignore_errors=True)
            raise
        self._verified.add(folder)


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
    return Entry(folder.parent.name, folder.name, size, _age(folder / manifest.MANIFEST), key, problem)


def _vectors(path: Path) -> Entry:
    size, age = path.lstat().st_size, _age(path)
    try:
        identity, count = database.stored_identity(path)
        key = json.loads(identity)
    except (sqlite3.Error, ValueError, TypeError):
        return Entry("vectors", path.stem, size, age, None, "damaged")
    problem = None if key.get("format") == FORMAT else f"format {key.get('format')}, not {FORMAT}"
    return Entry("vectors", path.stem, size, age, {"texts": count, **key}, problem)


def _age(path: Path) -> float:
    return max(0.0, time.time() - path.lstat().st_mtime)
