"""Where things are: our conf and packaged experiments, the user's experiments, outputs and store."""

import os
from contextvars import ContextVar
from pathlib import Path

EXPERIMENTS_FOLDERS: ContextVar[tuple[Path, ...]] = ContextVar("experiments_folders", default=())
"""Folders of experiments for this process, the user's first and the packaged last; empty when Hydra runs another app."""

_PACKAGE = Path(__file__).resolve().parent


def packaged(name: str) -> Path:
    """The folder ``conf`` or ``experiments``: in the package when it came from a wheel, else in the checkout.

    An editable install leaves a stale copy in site-packages, which is not where this file lies.
    """
    own = _PACKAGE / name
    return own if own.is_dir() else _PACKAGE.parents[1] / name


def outputs_folder() -> Path:
    """RAGSWEEP_OUTPUTS, else ``outputs`` in the current directory."""
    return Path(os.environ.get("RAGSWEEP_OUTPUTS") or "outputs").absolute()


def store_folder(configured: str | None) -> Path:
    """``store.dir``, else RAGSWEEP_STORE, else ``.store`` in the outputs folder."""
    return Path(configured or os.environ.get("RAGSWEEP_STORE") or outputs_folder() / ".store").absolute()


def servers_folder() -> Path:
    """``.servers`` in the outputs folder: what the processes of this machine share to keep the limits of model servers."""
    return outputs_folder() / ".servers"
