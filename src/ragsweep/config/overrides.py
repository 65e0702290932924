"""What the command line and an experiment ask for: fixed values and axes, by key."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from math import ceil, isfinite
from typing import Any

from hydra.core.override_parser.overrides_parser import OverridesParser
from hydra.core.override_parser.types import Glob, Override, RangeSweep
from hydra.errors import HydraException

from ragsweep.config.prices import unreadable_price
from ragsweep.config.root import ROOT_KEYS
from ragsweep.setups import CHOSEN
from ragsweep.sweep.grid import MOST_COMBINATIONS

OF_THE_RUN = (
    *("dataset", "store", "report", "scorecard", "n_jobs", "in_flight", "timing", "share_answers"),
    *("on_error", "max_failures", "retry_failed", "max_setup_s"),
    *("repeats", "limit", "limit_seed", "gate", "judge"),
)
"""Root values that the command line may set and that no axis can have."""


@dataclass(frozen=True)
class Overrides:
    """``fixed`` values and ``axes`` (lists of values) by key; for a group the value is the name of an option.

    An axis is a Glob until the options are known. ``hydra`` are the overrides of Hydra's own settings as written.
    """

    fixed: Mapping[str, Any] = field(default_factory=dict)
    axes: Mapping[str, list[Any] | Glob] = field(default_factory=dict)
    hydra: tuple[str, ...] = ()
    experiments: tuple[str, ...] = ()


def parse(arguments: Sequence[str]) -> tuple[Overrides, list[str]]:
    """Overrides in Hydra's grammar, and a message for each argument that cannot be used."""
    problems: list[str] = []
    fixed: dict[str, Any] = {}
    axes: dict[str, list[Any] | Glob] = {}
    hydra: list[str] = []
    for argument in arguments:
        override = _override(argument)
        if override is None or not override.key_or_group:
            problems.append(_unreadable(argument))
            continue
        key = override.key_or_group
        if override.is_hydra_override() and key == "hydra/sweeper":
            problems.append(f"{argument!r}: every run goes through ragsweep's own sweeper: leave it out")
        elif key.startswith(("hydra.sweep.", "hydra.run.")):
            problems.append(f"{argument!r}: where runs lie is set by RAGSWEEP_OUTPUTS: leave it out")
        elif override.is_hydra_override():
            hydra.append(argument)
        elif problem := _refused(override, key, argument):
            problems.append(problem)
        elif override.is_sweep_override():
            fixed.pop(key, None)
            axes[key] = _values(override)
        else:
            axes.pop(key, None)
            fixed[key] = _plain(override.value())
    axis, name = axes.pop("experiment", None), fixed.pop("experiment", None)
    named = axis if isinstance(axis, list) else [name] if name is not None else []
    experiments = tuple(dict.fromkeys(str(each).rstrip("/") for each in named))
    return Overrides(fixed, axes, tuple(hydra), experiments), problems


def _unreadable(argument: str) -> str:
    for flag in ("files", "questions"):
        if argument.startswith(f"dataset.{flag}="):
            return f"{argument!r}: cannot be read; write --{flag} PATH, which takes any characters"
    if argument.startswith("prices."):
        return unreadable_price(argument)
    name = argument.rstrip("/").rpartition("/")[2]
    if argument.strip("=:") in ("", *CHOSEN, *ROOT_KEYS):
        return f"{argument!r}: cannot be read; write key=value in one word, without spaces"
    if re.fullmatch(r"[A-Za-z][\w-]*", name):
        return f"{argument!r}: cannot be read; write key=value; an experiment is experiment={name}"
    return f"{argument!r}: cannot be read; write key=value, and quotes around unusual values: key='a, b'"


def merge(sweep: Mapping[str, Any], given: Overrides) -> tuple[Overrides, list[str]]:
    """An experiment's ``sweep:`` under the command line: a value there beats the axis, a list there replaces it.

    A text in ``sweep:`` is read as on the command line: ``glob(*)``, ``range(100, 301, 100)``, ``a,b``. With a message for each
    axis that cannot be used.
    """
    problems: list[str] = []
    axes: dict[str, list[Any] | Glob] = {}
    for key, written in sweep.items():
        override = _override(f"{key}={written}") if isinstance(written, str) else None
        problem = _no_axis(override) if override is not None else None
        if written is None and ")" in key:
            continue  # the rest of what YAML cut
        if isinstance(written, str) and "(" in written and ")" not in written:
            problem = f"YAML ends it at the comma: write it in quotes, {key}: '{written},...'"
        if problem:
            problems.append(f"sweep.{key}={written}: {problem}")
        elif override is not None and override.is_sweep_override():
            axes[key] = _values(override)
        else:
            axes[key] = written if isinstance(written, list) else [written]
    axes = {key: given.axes.get(key, values) for key, values in axes.items() if key not in given.fixed}
    axes |= {key: values for key, values in given.axes.items() if key not in axes}
    once = {key: values if isinstance(values, Glob) else _once(key, values) for key, values in axes.items()}
    return Overrides(given.fixed, once, given.hydra, given.experiments), problems


