"""Where things are: our conf and packaged experiments, the user's experiments, outputs and store."""

import os
import re
from contextvars import ContextVar
from pathlib import Path

EXPERIMENTS_FOLDERS: ContextVar[tuple[Path, ...]] = ContextVar("experiments_folders", default=())
"""Folders of experiments for this process, the user's first and the packaged last; empty when Hydra runs another app.

In place of the user's folder there may be the file of one experiment.
"""

_PACKAGE = Path(__file__).resolve().parent


def packaged(name: str) -> Path:
    """The folder ``conf`` or ``experiments``: in the package when it came from a wheel, else in the checkout.

    An editable install leaves a stale copy in site-packages, which is not where this file lies.
    """
    own = _PACKAGE / name
    return own if own.is_dir() else _PACKAGE.parents[1] / name


def experiment_name(file: Path) -> str:
    """What an experiment is called that is named by the path of its file: by its folder, or as the file when that has a name
    of its own; one in a run folder, such as best.yaml, by both.

    >>> experiment_name(Path("experiments/leave/experiment.yaml")), experiment_name(Path("leave-2027.yaml"))
    ('leave', 'leave-2027')
    """
    folder = file.absolute().parent
    name = folder.name if file.name == "experiment.yaml" else file.stem
    if (folder / "plan.json").is_file():
        name = f"{folder.parent.name}-{name}"
    return re.sub(r"[^\w-]+", "-", name).strip("-") or "experiment"


def schema_file() -> Path:
    """The JSON schema of experiment.yaml, for editors."""
    return packaged("conf") / "experiment.schema.json"


def outputs_folder() -> Path:
    """RAGSWEEP_OUTPUTS, else ``outputs`` in the current directory."""
    return Path(os.environ.get("RAGSWEEP_OUTPUTS") or "outputs").absolute()


def store_folder(configured: str | None) -> Path:
    """``store.dir``, else RAGSWEEP_STORE, else ``.store`` in the outputs folder."""
    return Path(configured or os.environ.get("RAGSWEEP_STORE") or outputs_folder() / ".store").absolute()


def no_folder(place: Path) -> Path | None:
    """What stands in the way of a folder at ``place``: the file that it, or a folder above it, is; None for nothing."""
    return next((each for each in (place, *place.parents) if os.path.lexists(each) and not each.is_dir()), None)


def servers_folder() -> Path:
    """``.servers`` in the outputs folder: what the processes of this machine share to keep the limits of model servers."""
    return outputs_folder() / ".servers"
