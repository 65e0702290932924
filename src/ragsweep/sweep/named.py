"""A setup of a run by the way it is written: RUN_DIR:NAME."""

from collections.abc import Sequence
from pathlib import Path
from typing import Protocol, TypeVar

from ragsweep.errors import InputError, nearest
from ragsweep.sweep.describe import listed


class Named(Protocol):
    """A setup, or a recorded system."""

    @property
    def name(self) -> str:
        """That of its row."""
        ...


Kind = TypeVar("Kind", bound=Named)


def run_and_name(written: str, flag: str = "") -> tuple[Path, str]:
    """RUN_DIR:NAME, either with colons of its own: the folder is the first that there is. Errors begin with ``flag``."""
    if found := in_folder(written):
        return found
    if Path(written).is_dir():
        return Path(written).resolve(), ""
    raise InputError(
        f"{flag}{written}: there is no such folder: write RUN_DIR:NAME, as in {flag}'outputs/policies/latest:simple + word'"
    )


def in_folder(written: str) -> tuple[Path, str] | None:
    """A folder before a colon, and what stands behind it; None where there is no such folder."""
    places = (place for place, character in enumerate(written) if character == ":")
    place = next((place for place in places if Path(written[:place]).is_dir()), None)
    return None if place is None else (Path(written[:place]).resolve(), written[place + 1 :])


def named(folder: Path, among: Sequence[Kind], name: str, flag: str = "") -> Kind:
    """The one of this name ``among`` those of a folder, or the only one whose name holds it. Errors begin with ``flag``."""
    exact = [each for each in among if each.name == name]
    found = exact or [each for each in among if name.casefold() in each.name.casefold()]
    if len(found) == 1:
        return found[0]
    written = f"{flag}{folder}:{name}"
    several = listed([repr(each.name) for each in found])
    if found and not name:
        raise InputError(f"{flag}{folder}: write behind a colon which of its {len(found)} setups: {several}")
    if found:
        raise InputError(f"{written}: {len(found)} setups have that in their name ({several}): write one of them")
    raise InputError(f"{written}: the run has no such setup; {nearest(name, [each.name for each in among])}")
