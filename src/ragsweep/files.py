"""The only writer: whole files, single lines, folders, and the locks and shared places around them.

A reader never sees half of anything: files and folders are written under another name and then renamed, lines are written by
one call and readers leave out a torn last one. Every open, write, fsync and rename of the program is in this file, so
a test can put a failing ``os`` in its place (the one exception is sqlite, see ragsweep.store.vectors).
"""
# ruff: noqa: PTH103, PTH105, PTH211 - pathlib would call an os that a test cannot replace

import errno
import fcntl
import hashlib
import json
import os
import re
import shutil
import socket
import sys
import time
import unicodedata
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from io import BytesIO
from itertools import count, takewhile
from pathlib import Path
from secrets import token_hex
from typing import TYPE_CHECKING, Any, Protocol

from ragsweep.endings import end_if_orphan, passing
from ragsweep.errors import StoreError

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

SLUG_BYTES = 80
DIGEST_CHARACTERS = 12
POLL_SECONDS = 0.002


class Clock(Protocol):
    """The module ``time``, or what a test has in its place."""

    def monotonic(self) -> float:
        """Seconds from a moment that all processes of the machine share, until it starts again."""
        ...

    def sleep(self, seconds: float, /) -> None:
        """Come back after so many seconds."""
        ...


# ---- identity ----------------------------------------------------------------------------------------------------------


def canonical_json(value: Any) -> str:
    """Strict JSON that is equal for equal values: sorted keys, no spaces, no NaN (ValueError).

    >>> canonical_json({"b": 1.5, "a": ["é", None]})
    '{"a":["é",null],"b":1.5}'
    """
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def strict_json(value: Any, indent: int | None = None) -> bytes:
    """The UTF-8 bytes of strict JSON (NaN and infinity raise ValueError), keys in the order given."""
    return _utf8(json.dumps(value, indent=indent, ensure_ascii=False, allow_nan=False))


def digest(value: Any) -> str:
    """64 hex digits: the sha256 of the value's canonical JSON."""
    return hashlib.sha256(_utf8(canonical_json(value))).hexdigest()


def sha256_file(path: Path) -> str:
    """64 hex digits: the sha256 of the file's bytes, read as a stream."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def slug(text: str) -> str:
    """A file name for any text: at most 80 readable ASCII bytes, and 12 hex digits of the text's sha256 to tell texts apart.

    >>> slug("adaptive + word")
    'adaptive-word-94515a814f0c'
    """
    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode("ascii").lower()
    readable = re.sub(r"[^a-z0-9=_.]+", "-", plain)[:SLUG_BYTES].strip("-.")
    return f"{readable or 'x'}-{hashlib.sha256(_utf8(text)).hexdigest()[:DIGEST_CHARACTERS]}"


def _utf8(text: str) -> bytes:
    # A lone surrogate (an undecodable file name) becomes its JSON escape, so the bytes stay valid UTF-8 and read back equal.
    return text.encode("utf-8", "backslashreplace")


# ---- whole files and folders -------------------------------------------------------------------------------------------


def write(path: Path, *parts: bytes | memoryview) -> None:
    """Write a file of a folder that is not published yet: no rename, no fsync; see ``publish_folder``."""
    with _named_when_unwritable(path, sum(map(len, parts))):
        file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o666)
        try:
            for part in parts:
                _write_all(file, part)
        finally:
            os.close(file)


def write_array(path: Path, array: "npt.NDArray[np.generic]") -> None:
    """Write a ``.npy`` file of a folder that is not published yet; objects are refused (ValueError)."""
    import numpy as np

    header = BytesIO()
    array = np.ascontiguousarray(array)
    if array.dtype.hasobject:
        raise ValueError(f"{path.name}: an array of objects cannot be stored without pickling")
    np.lib.format.write_array_header_1_0(header, np.lib.format.header_data_from_array_1_0(array))
    write(path, header.getvalue(), array.reshape(-1).view(np.uint8).data)


def publish(path: Path, data: bytes) -> None:
    """Write a file so that others see the old content or the new, also after a power cut; makes its folder."""
    temporary = path.parent / f".{token_hex(8)}.tmp"
    with _named_when_unwritable(path, len(data)):
        make_folder(path.parent)
        try:
            file = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o666)
            try:
                _write_all(file, data)
                os.fsync(file)
            finally:
                os.close(file)
            _before_publishing()
            os.replace(temporary, path)
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise


def publish_folder(temporary: Path, target: Path) -> None:
    """Rename a finished folder to its place. Where a folder stands there already, it has the same content: ours is dropped."""
    make_folder(target.parent)
    _before_publishing()
    try:
        os.replace(temporary, target)
    except OSError as error:
        if error.errno not in (errno.ENOTEMPTY, errno.EEXIST):
            raise
        shutil.rmtree(temporary)


def move(path: Path, target: Path) -> None:
    """Rename a file or folder, whatever it is; makes the folder above the target."""
    make_folder(target.parent)
    os.replace(path, target)


def link(path: Path, target: str) -> None:
    """Make or change a link to ``target``, which is relative to the link's folder; not where links cannot be made."""
    temporary = path.parent / f".{token_hex(8)}.tmp"
    with suppress(OSError):
        os.symlink(target, temporary)
        os.replace(temporary, path)


