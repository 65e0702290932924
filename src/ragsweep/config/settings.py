"""Settings given in Python, laid over the YAML of conf/: its names, its defaults and its door, without Hydra."""

import json
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any, TypeAlias

import yaml

from ragsweep.config.door import build_root, build_setup, no_option, unknown_key
from ragsweep.config.prompts import placed
from ragsweep.config.root import ROOT_KEYS, RootConfig, of_files, of_run
from ragsweep.errors import InputErrors
from ragsweep.places import packaged
from ragsweep.setups import GROUPS
from ragsweep.sweep.naming import VALUES
from ragsweep.sweep.wanted import Row, Wanted

Settings: TypeAlias = Mapping[str, Any]
"""Values by their names in YAML: ``{"chunker": "paragraph", "chunk_size": 300, "retriever.k1": 1.2}``; nested is the same."""
Files: TypeAlias = str | os.PathLike[str] | Iterable[str | os.PathLike[str]]
"""A file, folder or glob, or several of them, relative to the current directory."""
Questions: TypeAlias = str | os.PathLike[str] | Iterable[Mapping[str, Any]]
"""A .json or .jsonl file, or questions as they stand in one."""

OF_ONE_SETUP = (*GROUPS, *VALUES, "pdf")
OF_RUNS = ("sweep", "sweep_mode", "on_invalid", "setups", "gate", "on_error", "max_failures", "retry_failed", "timing", "judge")
"""What says how a sweep is made of setups, and how a run goes on, ends and is judged."""


@dataclass(frozen=True)
class Asked:
    """A setup as it is asked for. Without a ``name`` it is called by its parts."""

    settings: Settings = field(default_factory=dict)
    rag_type: str | None = None
    name: str | None = None


def wanted(files: Files, questions: Questions, setups: Sequence[Asked], shared: Settings) -> Wanted:
    """These setups, each laid over the values that all share. Mistakes in settings are collected, none is raised."""
    problems: list[str] = []
    paths, asked_for = _paths(files, problems), _questions(questions, problems)
    common = _Laid.of(shared, problems)
    root = _root(common, problems)
    each = [_Laid.of(asked.settings, problems, asked) for asked in setups]
    rows = [_row(asked, common, own, problems) for asked, own in zip(setups, each, strict=True)]
    return Wanted(
        experiment=None,
        sample=False,
        base=Path.cwd(),
        files=paths,
        questions=asked_for,
        axes={},
        rows=[row for row in rows if row is not None],
        problems=list(dict.fromkeys(problems)),
        written=list(dict.fromkeys(key for laid in (common, *each) for key in laid.written)),
        settings=replace(of_run(root), n_jobs=root.n_jobs or 1),
        **of_files(root),
    )


def _paths(files: Files, problems: list[str]) -> str | list[str]:
    try:
        return os.fspath(files) if isinstance(files, str | os.PathLike) else [os.fspath(name) for name in files]
    except TypeError:
        problems.append(f"files={files!r}: write a path, or a list of paths")
        return []


def _questions(questions: Questions, problems: list[str]) -> str | list[Any]:
    if isinstance(questions, str | os.PathLike):
        return os.fspath(questions)
    if isinstance(questions, Iterable):
        return list(questions)
    problems.append(f"questions={questions!r}: write a path, or a list of questions as load_questions gives it")
    return []


@dataclass(frozen=True)
class _Laid:
    """Settings taken apart: the option of each group that names one, and all other values, nested as in YAML."""

    choices: dict[str, Any] = field(default_factory=dict)
    values: dict[str, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, settings: Settings, problems: list[str], asked: Asked | None = None) -> "_Laid":
        laid = cls()
        for key, value in settings.items():
            try:
                laid._lay(str(key), json.loads(json.dumps(value, default=_plain, allow_nan=False)))
            except (TypeError, ValueError):
                problems.append(f"{key}={value!r}: write a plain value: a text, a number, true or false, a list or a mapping")
        names, whose = [*GROUPS, *(key for key in ROOT_KEYS if key not in OF_RUNS)], _named(asked)
        of_runs = {key: first for key in laid.values if (first := key.partition(".")[0]) in OF_RUNS}
        unknown = {key: value for key, value in laid.values.items() if key not in (*GROUPS, *ROOT_KEYS, *of_runs)}
        problems += [f"{whose}{unknown_key(key, value, names)}" for key, value in unknown.items()]
        if asked is not None:
            problems += [
                f"{whose}{key}: is one for all setups: write it in the settings beside setups"
                for key in laid.values
                if key in ROOT_KEYS and key not in OF_ONE_SETUP
            ]
            if asked.rag_type is not None and laid.choices.setdefault("rag_type", asked.rag_type) != asked.rag_type:
                problems.append(f"{whose}rag_type={asked.rag_type} and rag_type in its settings: write one of them")
        problems += [f"{key}: is for runs of the command line" for key in dict.fromkeys(of_runs.values())]
        own = {"files", "questions"} & set(_section(laid.values, "dataset"))
        problems += [f"dataset.{key}: is given to the call, as {key}=" for key in sorted(own)]
        return laid

    def _lay(self, key: str, value: Any) -> None:
        if key in GROUPS and not isinstance(value, dict):
            self.choices[key] = value
            return
        first, *rest = key.split(".")
        is_inner = rest and (first in GROUPS or isinstance(_yaml("config.yaml").get(first), dict))
        for name in reversed(rest if is_inner else []):
            value = {name: value}
        _lay_over(self.values, {first if is_inner else key: value})

    @property
    def written(self) -> list[str]:
        """The keys, those of a part with a dot."""
        inner = [f"{group}.{key}" for group in GROUPS for key in _section(self.values, group)]
        return [*self.choices, *(key for key in self.values if key not in GROUPS), *inner]


