"""The prices of an experiment as its file has them now, for the report of a run that was made before."""

from pathlib import Path
from typing import Any

from omegaconf import OmegaConf
from omegaconf.errors import OmegaConfBaseException

from ragsweep.config.door import build_root
from ragsweep.config.explain import unresolved
from ragsweep.config.yaml_scan import load
from ragsweep.errors import InputError
from ragsweep.results import Price


def prices_now(file: Path) -> dict[str, Price] | None:
    """``prices`` of an experiment's file; None where it has none of its own, or there is no such file any more.

    Raises InputError where it cannot be read, InputErrors for what is no price.
    """
    if not file.is_file():
        return None
    config = load(file)
    if not OmegaConf.is_dict(config) or "prices" not in config:
        return None
    try:
        written: Any = OmegaConf.to_container(OmegaConf.masked_copy(config, ["prices"]), resolve=True)
    except OmegaConfBaseException as error:
        raise InputError(f"{file}: {unresolved(error)}") from None
    return build_root(written).prices
