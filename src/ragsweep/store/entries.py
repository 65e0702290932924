"""Entries: folders that are named by what made them, built once, and checked before they are used.

<root>/<kind>/<id>/     key.json (readable), the payload, manifest.json
<root>/locks/           one lock a key, never deleted
<root>/unfinished/      what a killed builder left; nothing reads it
<root>/quarantine/      what was found damaged
"""

import atexit
import logging
import os
import shutil
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from functools import cache
from pathlib import Path
from secrets import token_hex
from tempfile import gettempdir
from typing import Any

from ragsweep import files
from ragsweep.errors import StoreError
from ragsweep.store import manifest
from ragsweep.store.listing import KEY, Entry, Kind, as_it_is_now, listed
from ragsweep.store.vectors import VectorStore, set_aside

ID_CHARACTERS = 32

_log = logging.getLogger(__name__)


class Store:
    """A folder of entries that several processes share.

    ``warn`` is told once of each damaged entry, ``waiting`` for whom a build waits. ``built`` and ``found`` count the results
    of ``build`` by kind. What cannot be written to ``root`` goes to the folder ``spare``, where one is given, and ``warn`` is
    told once; what lies there is found before what lies in ``root``.
    """

    def __init__(
        self,
        root: Path,
        warn: Callable[[str], object] = _log.warning,
        waiting: Callable[[str], object] = _log.info,
        spare: Path | None = None,
    ) -> None:
        self.root = root
        self.spare: Store | None = None
        self.built: Counter[str] = Counter()
        self.found: Counter[str] = Counter()
        self._warn = _once(warn)
        self._waiting = waiting
        self._unwritable = False
        self._verified: set[Path] = set()
        if spare is not None:
            self.keep_beside(spare)

    def keep_beside(self, spare: Path) -> None:
        """From now on what cannot be written to ``root`` goes to ``spare``."""
        self.spare = Store(spare, self._warn, self._waiting)

    def find(self, kind: Kind, key: Mapping[str, Any]) -> Path | None:
        """The entry's folder, or None when it is missing or damaged. Checks manifest and sizes; writes nothing at all."""
        if self.spare is not None and (folder := self.spare.find(kind, key)):
            return folder
        folder = self._folder(kind, key)
        return folder if manifest.problem(folder, kind, folder.name, hashes=False) is None else None

    def sound(self, kind: Kind, key: Mapping[str, Any]) -> Path | None:
        """The entry's folder as ``build`` would take it: sha256 checked once per process, damage moved to quarantine."""
        if self.spare is not None and (folder := self.spare.sound(kind, key)):
            return folder
        folder = self._folder(kind, key)
        try:
            return folder if self._is_sound(folder) else None
        except OSError as error:
            self._go_on_without(error)
            return None

    def build(self, kind: Kind, key: Mapping[str, Any], make: Callable[[Path], None]) -> Path:
        """The entry's folder; when it is missing, ``make`` fills a new one, in one process only, while others wait.

        The sha256 of every file is checked once per process. A damaged entry is moved to quarantine and built again. ``make``
        writes plain files, no folders (see ``files.write`` and ``files.write_array``); what it raises is passed on, but an
        OSError becomes a StoreError.
        """
        if self.spare is not None and (folder := self.spare.sound(kind, key)):
            self.found[kind] += 1
            return folder
        try:
            return self._build(kind, key, make)
        except OSError as error:
            spare = self._go_on_without(error)
        folder = spare.build(kind, key, make)
        self.built[kind] += 1
        return folder

    def _build(self, kind: Kind, key: Mapping[str, Any], make: Callable[[Path], None]) -> Path:
        folder = self._folder(kind, key)
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
        self.built[kind] += 1
        return folder

    def _go_on_without(self, error: OSError) -> "Store":
        """The spare store, for what ``error`` says cannot be written to this one. Raises StoreError where there is none."""
        if self.spare is None or error.errno not in files.UNWRITABLE:
            raise StoreError(f"{self.root}: {error}") from error
        if not self._unwritable:
            self._unwritable = True
            self._warn(f"{self.root}: {error.strerror}: what cannot be stored there stays in {self.spare.root}")
        return self.spare

    def vectors(self, identity: Mapping[str, Any]) -> VectorStore:
        """The vectors of one embedder, named by its identity."""
        spare = self.spare.vectors(identity) if self.spare is not None else None
        return VectorStore(self.root, identity, self._warn, self._waiting, spare, self._go_on_without)

    def entries(self) -> Iterator[Entry]:
        """Every entry, whole or not, by kind and id; also those of other formats, which are never used."""
        return listed(self.root)

    def check(self) -> int:
        """Verify the sha256 of every file and the checksum of every vector; what is damaged is put aside, and ``warn`` told.

        Entries of other formats are left alone. Returns the number of good ones.
        """
        good = 0
        for entry in self.entries():
            if entry.kind == "vectors" and not entry.foreign:
                good += self._check_vectors(entry)
            elif not entry.foreign:
                with suppress(OSError):  # it is told, and stays where it is
                    good += self._is_sound(self.root / entry.kind / entry.id)
        return good

    def prune(self) -> tuple[int, int]:
        """Remove what is never used: entries of other formats or damaged, what killed builders left, and the quarantine.

        Returns (number of removed entries and leftovers, bytes). What another process is at work on is left alone.
        """
        number = size = 0
        for path, lock, entry in self._useless():
            with files.lock_if_free(lock) as free:
                now = as_it_is_now(entry, path) if entry else None
                if free and (now.problem if now else entry is None and os.path.lexists(path)):
                    size += sum(part.lstat().st_size for part in (path, *path.rglob("*")) if not part.is_dir())
                    files.remove(path)
                    number += 1
        return number, size

    def _useless(self) -> Iterator[tuple[Path, Path, Entry | None]]:
        """What seems to be of no use: its place, the lock of who makes it, and its entry, where it is one."""
        for entry in self.entries():
            if entry.problem:
                yield *self._places(entry), entry
        for name in ("unfinished", "quarantine"):
            for path in sorted((self.root / name).glob("*")):
                yield path, self.root / "locks" / path.name.rpartition("-")[0], None

    def _places(self, entry: Entry) -> tuple[Path, Path]:
        """Where an entry lies, and the lock of who makes it."""
        if entry.kind == "vectors":
            return self.root / "vectors" / f"{entry.id}.sqlite", self.root / "vectors" / f"{entry.id}.lock"
        return self.root / entry.kind / entry.id, self.root / "locks" / f"{entry.kind}-{entry.id}"

    def _folder(self, kind: Kind, key: Mapping[str, Any]) -> Path:
        # The format is part of the name, so another release never meets our entries, nor we its.
        id = files.digest({"format": manifest.FORMAT, "kind": kind, "key": dict(key)})[:ID_CHARACTERS]
        return self.root / kind / id

    def _is_sound(self, folder: Path) -> bool:
        """Whether an entry is good, by its sha256 once per process; a damaged one is moved to quarantine."""
        problem = self._check(folder)
        if problem is not None and os.path.lexists(folder):
            self._quarantine(folder, problem)
        return problem is None

    def _check_vectors(self, entry: Entry) -> bool:
        """Whether a file of vectors is good: one that is damaged is put aside, of another its damaged rows are dropped."""
        path, lock = self._places(entry)
        if entry.problem:
            with files.lock(lock):  # it may be one that is being made
                now = as_it_is_now(entry, path)
                if now is not None and now.problem:
                    self._warn(set_aside(self.root, path))
            if now is None or now.problem:
                return False
            entry = now
        identity = (entry.key or {}).get("identity")
        kept = self.vectors(identity) if isinstance(identity, Mapping) else None
        if kept is None or kept.path != path:
            self._warn(set_aside(self.root, path))
            return False
        try:
            return kept.verify()
        finally:
            kept.close()

    def _check(self, folder: Path) -> str | None:
        problem = manifest.problem(folder, folder.parent.name, folder.name, hashes=folder not in self._verified)
        if problem is None:
            self._verified.add(folder)
        return problem

    def _quarantine(self, folder: Path, problem: str) -> None:
        target = self.root / "quarantine" / f"{folder.parent.name}-{folder.name}-{token_hex(4)}"
        try:
            files.move(folder, target)
        except OSError:
            self._warn(f"{folder}: {problem}; it cannot be moved away, and is not used")
            raise
        self._warn(f"{folder}: {problem}; moved to {target}, and is built again when it is needed")

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


@cache
def scratch() -> Path:
    """The name of a folder that goes with this process: the spare of commands that leave no run behind."""
    folder = Path(gettempdir()) / f"ragsweep-{os.getpid()}-{token_hex(4)}"
    atexit.register(files.remove, folder)
    return folder


def _once(say: Callable[[str], object]) -> Callable[[str], object]:
    said: set[str] = set()

    def say_once(text: str) -> None:
        if text not in said:
            said.add(text)
            say(text)

    return say_once
