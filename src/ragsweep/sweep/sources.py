"""What a report is of: run folders, and files of recorded systems. The folder that ``collect`` makes for several notes those of
its report, and holds the files."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ragsweep import files
from ragsweep.errors import StoreError
from ragsweep.sweep.frozen import RECORDED

SOURCES = "sources.json"


@dataclass(frozen=True)
class Sources:
    """Folders with a plan each, and files of recorded systems beside those that the folders hold."""

    folders: Sequence[Path]
    recorded: Sequence[Path] = ()


def sources(folder: Path) -> Sources:
    """Those of a folder: what it notes, or itself. Raises StoreError for a note that is none of ours."""
    try:
        noted = json.loads((folder / SOURCES).read_bytes())
        return Sources([Path(each) for each in noted["runs"]], [folder / name for name in noted[RECORDED]])
    except (FileNotFoundError, NotADirectoryError):
        return Sources([folder])
    except (ValueError, KeyError, TypeError) as error:
        raise StoreError(f"{folder / SOURCES} is damaged ({error}): collect the runs again") from error


def note_sources(folder: Path, runs: Sequence[Path], recorded: Sequence[Path]) -> None:
    """Copy the files of recorded systems into a folder, and note them with the runs."""
    content = {"runs": [str(each.resolve()) for each in runs], RECORDED: keep_recorded(recorded, folder)}
    files.publish(folder / SOURCES, files.strict_json(content, indent=2))


def keep_recorded(paths: Sequence[Path], folder: Path) -> list[str]:
    """Copy files of recorded systems into a folder, so that they can be read again; the names that they have there."""
    names = [f"{RECORDED}/{number}/{path.name}" for number, path in enumerate(paths, 1)]  # a name says which system it is
    for path, name in zip(paths, names, strict=True):
        files.publish(folder / name, path.read_bytes())
    return names
