"""Vectors of texts that were embedded before: one sqlite file per embedder, opened by the preparing process only.

sqlite writes this file itself, beside ragsweep.files: a killed writer loses at most the batch in hand. Every row carries a
checksum, so a damaged row is a missing one.
"""

import hashlib
import os
import sqlite3
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from secrets import token_hex
from struct import pack
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt

from ragsweep import files
from ragsweep.errors import StoreError, VectorsError
from ragsweep.store import database

if TYPE_CHECKING:
    from ragsweep.types import Matrix

Seconds: TypeAlias = npt.NDArray[np.float64]
"""Shape (n,): the seconds that embedding each text took when it was first embedded."""
Tokens: TypeAlias = Sequence[int | None]
"""Of each text what a model server counted when it embedded it, None where none told."""
Batch: TypeAlias = "tuple[Sequence[str], Matrix, Seconds, Tokens]"
Result = TypeVar("Result")

FORMAT = 2
ALL = "SELECT key, vector, seconds, tokens, checksum FROM vectors"
AT_ONCE = 500  # texts per query; sqlite allows 999 parameters in all its versions


class VectorStore:
    """The vectors of one embedder. ``found`` and ``embedded`` count the distinct texts that ``fill`` had and had not to embed.

    ``identity`` is everything that another vector could come from; another identity is another file. What cannot be written
    to it goes to ``spare``, where there is one, and ``without`` is called with the error.
    """

    def __init__(
        self,
        root: Path,
        identity: Mapping[str, Any],
        warn: Callable[[str], object],
        waiting: Callable[[str], object],
        spare: "VectorStore | None" = None,
        without: Callable[[OSError], object] = lambda error: None,
    ) -> None:
        named = {"format": FORMAT, "identity": dict(identity)}
        self._identity = files.canonical_json(named).encode()
        self._root = root
        self.path = root / "vectors" / f"{files.digest(named)[:32]}.sqlite"
        self._warn = warn
        self._waiting = waiting
        self._spare = spare
        self._without = without
        self._connection: sqlite3.Connection | None = None
        self._damages = 0
        self.found = 0
        self.embedded = 0

    def __len__(self) -> int:
        """Number of stored texts."""
        return self._try(lambda open_file: int(open_file.execute("SELECT count(*) FROM vectors").fetchone()[0]))

    def get(self, texts: Sequence[str]) -> "tuple[Matrix, Seconds, npt.NDArray[np.bool_]]":
        """Vectors (n, d), seconds (n,) and which texts were there (n,); the rows of the others are 0."""
        keys = [_key(text) for text in texts]
        rows = self._get(list(dict.fromkeys(keys)))
        size = max((len(vector) // 4 for vector, _, _ in rows.values()), default=0)
        matrix = np.zeros((len(texts), size), np.float32)
        seconds = np.zeros(len(texts))
        found = np.zeros(len(texts), np.bool_)
        for place, key in enumerate(keys):
            if key in rows:
                matrix[place], seconds[place], found[place] = np.frombuffer(rows[key][0], "<f4"), rows[key][1], True
        return matrix, seconds, found

    def tokens(self, texts: Sequence[str]) -> list[int | None]:
        """The tokens of each text, None also for one that is not stored."""
        keys = [_key(text) for text in texts]
        rows = self._get(list(dict.fromkeys(keys)))
        return [rows[key][2] if key in rows else None for key in keys]

    @property
    def dimensions(self) -> int | None:
        """Of the stored vectors, None without any; makes no file."""
        return self._try(_dimensions) if self.path.is_file() else None

    def missing(self, texts: Sequence[str]) -> list[str]:
        """Those of ``texts`` that are not stored; makes no file."""
        there = self.path.is_file() or (self._spare is not None and self._spare.path.is_file())
        return self._missing(texts) if there else list(texts)

    def put(self, texts: Sequence[str], matrix: "Matrix", seconds: Seconds, tokens: Tokens | None = None) -> None:
        """Store vectors (n, d), seconds (n,) and n tokens; StoreError for NaN, infinity, or a d unlike the stored one."""
        if matrix.ndim != 2 or not len(texts) == len(matrix) == len(seconds):
            raise StoreError(f"{len(texts)} texts were embedded to vectors of shape {matrix.shape}")
        finite = np.isfinite(matrix).all(axis=1)
        if not finite.all():
            raise VectorsError(f"the vector of {texts[int(finite.argmin())][:80]!r} holds NaN or infinity")
        try:
            self._try(lambda open_file: _write(open_file, texts, matrix, seconds, tokens or [None] * len(texts)))
        except OSError as error:
            self._of_spare(error).put(texts, matrix, seconds, tokens)

    def fill(self, texts: Iterable[str], embed: Callable[[list[str]], Iterable[Batch]]) -> None:
        """Make sure that every text is stored: ``embed`` is given the missing ones and yields batches of them.

        Each is stored as it comes. Of two runs that need the same texts one embeds and the other waits and finds them.
        """
        wanted = list(dict.fromkeys(texts))
        missing = self._missing(wanted)
        if missing:
            with ExitStack() as held:
                self._try_lock(held)
                missing = self._missing(missing)
                self.found += len(wanted) - len(missing)
                for batch in embed(missing) if missing else ():
                    self.put(*batch)
                    self.embedded += len(batch[0])
        else:
            self.found += len(wanted)

    def verify(self) -> bool:
        """Whether the file and all its vectors are good, and none was found damaged; what is, is put aside or dropped."""
        self._drop(self._try(lambda open_file: [key for key, row in _rows(open_file.execute(ALL)) if row is None]))
        return self._damages == 0

    def close(self) -> None:
        """Close the file; the next call opens it again."""
        if self._spare is not None:
            self._spare.close()
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _get(self, keys: Sequence[bytes]) -> "dict[bytes, Stored]":
        """Vector, seconds and tokens of each key that is there."""
        read = self._try(lambda open_file: _read(open_file, keys))
        self._drop(key for key, row in read.items() if row is None)
        rows = {key: row for key, row in read.items() if row is not None}
        if self._spare is not None and self._spare.path.is_file():
            rows |= self._spare._get([key for key in keys if key not in rows])
        return rows

    def _of_spare(self, error: OSError) -> "VectorStore":
        """The vectors beside, for what cannot be written here."""
        if self._spare is None:
            raise StoreError(f"{self.path}: {error}") from error
        self._without(error)
        return self._spare

    def _try_lock(self, held: ExitStack) -> None:
        """Lock the file against others that embed, where that can be."""
        try:
            held.enter_context(files.lock(self.path.with_suffix(".embed.lock"), self._waiting))
        except OSError as error:
            self._of_spare(error)

    def _missing(self, texts: Sequence[str]) -> list[str]:
        *_, found = self.get(texts)
        return [text for text, is_found in zip(texts, found, strict=True) if not is_found]

    def _try(self, action: Callable[[sqlite3.Connection], Result]) -> Result:
        """Do something with the database; when the file turns out to be damaged, put it aside and do it on a new one.

        Raises OSError for what the spare file is for, StoreError for all else.
        """
        try:
            try:
                return action(self._open())
            except sqlite3.DatabaseError as error:
                if not database.is_damage(error):
                    raise
            self._set_aside()
            return action(self._open())
        except (sqlite3.Error, OSError) as error:
            if self._spare is not None and (closed := database.unwritable(error)):
                raise closed from error
            raise StoreError(f"{self.path}: {error}") from error

    def _open(self) -> sqlite3.Connection:
        if self._connection is None:
            try:
                with files.lock(self.path.with_suffix(".lock"), self._waiting):
                    if os.path.lexists(self.path) and not database.has_header(self.path):
                        self._move_aside()
                    self._connection = database.connect(self.path, self._identity)
            except (OSError, sqlite3.OperationalError) as error:
                closed = database.unwritable(error)
                if self._spare is None or closed is None:
                    raise
                self._without(closed)
                self._connection = database.connect_to_read(self.path, self._identity)
        return self._connection

    def _set_aside(self) -> None:
        """Put a damaged file aside, unless another process has already put a new one in its place."""
        self.close()
        with files.lock(self.path.with_suffix(".lock"), self._waiting):
            if not database.is_whole(self.path, self._identity):
                self._move_aside()

    def _move_aside(self) -> None:
        self._damages += 1
        self._warn(set_aside(self._root, self.path))

    def _drop(self, keys: Iterable[bytes]) -> None:
        damaged = [(key,) for key in keys]
        if damaged:
            try:
                self._try(lambda open_file: _change(open_file, "DELETE FROM vectors WHERE key = ?", damaged))
            except OSError as error:
                self._of_spare(error)  # their texts go there
            self._damages += 1
            self._warn(
                f"{self.path}: vectors that are damaged: {len(damaged)}; their texts are embedded again when they are needed"
            )


def set_aside(root: Path, path: Path) -> str:
    """Move a damaged file of vectors to quarantine; returns what is to be said of it."""
    target = root / "quarantine" / f"vectors-{path.stem}-{token_hex(4)}"
    for suffix in ("", "-wal", "-shm"):
        part = path.with_name(path.name + suffix)
        if os.path.lexists(part):
            files.move(part, target / part.name)
    return f"{path}: damaged; moved to {target}, its texts are embedded again when they are needed"


def _key(text: str) -> bytes:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()


def _checksum(key: bytes, vector: bytes, seconds: float, tokens: int | None) -> int:
    return zlib.crc32(vector, zlib.crc32(key + pack("<dq", seconds, -1 if tokens is None else tokens)))


Stored: TypeAlias = tuple[bytes, float, int | None]


def _read(open_file: sqlite3.Connection, keys: Sequence[bytes]) -> dict[bytes, Stored | None]:
    """Vector, seconds and tokens of each key that is there; None where they do not fit their checksum."""
    rows: dict[bytes, Stored | None] = {}
    for start in range(0, len(keys), AT_ONCE):
        some = keys[start : start + AT_ONCE]
        rows.update(_rows(open_file.execute(f"{ALL} WHERE key IN ({','.join('?' * len(some))})", some)))
    return rows


def _rows(found: Iterable[tuple[Any, ...]]) -> Iterator[tuple[bytes, Stored | None]]:
    for key, vector, seconds, tokens, checksum in found:
        typed = isinstance(key, bytes) and isinstance(vector, bytes) and isinstance(seconds, float)
        good = typed and isinstance(tokens, int | None) and _checksum(key, vector, seconds, tokens) == checksum
        yield key, (vector, seconds, tokens) if good else None


def _dimensions(open_file: sqlite3.Connection) -> int | None:
    stored = open_file.execute("SELECT length(vector) FROM vectors LIMIT 1").fetchone()
    return None if stored is None else int(stored[0]) // 4


def _write(open_file: sqlite3.Connection, texts: Sequence[str], matrix: "Matrix", seconds: Seconds, tokens: Tokens) -> None:
    stored = _dimensions(open_file)
    if stored is not None and stored != matrix.shape[1]:
        raise VectorsError(
            f"the embedder gave {matrix.shape[1]} dimensions, and {stored} before: another model needs another name"
        )
    rows = []
    for text, vector, spent, counted in zip(texts, matrix.astype("<f4", copy=False), seconds.tolist(), tokens, strict=True):
        key, blob = _key(text), vector.tobytes()
        rows.append((key, blob, spent, counted, _checksum(key, blob, spent, counted)))
    _change(open_file, "INSERT OR REPLACE INTO vectors VALUES (?, ?, ?, ?, ?)", rows)


def _change(open_file: sqlite3.Connection, statement: str, rows: Iterable[tuple[Any, ...]]) -> None:
    with open_file:
        open_file.executemany(statement, rows)
