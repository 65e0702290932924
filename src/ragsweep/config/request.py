"""From a command to combinations: what the entry asks for, carried past Hydra's grammar, and the composed answer."""

from collections.abc import Callable
from contextvars import ContextVar
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from hydra.core.config_loader import ConfigLoader
from omegaconf import DictConfig, OmegaConf

from ragsweep.config.compose import Composer
from ragsweep.config.door import build_root, build_setup
from ragsweep.config.overrides import Overrides, merge
from ragsweep.config.root import DatasetConfig, RootConfig
from ragsweep.config.yaml_scan import turned_scalars
from ragsweep.errors import InputErrors
from ragsweep.setups import GROUPS
from ragsweep.sweep.grid import expand
from ragsweep.sweep.wanted import Launch, Row, Wanted


@dataclass
class Request:
    """One command. ``files`` and ``questions`` are paths given by flags, never read by Hydra.

    ``run`` gets what was composed and the launcher; ``exit_code`` is what it returned.
    """

    overrides: Overrides
    run: Callable[[Wanted, Launch], int]
    files: tuple[str, ...] = ()
    questions: str | None = None
    sample: bool = False
    problems: list[str] = field(default_factory=list)
    exit_code: int = 0


REQUEST: ContextVar[Request] = ContextVar("request")


def combine(request: Request, loader: ConfigLoader, config: DictConfig) -> Wanted:
    """Expand and compose every combination of ``request``. Mistakes are collected, none is raised."""
    problems = list(request.problems)
    experiment, experiment_dir = config.hydra.runtime.choices.get("experiment"), config.get("experiment_dir")
    if experiment_dir and not request.sample:
        problems += turned_scalars(Path(experiment_dir) / "experiment.yaml")
    given, named = _asked(request, config, problems)
    root = _root(config, given, request, problems)
    composer = Composer(loader, experiment, config.hydra.runtime.choices)
    combinations = expand(given.axes, given.fixed, named)
    for combination in combinations:
        problems += composer.unknown_options(combination.asked)
        composer.prepare(combination.asked)
    rows = []
    for combination in combinations:
        try:
            setup = build_setup(composer.plain(combination.asked))
            rows.append(Row(combination.asked, composer.choices(combination.asked), setup, combination.name))
        except InputErrors as error:
            problems += error.messages
    return Wanted(
        experiment=experiment,
        sample=request.sample,
        base=Path(experiment_dir) if experiment_dir else Path.cwd(),
        files=root.dataset.files,
        questions=root.dataset.questions,
        root=root.dataset.root,
        n_jobs=root.n_jobs,
        store=root.store.dir,
        sort=root.report.sort,
        axes=given.axes,
        rows=rows,
        problems=list(dict.fromkeys(problems)),
    )


def _asked(request: Request, config: DictConfig, problems: list[str]) -> tuple[Overrides, list[dict[str, Any]]]:
    """The command line over the experiment's ``sweep:``, and its ``setups:``; neither for the bare sample."""
    if request.sample:
        return request.overrides, []
    sweep: Any = OmegaConf.to_container(config.sweep) if OmegaConf.is_dict(config.sweep) else {}
    if not OmegaConf.is_dict(config.sweep):
        problems.append("sweep: write axes, as in sweep: {chunker: [word, page]}")
    named: Any = OmegaConf.to_container(config.setups) if OmegaConf.is_list(config.setups) else None
    if named is None or not all(isinstance(setup, dict) and isinstance(setup.get("name"), str) for setup in named):
        problems.append("setups: write a list, each with a name, as in - {name: pages, chunker: page}")
        named = []
    names = [setup["name"] for setup in named]
    problems += [f"setups: the name {name!r} is given twice: write another" for name in set(names) if names.count(name) > 1]
    empty = [key for key, values in sweep.items() if values in ([], None)]
    problems += [f"sweep.{key}: is empty: write its values, as in [a, b], or leave it out" for key in empty]
    given = merge({str(key): values for key, values in sweep.items() if key not in empty}, request.overrides)
    problems += [
        f"sweep.{key}: cannot be swept: write it at the top of the file"
        for key in given.axes
        if key.partition(".")[0] in ("dataset", "store", "report", "n_jobs", "sweep", "setups", "experiment", "hydra")
    ]
    return given, named


def _root(config: DictConfig, given: Overrides, request: Request, problems: list[str]) -> RootConfig:
    """The root values with the command line over them; files given there are relative to the current directory."""
    values: Any = OmegaConf.to_container(config, resolve=False)
    plain = {entry.name: values[entry.name] for entry in fields(RootConfig) if entry.name in values}
    for key, value in given.fixed.items():
        first, _, rest = key.partition(".")
        if first in GROUPS or first not in plain:
            continue
        plain[first] = {**plain[first], rest: value} if rest and isinstance(plain[first], dict) else value
    here = Path.cwd()
    section = dict(plain["dataset"]) if isinstance(plain.get("dataset"), dict) else {}
    if request.files:
        section["files"] = [str(here / name) for name in request.files]
    elif "dataset.files" in given.fixed:
        section["files"] = _absolute(section["files"], here)
    if request.questions:
        section["questions"] = str(here / request.questions)
    elif isinstance(section.get("questions"), str) and "dataset.questions" in given.fixed:
        section["questions"] = str(here / section["questions"])
    try:
        return build_root({**plain, "dataset": section})
    except InputErrors as error:
        problems += error.messages
        # Files and questions are checked all the same.
        known = {entry.name: section[entry.name] for entry in fields(DatasetConfig) if entry.name in section}
        return RootConfig(dataset=DatasetConfig(**known))


def _absolute(files: Any, here: Path) -> Any:
    if isinstance(files, list):
        return [str(here / str(name)) for name in files]
    return str(here / str(files))
