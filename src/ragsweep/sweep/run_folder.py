"""Where a run writes."""

from datetime import datetime
from pathlib import Path
from secrets import token_hex

from ragsweep import files
from ragsweep.places import outputs_folder


def make_run_folder(experiment: str | None) -> Path:
    """A new folder ``<outputs>/<experiment or run>/<date>_<time>_<4 hex>``, and the link ``latest`` to it."""
    parent = outputs_folder() / (experiment or "run")
    while True:
        folder = parent / f"{datetime.now():%Y-%m-%d_%H-%M-%S}_{token_hex(2)}"
        files.make_folder(parent)
        try:
            folder.mkdir()
        except FileExistsError:  # two runs in one second: another four digits
            continue
        files.link(parent / "latest", folder.name)
        return folder
