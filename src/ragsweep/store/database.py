"""One sqlite file of vectors: opened, made where it is missing, and checked through.

sqlite alone notices only some damage: it may miss rows without a word, take a short file for a new one, or follow a link.
"""

import errno
import os
import sqlite3
import stat
from contextlib import closing
from pathlib import Path

from ragsweep import files

HEADER_BYTES = 100  # sqlite.org/fileformat2.html#the_database_header
TABLES = [
    b"CREATE TABLE meta (identity BLOB)",
    b"CREATE TABLE vectors (key BLOB PRIMARY KEY, vector BLOB, seconds REAL, tokens INTEGER, checksum INTEGER)",
]
# SQLITE_ERROR is "unsupported file format" here; all our statements are run by the tests.
DAMAGED = {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_ERROR}

UNWRITABLE = {
    sqlite3.SQLITE_FULL: errno.ENOSPC,
    sqlite3.SQLITE_READONLY: errno.EROFS,
    sqlite3.SQLITE_IOERR: errno.EIO,
    sqlite3.SQLITE_CANTOPEN: errno.EACCES,
    sqlite3.SQLITE_PERM: errno.EACCES,
}
"""What sqlite says of a place where nothing can be written, as the numbers of the system."""


class DamageError(sqlite3.DatabaseError):
    """Our own finding that the file cannot be used."""


def is_damage(error: sqlite3.Error) -> bool:
    """Whether an error means that the file is damaged, and not that it is locked, or the disk full."""
    return isinstance(error, DamageError) or (getattr(error, "sqlite_errorcode", 0) & 0xFF) in DAMAGED


def unwritable(error: Exception) -> OSError | None:
    """The error of a place where nothing can be written, None when it is another."""
    number = UNWRITABLE.get(getattr(error, "sqlite_errorcode", 0) & 0xFF)
    if number is not None:
        return OSError(number, os.strerror(number))
    return error if isinstance(error, OSError) and error.errno in files.UNWRITABLE else None


def has_header(path: Path) -> bool:
    """Whether this is a regular file that is long enough for sqlite."""
    status = path.lstat()
    return stat.S_ISREG(status.st_mode) and status.st_size >= HEADER_BYTES


def stored_identity(path: Path) -> tuple[bytes, int]:
    """The identity in a file, and its number of vectors; nothing is changed. Raises sqlite3.Error when it cannot be read."""
    with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as database:
        database.text_factory = bytes
        (identity,) = database.execute("SELECT identity FROM meta").fetchone()
        return identity, int(database.execute("SELECT count(*) FROM vectors").fetchone()[0])


def is_whole(path: Path, identity: bytes) -> bool:
    """Whether ``connect`` takes the file."""
    try:
        connect(path, identity).close()
    except sqlite3.DatabaseError as error:
        if is_damage(error):
            return False
        raise
    return True


def connect(path: Path, identity: bytes) -> sqlite3.Connection:
    """Open the file of one embedder, or make it. Raises DamageError or another error that ``is_damage`` knows."""
    database = sqlite3.connect(path, timeout=60)
    try:
        database.text_factory = bytes
        database.execute("PRAGMA journal_mode = WAL")
        database.execute("PRAGMA synchronous = NORMAL")
        if _tables(database):
            _check(database, identity)
        else:
            _create(database, identity)
    except BaseException as error:
        database.close()
        if isinstance(error, UnicodeDecodeError):  # sqlite's message quotes what it could not read
            raise DamageError("the file is damaged") from error
        raise
    return database


def connect_to_read(path: Path, identity: bytes) -> sqlite3.Connection:
    """Open the file of one embedder where nothing can be written; an empty one when there is none, or it is damaged."""
    try:
        database = sqlite3.connect(f"{path.absolute().as_uri()}?immutable=1", uri=True)
        database.text_factory = bytes
        _check(database, identity)
    except (sqlite3.Error, UnicodeDecodeError):
        database = sqlite3.connect(":memory:")
        database.text_factory = bytes
        _create(database, identity)
        database.execute("PRAGMA query_only = ON")
    return database


def _tables(database: sqlite3.Connection) -> list[bytes]:
    return [sql for (sql,) in database.execute("SELECT sql FROM sqlite_schema WHERE sql NOT NULL ORDER BY rowid")]


def _create(database: sqlite3.Connection, identity: bytes) -> None:
    with database:
        database.execute("BEGIN")
        for statement in TABLES:
            database.execute(statement.decode())
        database.execute("INSERT INTO meta VALUES (?)", (identity,))


def _check(database: sqlite3.Connection, identity: bytes) -> None:
    if database.execute("PRAGMA integrity_check").fetchone() != (b"ok",):
        raise DamageError("the file is damaged")
    if _tables(database) != TABLES:
        raise DamageError("the file holds other tables")
    if database.execute("SELECT identity FROM meta").fetchall() != [(identity,)]:
        raise DamageError("the file is that of another embedder")