def _root(common: _Laid, problems: list[str]) -> RootConfig:
    try:
        return build_root(_root_values(common))
    except InputErrors as error:
        problems += error.messages
        return RootConfig()


def _root_values(*laid: _Laid) -> dict[str, Any]:
    values = {key: deepcopy(value) for key, value in _yaml("config.yaml").items() if key in ROOT_KEYS}
    for each in laid:
        _lay_over(values, {key: value for key, value in each.values.items() if key in ROOT_KEYS})
    return values


def _row(asked: Asked, common: _Laid, own: _Laid, problems: list[str]) -> Row | None:
    """A setup, or None where it has mistakes."""
    wrong: list[str] = []
    values = _root_values(common, own)
    choices = {}
    for group, default in _default_options().items():
        before = common.choices.get(group, default)
        chosen, known = own.choices.get(group, before), _options(group)
        if chosen not in known:
            wrong.append(no_option(group, chosen, known))
            chosen = default
        choices[group] = chosen
        values[group] = _resolved(_yaml(f"{group}/{chosen}.yaml"), values)
        of_others = set(_yaml(f"{group}/{before}.yaml")) - set(values[group]) if before in known else set()
        shared = _section(common.values, group)
        _lay_over(values[group], {key: value for key, value in shared.items() if key not in of_others})
        _lay_over(values[group], _section(own.values, group))
    try:
        setup, reading = build_setup(placed(values, Path.cwd())), build_root(values).pdf
    except InputErrors as error:
        wrong += error.messages
    problems += [said if said in problems else f"{_named(asked)}{said}" for said in wrong]
    return None if wrong else Row({}, choices, setup, asked.name, reading)


def _named(asked: Asked | None) -> str:
    return f"setup {asked.name!r}: " if asked is not None and asked.name is not None else ""


def _plain(value: Any) -> Any:
    """What a value of another package is in JSON: a path, a number of numpy."""
    return os.fspath(value) if isinstance(value, os.PathLike) else value.item() if hasattr(value, "item") else list(value)


def _section(values: Mapping[str, Any], name: str) -> dict[str, Any]:
    section = values.get(name)
    return section if isinstance(section, dict) else {}


def _lay_over(below: dict[str, Any], values: Mapping[str, Any]) -> None:
    for key, value in values.items():
        if isinstance(value, dict) and isinstance(below.get(key), dict):
            _lay_over(below[key], value)
        else:
            below[key] = deepcopy(value)


def _resolved(node: Any, root: Mapping[str, Any]) -> Any:
    """A part of conf/ with the root values that it refers to, as in ``${chunk_size}``."""
    if isinstance(node, dict):
        return {key: _resolved(value, root) for key, value in node.items()}
    found = re.fullmatch(r"\$\{(\w+)\}", node) if isinstance(node, str) else None
    return root[found[1]] if found else deepcopy(node)


def _default_options() -> dict[str, str]:
    named = (each for each in _yaml("config.yaml")["defaults"] if isinstance(each, dict))
    return {group: name for each in named for group, name in each.items() if group in GROUPS}


@cache
def _options(group: str) -> list[str]:
    return sorted(path.stem for path in (packaged("conf") / group).glob("*.yaml"))


@cache
def _yaml(name: str) -> dict[str, Any]:
    content: dict[str, Any] = yaml.safe_load((packaged("conf") / name).read_text(encoding="utf-8"))
    return content
