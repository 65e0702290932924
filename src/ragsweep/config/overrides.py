"""What the command line and an experiment ask for: fixed values and axes, by key."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from hydra.core.override_parser.overrides_parser import OverridesParser
from hydra.core.override_parser.types import Glob, Override
from hydra.errors import HydraException

from ragsweep.setups import GROUPS


@dataclass(frozen=True)
class Overrides:
    """``fixed`` values and ``axes`` (lists of values) by key; for a group the value is the name of an option.

    ``hydra`` are the overrides of Hydra's own settings as written; ``experiment`` is None when none was named.
    """

    fixed: Mapping[str, Any] = field(default_factory=dict)
    axes: Mapping[str, list[Any]] = field(default_factory=dict)
    hydra: tuple[str, ...] = ()
    experiment: str | None = None


def parse(arguments: Sequence[str]) -> tuple[Overrides, list[str]]:
    """Overrides in Hydra's grammar, and a message for each argument that cannot be used."""
    parser, problems = OverridesParser.create(), []
    fixed: dict[str, Any] = {}
    axes: dict[str, list[Any]] = {}
    hydra: list[str] = []
    for argument in arguments:
        try:
            override = parser.parse_override(argument)
        except HydraException:
            override = None
        if override is None or not override.key_or_group:
            problems.append(f"{argument!r}: cannot be read; write key=value, and quotes around unusual values: key='a, b'")
            continue
        key = override.key_or_group
        if override.is_hydra_override():
            hydra.append(argument)
        elif problem := _refused(override, key, argument):
            problems.append(problem)
        elif override.is_sweep_override():
            fixed.pop(key, None)
            axes[key] = [_plain(value) for value in override.sweep_iterator()]
        else:
            axes.pop(key, None)
            fixed[key] = _plain(override.value())
    experiment = fixed.pop("experiment", None)
    name = str(experiment).rstrip("/") if experiment is not None else None
    return Overrides(fixed, axes, tuple(hydra), name), problems


def merge(sweep: Mapping[str, Any], given: Overrides) -> Overrides:
    """An experiment's ``sweep:`` under the command line: a value there beats the axis, a list there replaces it."""
    axes = {key: list(values) if isinstance(values, list) else [values] for key, values in sweep.items()}
    axes = {key: given.axes.get(key, values) for key, values in axes.items() if key not in given.fixed}
    axes |= {key: values for key, values in given.axes.items() if key not in axes}
    # YAML reads a bare off as false.
    axes = {key: ["off" if key == "dedupe" and value is False else value for value in values] for key, values in axes.items()}
    # A value written twice is one value; 1, 1.0 and true are three.
    once = {key: list({repr(value): value for value in values}.values()) for key, values in axes.items()}
    return Overrides(given.fixed, once, given.hydra, given.experiment)


def _refused(override: Override, key: str, argument: str) -> str | None:
    if override.is_delete():
        return f"{argument!r}: nothing can be deleted; write key=null for a default"
    if override.package is not None:
        return f"{argument!r}: options have one place; write {key}=..."
    if override.is_sweep_override() and (not override.is_discrete_sweep() or isinstance(override.value(), Glob)):
        return f"{argument!r}: write the values of an axis one by one: {key}=1,2,3"
    if override.is_sweep_override() and key == "experiment":
        return f"{argument!r}: write one experiment a command"
    if key == "experiment" and not re.fullmatch(r"(?!\.)[^/]+/*", str(_plain(override.value()))):
        return f"{argument!r}: write the name of its folder alone; --experiments-dir DIR says where that folder lies"
    if override.is_sweep_override() and key.partition(".")[0] in ("dataset", "store", "report", "n_jobs"):
        return f"{argument!r}: {key} cannot be swept; for several files write {key}=[a,b]"
    if override.is_sweep_override() and key == "evidence_match":
        return f"{argument!r}: it cannot be swept: one report has one rule; run it twice"
    if key.partition(".")[0] in ("sweep", "setups", "experiment_dir", "worker"):
        return f"{argument!r}: cannot be written here; an axis is key=a,b, and named setups stand in an experiment.yaml"
    if key in ("dataset", "store", "report"):
        return f"{argument!r}: write its keys one by one, as in dataset.files=docs"
    if key in GROUPS and not override.is_sweep_override() and not isinstance(_plain(override.value()), str):
        return f"{argument!r}: write the name of an option, as in {key}=NAME ({key}=? lists them)"
    return None


def _plain(value: Any) -> Any:
    """A value without Hydra's marks for quoted text."""
    if hasattr(value, "with_quotes"):
        return value.text
    if isinstance(value, list):
        return [_plain(item) for item in value]
    if isinstance(value, dict):
        return {_plain(key): _plain(item) for key, item in value.items()}
    return value
