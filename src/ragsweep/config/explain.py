"""Hydra's errors in our words."""

from collections.abc import Sequence
from pathlib import Path

from hydra.errors import MissingConfigException
from omegaconf.errors import OmegaConfBaseException

from ragsweep.errors import InputError, nearest


def explain(error: Exception, folders: Sequence[Path]) -> InputError:
    """One clear error; for an experiment that was not found, the nearest name and where it was looked up."""
    missing = getattr(error, "missing_cfg_file", None) if isinstance(error, MissingConfigException) else None
    if missing and str(missing).startswith("experiment/"):
        name = str(missing).removeprefix("experiment/")
        known = sorted({path.parent.name for folder in folders for path in folder.glob("*/experiment.yaml")})
        return InputError(
            f"experiment={name}: there is no {folders[0]}/{name}/experiment.yaml and no packaged one; {nearest(name, known)}"
        )
    if missing and isinstance(error, MissingConfigException):
        group, _, name = str(missing).rpartition("/")
        return InputError(f"{group}={name}: there is no such option; {nearest(name, error.options or [])}")
    cause = error.__cause__
    lines = [*str(error).splitlines(), *(str(cause).splitlines() if cause else [])]
    return InputError("; ".join(line.strip() for line in lines if line.strip() and "Search path" not in line)[:600])


def unresolved(error: OmegaConfBaseException) -> str:
    """The message for a ``${...}`` that leads nowhere: the key that holds it, and what is missing."""
    said = str(error).partition("\n")[0]
    return f"{error.full_key}: {said.rpartition('resolving interpolation: ')[2].strip(chr(34))}"
