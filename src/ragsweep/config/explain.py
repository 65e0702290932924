"""Hydra's errors in our words."""

from collections.abc import Sequence
from dataclasses import fields, is_dataclass
from pathlib import Path

from hydra.errors import MissingConfigException
from omegaconf.errors import ConfigAttributeError, ConfigKeyError, OmegaConfBaseException

from ragsweep.config.door import no_option
from ragsweep.errors import InputError, nearest


def explain(error: Exception, folders: Sequence[Path]) -> InputError:
    """One clear error; for an experiment that was not found, the nearest name and where it was looked up."""
    missing = getattr(error, "missing_cfg_file", None) if isinstance(error, MissingConfigException) else None
    if missing and str(missing).startswith("experiment/"):
        name = str(missing).removeprefix("experiment/")
        if (other := folders[0] / name / "experiment.yml").is_file():
            return InputError(f"experiment={name}: {other} is not looked at: name it experiment.yaml, or write its path")
        known = sorted({path.parent.name for folder in folders for path in folder.glob("*/experiment.yaml")})
        return InputError(
            f"experiment={name}: there is no {folders[0]}/{name}/experiment.yaml and no packaged one; {nearest(name, known)}"
        )
    if missing and isinstance(error, MissingConfigException):
        group, _, name = str(missing).rpartition("/")
        return InputError(no_option(group, name, error.options or []))
    cause = error.__cause__
    if said := _of_setting(cause if isinstance(cause, OmegaConfBaseException) else error.__context__):
        return InputError(said)
    lines = [*str(error).splitlines(), *(str(cause).splitlines() if cause else [])]
    return InputError("; ".join(line.strip() for line in lines if line.strip() and "Search path" not in line)[:600])


def _of_setting(error: BaseException | None) -> str | None:
    """The message for a setting of Hydra that does not exist or has a value of the wrong type."""
    if not isinstance(error, OmegaConfBaseException) or not error.full_key:
        return None
    owner = error.object_type
    if isinstance(error, ConfigKeyError | ConfigAttributeError) and is_dataclass(owner):
        name = str(error.full_key).rpartition(".")[2]
        return f"{error.full_key}: unknown key; {nearest(name, [entry.name for entry in fields(owner)])}"
    return f"{error.full_key}: {str(error).partition(chr(10))[0]}"


def unresolved(error: OmegaConfBaseException) -> str:
    """The message for a ``${...}`` that leads nowhere: the key that holds it, and what is missing."""
    said = str(error).partition("\n")[0]
    return f"{error.full_key}: {said.rpartition('resolving interpolation: ')[2].strip(chr(34))}"
