"""Which files are meant by ``dataset.files``, and the id of each."""

import os
import stat
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from unicodedata import normalize

from ragsweep.documents.content import Limits, raise_limit
from ragsweep.documents.parsing import SUPPORTED, is_supported
from ragsweep.errors import InputError, InputErrors, nearest
from ragsweep.places import outputs_folder

MOST_NAMES = 8
"""Names of a folder that one message lists."""


@dataclass(frozen=True, slots=True)
class Selection:
    """The files to read as (path, document id), sorted by id, and sentences about what a folder held besides."""

    files: tuple[tuple[Path, str], ...]
    notices: tuple[str, ...]


def find(files: str | Path | Sequence[str | Path], base: Path, root: str | Path | None = None) -> Selection:
    """The supported files among ``files``: files, folders (with all that lies below) and globs, relative to ``base``.

    Hidden files and node_modules are skipped, links are followed only to files inside the folder, and no file is opened. A
    document id is the posix path in NFC relative to ``root``, by default the deepest folder common to all files.

    Raises InputErrors for what is missing, no regular file or of another type, for two files with one id, and for an
    empty selection.
    """
    entries = [files] if isinstance(files, str | Path) else list(files)
    found: dict[Path, None] = {}
    skipped: list[str] = []
    errors: list[str | Exception] = []
    for entry in entries:
        try:
            found.update(dict.fromkeys(_of_entry(str(entry), base, skipped)))
        except InputError as error:
            errors.append(error)
        except OSError as error:  # a name that is too long, a folder that may not be entered
            errors.append(f"dataset.files: {str(entry)!r} cannot be read: {error.strerror}")
    if not found and not errors:
        errors.append(f"dataset.files: no file to read in {[str(entry) for entry in entries]}: supported are {SUPPORTED}")
    named = _with_ids(found, _absolute(base / root) if root is not None else None, errors)
    if errors:
        raise InputErrors(errors + [f"dataset.files: {notice}" for notice in skipped if not found])
    return Selection(named, tuple(dict.fromkeys(skipped)))


def would_find(path: Path, files: Sequence[str], base: Path) -> bool:
    """Whether ``find`` would take a file of this absolute path and a supported type, once it is there."""
    for entry in files:
        folder = pattern = _absolute(base / entry)
        if not os.path.lexists(pattern) and any(sign in entry for sign in "*?["):
            folder = next(parent for parent in pattern.parents if parent.is_dir())
        if path.is_relative_to(folder):
            names = path.relative_to(folder).parts
            if all(map(_is_visible, names)) and _matches(names, pattern.relative_to(folder).parts):
                return True
    return False


def read_bytes(path: Path, id: str, limits: Limits) -> bytes:
    """The bytes of a regular file. Raises InputError naming it when it cannot be read, is none any more, or is too big."""
    most = limits.file_mb * 1_000_000
    try:
        # Not blocking: a pipe that took the place of the file would wait for a writer.
        with open(os.open(path, os.O_RDONLY | os.O_NONBLOCK), "rb") as file:  # noqa: PTH123 - Path.open() takes no descriptor
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                raise InputError(f"{id!r} is no regular file")
            data = file.read(most + 1)
    except OSError as error:
        raise InputError(f"{id!r} cannot be read: {error.strerror}") from None
    if len(data) > most:
        raise InputError(f"{id!r} is bigger than {limits.file_mb} MB: {raise_limit('file_mb')}")
    return data


def _of_entry(entry: str, base: Path, skipped: list[str]) -> Iterable[Path]:
    path = _absolute(base / entry)
    if path.is_dir():
        return _supported(path, _walk(path, skipped), skipped)
    if path.is_file():
        if is_supported(path):
            return [path]
        raise InputError(f"dataset.files: {entry!r} is of a type that is not supported; supported are {SUPPORTED}")
    if os.path.lexists(path):
        raise InputError(f"dataset.files: {entry!r} is no regular file: name a file, a folder or a glob")
    if any(sign in entry for sign in "*?["):
        return _glob(path, entry, skipped)
    folder = next(parent for parent in path.parents if parent.is_dir())
    children = sorted(child.name for child in folder.iterdir())
    hint = nearest(path.relative_to(folder).parts[0], children, MOST_NAMES)
    raise InputError(
        f"dataset.files: {entry!r} does not exist in {str(folder if Path(entry).is_absolute() else base)!r}; {hint}"
    )