def remove(path: Path) -> None:
    """Remove a file, a link, or a folder with all that is in it; nothing where there is none."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def make_folder(path: Path) -> None:
    """Make a folder and those above it, where they are missing."""
    os.makedirs(path, exist_ok=True)


UNWRITABLE = {errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EACCES, errno.EPERM, errno.EIO}
"""Numbers of errors that say of a place that nothing can be written there."""


@contextmanager
def _named_when_unwritable(path: Path, size: int) -> Iterator[None]:
    """Have an error of a place name the file that was to be written and, on a full disk, the bytes needed and free."""
    try:
        yield
    except OSError as error:
        if error.errno not in UNWRITABLE:
            raise
        full = f": {size:,} bytes to write, {_free(path):,} free" if error.errno in (errno.ENOSPC, errno.EDQUOT) else ""
        raise OSError(error.errno, f"{os.strerror(error.errno)}{full}", str(path)) from error


def _free(path: Path) -> int:
    return shutil.disk_usage(next(folder for folder in path.absolute().parents if folder.is_dir())).free


def _before_publishing() -> None:
    end_if_orphan()
    passing("before-publish")


def _write_all(file: int, data: bytes | memoryview) -> None:
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(file, rest) :]


# ---- lines -------------------------------------------------------------------------------------------------------------


def append_line(path: Path, row: Mapping[str, Any]) -> None:
    """Append a row as one line of strict JSON by one write, so a killed writer loses no earlier line.

    A file has one writer. A torn tail that an earlier one left is cut off first. NaN and infinity raise ValueError.
    No fsync: a power cut may take the last lines, and what is lost runs again.
    """
    line = strict_json(dict(row)) + b"\n"
    end_if_orphan()
    with _named_when_unwritable(path, len(line)):
        file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o666)
        try:
            whole = _whole_lines(file)
            if os.write(file, line) < len(line):
                os.ftruncate(file, whole)
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        finally:
            os.close(file)


def claim(path: Path) -> Path:
    """Make a new file that nobody else gets: ``path``, or ``name.2.ext``, ``name.3.ext`` ... where it is there already."""
    for number in count(1):
        own = _numbered(path, number)
        with suppress(FileExistsError):
            os.close(os.open(own, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o666))
            break
    return own


def claimed(path: Path) -> Iterator[Path]:
    """The files that were claimed as ``path``, in order."""
    return takewhile(os.path.lexists, (_numbered(path, number) for number in count(1)))


def _numbered(path: Path, number: int) -> Path:
    return path if number == 1 else path.with_name(f"{path.stem}.{number}{path.suffix}")


def tally(path: Path) -> int:
    """Count one more in a file that several processes count in: a byte each. The count so far."""
    with _named_when_unwritable(path, 1):
        file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o666)
        try:
            os.write(file, b".")
            return os.fstat(file).st_size
        finally:
            os.close(file)


def read_lines(path: Path) -> Iterator[dict[str, Any]]:
    """The rows of a file of lines; a torn tail is left out, no file is no row.

    Raises StoreError naming the line for one that is no JSON object.
    """
    if not path.exists():
        return
    with path.open("rb") as file:
        for number, line in enumerate(file, start=1):
            if not line.endswith(b"\n"):
                return
            yield _row(line, f"{path}:{number}")


def _row(line: bytes, where: str) -> dict[str, Any]:
    try:
        row = json.loads(line, parse_constant=_refuse)
    except (ValueError, RecursionError) as error:
        raise StoreError(f"{where}: not a line of JSON ({error})") from error
    if not isinstance(row, dict):
        raise StoreError(f"{where}: not a JSON object")
    return row


def _refuse(constant: str) -> Any:
    raise ValueError(f"{constant} is no number of JSON")


def _whole_lines(file: int) -> int:
    """Cut a torn tail off; returns the size that is left."""
    size = end = os.fstat(file).st_size
    while end and os.pread(file, 1, end - 1) != b"\n":
        start = max(0, end - 65536)
        end = start + os.pread(file, end - start, start).rfind(b"\n") + 1
    if end < size:
        os.ftruncate(file, end)
    return end


# ---- locks -------------------------------------------------------------------------------------------------------------


@contextmanager
def lock(path: Path, waiting: Callable[[str], object] = lambda text: None) -> Iterator[None]:
    """Hold the kernel's lock (flock) on a file; the kernel frees it when its process ends, however that ends.

    The file says who holds the lock and is never deleted, as a waiter may have it open. ``waiting`` is called once, when
    somebody else holds it, with a text that says who. Not re-entrant. On a file system without flock nothing is locked.
    """
    with _locked(path, lambda file: waiting(_holder(os.pread(file, 4096, 0)))) as file:
        command = " ".join(sys.argv)[:200]
        holder = {"pid": os.getpid(), "host": socket.gethostname(), "command": command, "since": time.time()}
        with suppress(OSError):  # of a full disk: the lock is held all the same
            os.ftruncate(file, 0)
            os.write(file, strict_json(holder))
        yield


@contextmanager
def lock_if_free(path: Path) -> Iterator[bool]:
    """Hold the lock of ``lock`` where nobody else does; whether it is ours."""
    make_folder(path.parent)
    file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
    try:
        yield _is_locked_at_once(file)
    finally:
        os.close(file)


@contextmanager
def _locked(path: Path, waiting: Callable[[int], object]) -> Iterator[int]:
    """The open file under its lock; ``waiting`` is called with it when somebody else holds it."""
    make_folder(path.parent)
    file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
    try:
        if not _is_locked_at_once(file):
            waiting(file)
            fcntl.flock(file, fcntl.LOCK_EX)
        yield file
    finally:
        os.close(file)


def _is_locked_at_once(file: int) -> bool:
    """Whether nobody else has the lock, which is then ours; on a file system without flock nobody ever has."""
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError as error:
        if error.errno not in (errno.ENOSYS, errno.ENOTSUP):
            raise
    return True


@contextmanager
def slot(folder: Path, count: int, gap: float = 0.0, clock: Clock = time) -> Iterator[None]:
    """Hold one of ``count`` places that all processes share which name this folder; between two starts lie ``gap`` seconds.

    Who comes waits in one queue. The kernel frees a place when its process ends, however that ends. On a file system
    without flock only ``gap`` is kept.
    """
    with _locked(folder / "queue", lambda file: None):  # held while waiting, so the next waits behind
        _wait_for_turn(folder / "last", gap, clock)
        file = _free_place(folder, count, clock)
    try:
        yield
    finally:
        os.close(file)


def _wait_for_turn(last: Path, gap: float, clock: Clock) -> None:
    """Sleep until ``gap`` seconds after the start that the file tells of, and write down the new one."""
    if not gap:
        return
    file = os.open(last, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
    try:
        with suppress(ValueError):  # the first, or a torn number
            # never over a gap: after a restart of the machine its monotonic clock starts again
            clock.sleep(min(gap, max(0.0, float(os.pread(file, 64, 0)) + gap - clock.monotonic())))
        os.ftruncate(file, 0)
        os.write(file, repr(clock.monotonic()).encode())
    finally:
        os.close(file)


def _free_place(folder: Path, count: int, clock: Clock) -> int:
    """The open file of the first place that is, or becomes, free."""
    while True:
        for place in range(count):
            file = os.open(folder / str(place), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
            if _is_locked_at_once(file):
                return file
            os.close(file)
        clock.sleep(POLL_SECONDS)


def _holder(text: bytes) -> str:
    try:
        holder = json.loads(text)
        age = max(0, time.time() - holder["since"])  # the clock may have been set back
        return f"waiting for process {holder['pid']} on {holder['host']} ({holder['command']}), at work for {age:.0f} s"
    except (ValueError, TypeError, KeyError):
        return "waiting for another process"
