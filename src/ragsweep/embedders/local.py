"""Models on disk: where they lie, what they are by content, and the optional packages that run them."""

import re
from collections.abc import Callable, Mapping
from functools import lru_cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from ragsweep import files
from ragsweep.errors import InputError


def installed(package: str, extra: str) -> str:
    """An optional package with its version, as in ``model2vec 0.10.0``. Raises InputError that says how to get it."""
    try:
        return f"{package} {version(package)}"
    except PackageNotFoundError:
        raise InputError(f"{package} is not installed: pip install 'ragsweep[{extra}]'") from None


def model_folder(path: str, fetch: Callable[[str], object]) -> Path:
    """The folder ``path``, or that of the model of this name (owner/model) in the local cache of the Hugging Face hub.

    ``fetch`` opens a model by name, and so puts it into that cache; it is called only when the model is not there. Raises
    InputError when there is neither.
    """
    folder = Path(path).expanduser()
    if folder.is_dir():
        return folder
    if folder.is_absolute() or not re.fullmatch(r"[\w-][\w.-]*/[\w.-]+", path):
        raise InputError(f"path={path}: there is no such folder")
    from huggingface_hub import snapshot_download

    try:
        return Path(snapshot_download(path, local_files_only=True))
    except Exception:  # not there yet
        try:
            fetch(path)
            return Path(snapshot_download(path, local_files_only=True))
        except Exception as error:
            raise InputError(f"path={path}: there is no such folder, and no model of this name: {_line(error)}") from error


def opened(load: Callable[[str], Any], folder: Path) -> Any:
    """What ``load`` makes of a model's folder. Raises InputError when it cannot."""
    try:
        return load(str(folder))
    except Exception as error:
        raise InputError(f"path={folder}: the model cannot be opened: {_line(error)}") from error


def _line(error: Exception) -> str:
    return str(error).partition("\n")[0]


def digest_of(named: Mapping[str, Path]) -> str:
    """64 hex digits of names and contents of files, wherever they lie.

    A file is read again within one process only when its size or time of change is another.
    """
    stats = {name: path.stat() for name, path in named.items()}
    return files.digest({name: _sha256(named[name], stat.st_size, stat.st_mtime_ns) for name, stat in stats.items()})


def digest_of_folder(folder: Path) -> str:
    """``digest_of`` all files of a model's folder, without hidden ones and texts about it (.md)."""
    named = {path.relative_to(folder).as_posix(): path for path in folder.rglob("*") if path.is_file()}
    return digest_of({name: path for name, path in named.items() if not name.startswith(".") and path.suffix != ".md"})


@lru_cache(maxsize=4096)
def _sha256(path: Path, size: int, changed: int) -> str:
    return files.sha256_file(path)