def _glob(pattern: Path, entry: str, skipped: list[str]) -> list[Path]:
    """The files that match, and all files below the folders that match; ``**`` stands for any folders."""
    folder = next(parent for parent in pattern.parents if parent.is_dir())
    files = list(_walk(folder, skipped, pattern.relative_to(folder).parts))
    if not files:
        raise InputError(f"dataset.files: no file matches {entry!r} in {str(folder)!r}")
    return _supported(folder, files, skipped)


def _walk(folder: Path, skipped: list[str], signs: Sequence[str] = ()) -> Iterator[Path]:
    """The regular files below a folder that match, in sorted order. Only their names and kinds are looked at."""
    inside, outputs = os.path.realpath(folder), outputs_folder()
    for parent, folders, names in os.walk(folder, onerror=_unreadable):
        above = Path(parent).relative_to(folder).parts
        wanted = [name for name in folders if _is_visible(name) and _matches((*above, name), signs, so_far=True)]
        if outputs.name in wanted and Path(parent, outputs.name) == outputs:
            wanted.remove(outputs.name)  # the reports of earlier runs would change the next
            skipped.append(f"the folder {outputs.name!r} holds what ragsweep writes and is skipped")
        folders[:] = sorted(wanted)
        links = [Path(parent, name) for name in folders if Path(parent, name).is_symlink()]
        for name in sorted(names):
            path = Path(parent, name)
            if not _is_visible(name) or not _matches((*above, name), signs):
                continue
            if path.is_symlink() and not Path(os.path.realpath(path)).is_relative_to(inside):
                links.append(path)
            elif path.is_file():
                yield path
        skipped += [f"the link {path.relative_to(folder).as_posix()!r} is not followed" for path in links]


def _is_visible(name: str) -> bool:
    return not name.startswith(".") and name != "node_modules"


def _matches(names: Sequence[str], signs: Sequence[str], *, so_far: bool = False) -> bool:
    """Whether the names, or the first of them, match the signs; with ``so_far`` whether more names might."""
    if not signs:
        return True
    if not names:
        return so_far
    if signs[0] == "**":
        return so_far or any(_matches(names[start:], signs[1:]) for start in range(len(names)))
    return fnmatchcase(names[0], signs[0]) and _matches(names[1:], signs[1:], so_far=so_far)


def _unreadable(error: OSError) -> None:
    raise InputError(f"dataset.files: the folder {str(error.filename)!r} cannot be read: {error.strerror}")


def _supported(folder: Path, files: Iterable[Path], skipped: list[str]) -> list[Path]:
    all_files = list(files)
    others = [path for path in all_files if not is_supported(path)]
    if others:
        suffixes = ", ".join(sorted({path.suffix.lower() or "no suffix" for path in others}))
        files_are = "file is" if len(others) == 1 else "files are"
        skipped.append(f"{len(others)} {files_are} skipped in {folder.name!r} ({suffixes}): supported are {SUPPORTED}")
    return [path for path in all_files if is_supported(path)]


def _with_ids(files: Iterable[Path], root: Path | None, errors: list[str | Exception]) -> tuple[tuple[Path, str], ...]:
    paths = list(files)
    root = root or Path(os.path.commonpath([path.parent for path in paths] or [Path("/")]))
    by_id: dict[str, Path] = {}
    for path in paths:
        if not path.is_relative_to(root):
            errors.append(f"dataset.root: {str(path)!r} does not lie in {str(root)!r}")
            continue
        id = normalize("NFC", path.relative_to(root).as_posix())
        if any("\ud800" <= char <= "\udfff" for char in id):
            errors.append(f"dataset.files: the name of {str(path)!r} is not UTF-8: rename the file")
        elif by_id.setdefault(id, path) != path:
            errors.append(f"dataset.files: {str(by_id[id])!r} and {str(path)!r} have one document id, {id!r}: rename one")
    return tuple((by_id[id], id) for id in sorted(by_id))


def _absolute(path: Path) -> Path:
    # Without following links: a link that the user names keeps its own name.
    return Path(os.path.abspath(path))  # noqa: PTH100 - Path.absolute() keeps '..', Path.resolve() follows links
