"""Prompts of an experiment's own: text files in its folder."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ragsweep.setups import CHOSEN


def placed(values: Mapping[str, Any], folder: Path) -> dict[str, Any]:
    """A composed config in which ``prompts`` of a part names the files that are in ``folder`` by their whole paths."""
    return {key: _placed(value, folder) if key in CHOSEN else value for key, value in values.items()}


def _placed(option: Any, folder: Path) -> Any:
    prompts = option.get("prompts") if isinstance(option, dict) else None
    if not isinstance(prompts, dict):
        return option
    own = {name: str(folder / said) for name, said in prompts.items() if isinstance(said, str) and _is_file(folder, said)}
    return {**option, "prompts": {**prompts, **own}}


def _is_file(folder: Path, said: str) -> bool:
    return said.endswith(".txt") and "\n" not in said and (folder / said).is_file()
