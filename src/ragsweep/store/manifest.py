"""The manifest of an entry: written last, so an entry without one is none; says what each file must be."""

import json
import stat
from pathlib import Path
from typing import Any

from ragsweep import files

FORMAT = 1
MANIFEST = "manifest.json"


def seal(folder: Path, kind: str, id: str) -> None:
    """Write the manifest of a folder that holds all of its files."""
    stated = {path.name: {"size": path.stat().st_size, "sha256": files.sha256_file(path)} for path in sorted(folder.iterdir())}
    files.write(folder / MANIFEST, files.strict_json({"format": FORMAT, "kind": kind, "id": id, "files": stated}))


def read(folder: Path) -> dict[str, Any]:
    """The manifest as it stands; ValueError or OSError when it is none."""
    _regular_size(folder / MANIFEST)
    try:
        manifest = json.loads((folder / MANIFEST).read_bytes())
    except RecursionError as error:
        raise ValueError(f"{MANIFEST} is nested too deeply") from error
    if not isinstance(manifest, dict):
        raise ValueError(f"{MANIFEST} is not an object")
    return manifest


def problem(folder: Path, kind: str, id: str, hashes: bool) -> str | None:
    """What is wrong with an entry, or None: its manifest, the size of each file and, with ``hashes``, their sha256."""
    try:
        manifest = read(folder)
        if (manifest["format"], manifest["kind"], manifest["id"]) != (FORMAT, kind, id):
            return f"{MANIFEST} is that of another entry"
        for name, stated in manifest["files"].items():
            if _regular_size(folder / name) != stated["size"]:
                return f"{name} has another size"
            if hashes and files.sha256_file(folder / name) != stated["sha256"]:
                return f"{name} has another sha256"
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        return f"{MANIFEST} or a file it names cannot be read ({error})"
    return None


def _regular_size(path: Path) -> int:
    """Size in bytes of a regular file; anything else, such as a link or a pipe that would block, is refused unopened."""
    status = path.lstat()
    if not stat.S_ISREG(status.st_mode):
        raise ValueError(f"{path.name} is not a regular file")
    return status.st_size
