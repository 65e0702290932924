"""Where a run writes."""

from datetime import datetime
from pathlib import Path
from secrets import token_hex

from ragsweep import files
from ragsweep.places import outputs_folder


def make_run_folder(experiment: str | None) -> Path:
    """A new folder ``<outputs>/<experiment or run>/<date>_<time>_<4 hex>``."""
    parent = outputs_folder() / (experiment or "run")
    while True:
        folder = parent / f"{datetime.now():%Y-%m-%d_%H-%M-%S}_{token_hex(2)}"
        files.make_folder(parent)
        try:
            folder.mkdir()
        except FileExistsError:  # two runs in one second: another four digits
            continue
        return folder


def link_latest(folder: Path) -> None:
    """Have the link ``latest`` beside a run folder lead to it: once it holds what a reader asks for."""
    files.link(folder.parent / "latest", folder.name)
