"""How a run is told to stop: a file in its folder, which every worker looks for before each question, whatever the launcher."""

import os
from collections.abc import Callable
from functools import partial
from pathlib import Path

from ragsweep import files

STOP = "stop"
FAILURES = "failures"


def stop(folder: Path, why: str) -> None:
    """Have the run in ``folder`` begin no other question."""
    files.publish(folder / STOP, why.encode())


def stopped(folder: Path) -> str | None:
    """Why the run is to stop, None while it is not."""
    try:
        return (folder / STOP).read_text(encoding="utf-8")
    except FileNotFoundError:
        return None


def stop_sign(folder: Path) -> Callable[[], bool]:
    """Whether the run is to stop: asked before each question, so it is as quick as it can be."""
    return partial(os.path.exists, str(folder / STOP))


def count_failure(folder: Path, most: float | None) -> None:
    """Count a failed question, and stop the run when there are more than ``most``."""
    number = files.tally(folder / FAILURES)
    if most is not None and number > most:
        stop(folder, f"failed questions: {number:,}, more than max_failures={most}")


def begin(folder: Path) -> None:
    """Forget what an earlier attempt left."""
    for name in (STOP, FAILURES):
        files.remove(folder / name)
