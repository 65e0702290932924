"""A setup of a run by the way it is written: RUN_DIR:NAME."""

from pathlib import Path

from ragsweep.errors import InputError, nearest
from ragsweep.sweep.describe import listed
from ragsweep.sweep.frozen import FrozenPlan, Job


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


def named(frozen: FrozenPlan, name: str, flag: str = "") -> Job:
    """The setup of this name, or the only one whose name holds it. Errors begin with ``flag``."""
    if not frozen.jobs:
        raise InputError(f"{flag}{frozen.folder}: nothing ran here: it holds recorded runs of other systems")
    exact = [job for job in frozen.jobs if job.name == name]
    found = exact or [job for job in frozen.jobs if name.casefold() in job.name.casefold()]
    if len(found) == 1:
        return found[0]
    written = f"{flag}{frozen.folder}:{name}"
    several = listed([repr(job.name) for job in found])
    if found and not name:
        raise InputError(f"{flag}{frozen.folder}: write behind a colon which of its {len(found)} setups: {several}")
    if found:
        raise InputError(f"{written}: {len(found)} setups have that in their name ({several}): write one of them")
    raise InputError(f"{written}: the run has no such setup; {nearest(name, [job.name for job in frozen.jobs])}")