def _once(key: str, values: list[Any]) -> list[Any]:
    """Each value once; 1, 1.0 and true are three. YAML reads a bare off as false."""
    read = ["off" if key == "dedupe" and value is False else value for value in values]
    return list({repr(value): value for value in read}.values())


def _override(argument: str) -> Override | None:
    """An argument in Hydra's grammar, None where it cannot be read."""
    try:
        return OverridesParser.create().parse_override(argument)
    except HydraException:
        return None


def _values(override: Override) -> list[Any] | Glob:
    value = override.value()
    if isinstance(value, Glob):
        return value
    return _range(value) if isinstance(value, RangeSweep) else [_plain(each) for each in override.sweep_iterator()]


def _range(sweep: RangeSweep) -> list[Any]:
    """The numbers of a range as a person would write them: counted in decimals, so that 0.2 steps lead to 0.6."""
    start, step = Decimal(str(sweep.start)), Decimal(str(sweep.step))
    kind = int if all(isinstance(each, int) for each in (sweep.start, sweep.stop, sweep.step)) else float
    return [kind(start + place * step) for place in range(_count(sweep))]


def _count(sweep: RangeSweep) -> int:
    """How many numbers a range holds."""
    start, stop, step = (Decimal(str(each)) for each in (sweep.start, sweep.stop, sweep.step))
    return max(0, ceil((stop - start) / step)) if step else 0


def _no_axis(override: Override) -> str | None:
    """Why the values of an axis cannot be used, wherever they are written."""
    key, value = override.key_or_group, override.value()
    if override.is_sweep_override() and not override.is_discrete_sweep():
        return f"write the values of an axis one by one, {key}=1,2,3, or {key}=range(1,4)"
    if getattr(value, "shuffle", False):
        return f"the order of rows would change from run to run; write {key}=... without shuffle"
    if isinstance(value, Glob) and key not in CHOSEN:
        return "glob chooses options of a part, such as chunker; write the values one by one"
    if isinstance(value, RangeSweep):
        if not all(isfinite(each) for each in (value.start, value.stop, value.step) if each is not None):
            return "write the three numbers of a range, as in range(50,101,10)"
        if _count(value) == 0:
            return "holds no value; write range(first,end,step) with its end behind its first, as in range(50,101,10)"
        if _count(value) > MOST_COMBINATIONS:
            return (
                f"holds {_count(value):,} values, and a sweep may have {MOST_COMBINATIONS:,} combinations; write a larger step"
            )
    return None


def _refused(override: Override, key: str, argument: str) -> str | None:
    if override.is_delete():
        return f"{argument!r}: nothing can be deleted; write key=null for a default"
    if override.package is not None:
        return f"{argument!r}: options have one place; write {key}=..."
    if problem := _no_axis(override):
        return f"{argument!r}: {problem}"
    if key == "experiment" and not all(re.fullmatch(r"(?!\.)[^/]+/*", str(name)) for name in _each(override)):
        return f"{argument!r}: write the name of its folder alone; --experiments-dir DIR says where that folder lies"
    if override.is_sweep_override() and key.partition(".")[0] in OF_THE_RUN:
        lists = {"dataset.files": "files", "dataset.questions": "files", "report.by": "keys"}
        several = f"; for several {lists[key]} write {key}=[a,b]" if key in lists else ": write one value"
        return f"{argument!r}: {key} cannot be swept{several}"
    if override.is_sweep_override() and key == "score_at":
        return f"{argument!r}: it cannot be swept: write one list, as in score_at=[1,5,top_k]"
    if override.is_sweep_override() and key == "evidence_match":
        return f"{argument!r}: it cannot be swept: one report has one rule; run it twice"
    if key.partition(".")[0] in ("sweep", "setups", "experiment_dir", "worker"):
        return f"{argument!r}: cannot be written here; an axis is key=a,b, and named setups stand in an experiment.yaml"
    if key in ("dataset", "store", "report", "scorecard"):
        return f"{argument!r}: write its keys one by one, as in dataset.files=docs"
    if key in CHOSEN and not override.is_sweep_override() and not isinstance(_plain(override.value()), str):
        return f"{argument!r}: write the name of an option, as in {key}=NAME ({key}=? lists them)"
    return None


def _each(override: Override) -> list[Any]:
    values = _values(override) if override.is_sweep_override() else [_plain(override.value())]
    return values if isinstance(values, list) else []


def _plain(value: Any) -> Any:
    """A value without Hydra's marks for quoted text."""
    if hasattr(value, "with_quotes"):
        return value.text
    if isinstance(value, list):
        return [_plain(item) for item in value]
    if isinstance(value, dict):
        return {_plain(key): _plain(item) for key, item in value.items()}
    return value
