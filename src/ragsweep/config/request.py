"""From a command to combinations: what the entry asks for, carried past Hydra's grammar, and the composed answer."""

from collections.abc import Callable, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any

from hydra.core.config_loader import ConfigLoader
from omegaconf import DictConfig, OmegaConf
from omegaconf.errors import OmegaConfBaseException

from ragsweep.config.compose import Composer
from ragsweep.config.door import build_judge, build_root, build_setup
from ragsweep.config.explain import unresolved
from ragsweep.config.overrides import Overrides, merge
from ragsweep.config.prompts import placed
from ragsweep.config.root import ROOT_KEYS, DatasetConfig, RootConfig, of_files, of_run
from ragsweep.config.yaml_scan import load, turned_scalars
from ragsweep.errors import ImpossibleError, InputErrors
from ragsweep.judges.judging import Judge
from ragsweep.places import no_folder, outputs_folder, store_folder
from ragsweep.setups import GROUPS
from ragsweep.sweep.grid import Combination, expand, too_many
from ragsweep.sweep.progress import say
from ragsweep.sweep.wanted import Launch, Row, Wanted

EXPERIMENT = "experiment.yaml"


@dataclass
class Request:
    """One command. ``files`` and ``questions`` are paths given by flags, never read by Hydra; ``file`` is that of an experiment
    which was named by its path.

    ``run`` gets what was composed and the launcher; ``exit_code`` is what it returned.
    """

    overrides: Overrides
    run: Callable[[Wanted, Launch], int]
    files: tuple[str, ...] = ()
    questions: str | None = None
    file: Path | None = None
    sample: bool = False
    problems: list[str] = field(default_factory=list)
    exit_code: int = 0


ANNOUNCED = 200
"""Combinations from which their number is said before they are composed: that takes some seconds."""
REQUEST: ContextVar[Request] = ContextVar("request")


def combine(request: Request, loader: ConfigLoader, config: DictConfig) -> Wanted:
    """Expand and compose every combination of ``request``. Mistakes are collected, none is raised."""
    problems = list(request.problems)
    experiment, experiment_dir = config.hydra.runtime.choices.get("experiment"), config.get("experiment_dir")
    file = (request.file or Path(experiment_dir) / EXPERIMENT) if experiment_dir and not request.sample else None
    problems += turned_scalars(file) if file else []
    given, named = _asked(request, config, problems)
    base = Path(experiment_dir) if experiment_dir else Path.cwd()
    root = _root(config, given, request, problems)
    composer = Composer(loader, config)
    in_file: Any = OmegaConf.to_container(load(file)) if file else {}
    _learn(composer, config, in_file, request.overrides)
    axes, unmatched = composer.matching(given.axes)
    problems += [*unmatched, *_in_the_way(root)]
    # An axis that the command line fixed still makes a grid, of one setup, beside the named ones.
    mode = root.sweep_mode if not named or axes or config.sweep else None
    own = {key: value for key, value in given.fixed.items() if key.partition(".")[0] != "gate"}  # its keys are not in conf/
    many = too_many(axes, mode)
    problems += [many] if many else []
    combinations = [] if many else expand(axes, own, named, mode)
    if len(combinations) >= ANNOUNCED:
        say(f"composing {len(combinations):,} combinations")
    for combination in combinations:
        problems += _of(combination, composer.unknown_options(combination.asked), problems)
        composer.prepare(combination.asked)
    rows, judge, skipped = _rows(combinations, composer, base, problems, skip=root.on_invalid == "skip")
    return Wanted(
        experiment=experiment,
        sample=request.sample,
        as_written=not (request.sample or request.files or request.questions or _changed(request.overrides))
        and (request.file is None or request.file.name == EXPERIMENT),
        base=base,
        files=root.dataset.files,
        questions=root.dataset.questions,
        axes=axes,
        rows=rows,
        skipped=[f"{_left_out(combinations, axes)}: {reason}" for reason, combinations in skipped.items()],
        problems=list(dict.fromkeys(problems)),
        written=_written([in_file, *named, given.fixed, dict.fromkeys(axes)]),
        prices_file=None if any(key.partition(".")[0] == "prices" for key in given.fixed) else file,
        settings=of_run(root, judge, rows[0].choices["judge"] if rows else "none"),
        **of_files(root),
    )


def _rows(
    combinations: Sequence[Combination], composer: Composer, base: Path, problems: list[str], *, skip: bool
) -> tuple[list[Row], Judge | None, dict[str, list[Combination]]]:
    """A row of each combination that can be built, the judge, which is that of all, and, to ``skip``, the impossible ones by
    their reason."""
    rows: list[Row] = []
    judges: list[Judge | None] = []
    skipped: dict[str, list[Combination]] = {}
    for combination in combinations:
        problems += _of(combination, composer.unknown_keys(combination.asked), problems)
        try:
            values = placed(composer.plain(combination.asked), base)
            choices = composer.choices(combination.asked)
            rows.append(Row(combination.asked, choices, build_setup(values), combination.name, build_root(values).pdf))
            judges.append(build_judge(values))
        except InputErrors as error:
            if skip and isinstance(error, ImpossibleError):
                skipped.setdefault("; ".join(error.messages), []).append(combination)
            else:
                hint = "; on_invalid=skip leaves such combinations out"
                out = hint if isinstance(error, ImpossibleError) and len(combinations) > 1 else ""
                problems += _of(combination, [f"{message}{out}" for message in error.messages], problems)
    return rows, judges[0] if judges else None, skipped


def _in_the_way(root: RootConfig) -> list[str]:
    """A message for each folder that a run writes to and that cannot be one."""
    places = {"store.dir": store_folder(root.store.dir), "RAGSWEEP_OUTPUTS": outputs_folder()}
    found = {key: (place, no_folder(place)) for key, place in places.items()}
    return [f"{key}: {place} needs a folder, and {file} is none: write another" for key, (place, file) in found.items() if file]


def _learn(composer: Composer, config: DictConfig, in_file: Mapping[Any, Any], given: Overrides) -> None:
    """Let the composer know the keys of the options that an experiment names and the command line replaced."""
    replaced = [group for group in GROUPS if group in given.fixed or group in given.axes]
    sweep: Any = OmegaConf.to_container(config.sweep) if isinstance(config.sweep, DictConfig) else {}
    axes, _ = merge({group: sweep[group] for group in replaced if sweep.get(group)}, Overrides())
    named = {group: [composer.choices({})[group]] for group in replaced if group in in_file}
    for group, names in [*composer.matching(axes.axes)[0].items(), *named.items()]:
        for name in names:
            composer.learn(group, name)


def _written(places: Sequence[Any]) -> list[str]:
    """The keys of values and options in ``places``, all mappings; of a part with a dot: length, retriever, retriever.k1."""
    keys: dict[str, None] = {}
    for place in places:
        for key, value in place.items():
            inner = value if key in GROUPS and isinstance(value, Mapping) else None
            keys |= dict.fromkeys([f"{key}.{name}" for name in inner] if inner is not None else [str(key)])
    return list(keys)


def _changed(given: Overrides) -> set[str]:
    """What the command line says that changes the report: nothing of the machine, and no gate."""
    same = "n_jobs in_flight timing share_answers store.dir on_error max_failures retry_failed max_setup_s"
    changed = {*given.fixed, *given.axes} - {*same.split()}
    return {key for key in changed if key.partition(".")[0] != "gate"}


def _of(combination: Combination, messages: Sequence[str], told: Sequence[str]) -> list[str]:
    """The messages, with the name of a setup beside the grid where the mistake is its own."""
    named = f"setup {combination.name!r}: " if combination.name is not None else ""
    return [message if message in told else f"{named}{message}" for message in messages]


def _left_out(combinations: Sequence[Combination], axes: Mapping[str, Sequence[Any]]) -> str:
    """The named ones by name, one of the grid by its values, several by their number and the values that all of them have."""
    names = [combination.name for combination in combinations if combination.name is not None]
    grid = [combination.asked for combination in combinations if combination.name is None]
    several = [key for key, values in axes.items() if len(values) > 1 and grid and key in grid[0]]
    shared = " ".join(f"{key}={grid[0][key]}" for key in several if all(asked[key] == grid[0][key] for asked in grid))
    if len(grid) > 1:
        names.append(f"{len(grid):,} combinations{f' with {shared}' if shared else ''}")
    elif grid:
        names.append(shared or "the only combination")
    return ", ".join(names)


def _asked(request: Request, config: DictConfig, problems: list[str]) -> tuple[Overrides, list[dict[str, Any]]]:
    """The command line over the experiment's ``sweep:``, and its ``setups:``; neither for the bare sample."""
    keys = [] if request.sample else ["sweep", "setups"]
    written: Any = OmegaConf.to_container(OmegaConf.masked_copy(config, keys), resolve=False)
    # What is no mapping or list is refused with the other root values.
    sweep = written["sweep"] if isinstance(written.get("sweep"), dict) else {}
    empty = [key for key, values in sweep.items() if values == [] or (values is None and ")" not in str(key))]
    problems += [f"sweep.{key}: is empty: write its values, as in [a, b], or leave it out" for key in empty]
    given, unusable = merge({str(key): values for key, values in sweep.items() if key not in empty}, request.overrides)
    problems += unusable
    problems += [f"sweep.{key}: cannot be swept: write it at the top of the file" for key in given.axes if of_all(key)]
    listed = {key: values for key, values in given.axes.items() if isinstance(values, list)}
    nested = {key: next((value for value in values if isinstance(value, dict)), None) for key, values in listed.items()}
    problems += [
        f"{key}: write an axis for each of its keys: {key}.{next(iter(value))}" for key, value in nested.items() if value
    ]
    given = replace(given, axes={key: values for key, values in given.axes.items() if not nested.get(key)})
    named = _named(written["setups"] if isinstance(written.get("setups"), list) else [], problems)
    if any(not of_all(key) for key in [*request.overrides.fixed, *request.overrides.axes]):
        named = [setup for setup in named if set(setup) > {"name"}]  # a name for the file's own values is none for others
    return given, named


def _named(setups: list[Any], problems: list[str]) -> list[dict[str, Any]]:
    """The setups beside the grid that have a name of their own."""
    named: dict[str, dict[str, Any]] = {}
    for place, setup in enumerate(setups):
        name = setup.get("name") if isinstance(setup, dict) else None
        if not isinstance(name, str) or not name.strip():
            problems.append(f"setups[{place}]: write a name in it, as in {{name: pages, chunker: page}}")
        elif name in named:
            problems.append(f"setups[{place}]: the name {name!r} is given twice: write another")
        else:
            named[name] = setup
            problems += [f"setups[{place}].{key}: is one for all setups: write it at the top" for key in setup if of_all(key)]
    return list(named.values())


def of_all(key: Any) -> bool:
    """Whether a key is of the whole run, not of one setup."""
    run = "n_jobs in_flight timing share_answers on_error max_failures retry_failed max_setup_s repeats limit limit_seed gate"
    sections = f"dataset store report scorecard judge prices {run} evidence_match score_at sweep sweep_mode on_invalid setups"
    return str(key).partition(".")[0] in [*sections.split(), "experiment", "experiment_dir", "worker", "hydra"]


def _root(config: DictConfig, given: Overrides, request: Request, problems: list[str]) -> RootConfig:
    """The root values with the command line over them; files given there are relative to the current directory."""
    laid = OmegaConf.masked_copy(config, [str(name) for name in config if name != "hydra"])
    OmegaConf.set_struct(laid, False)
    for key, value in given.fixed.items():
        if key.partition(".")[0] in ROOT_KEYS:
            OmegaConf.update(laid, key, value, merge=False)
    try:
        values: Any = OmegaConf.to_container(laid, resolve=True)
    except OmegaConfBaseException as error:
        raise InputErrors([*problems, unresolved(error)]) from None
    plain = {entry.name: values[entry.name] for entry in fields(RootConfig) if entry.name in values}
    section = plain["dataset"] if isinstance(plain["dataset"], dict) else {}
    _place(section, given, request, problems)
    try:
        return build_root({**plain, "dataset": section or plain["dataset"]})
    except InputErrors as error:
        problems += error.messages
        # Files and questions are checked all the same.
        known = {name: section[name] for name in ("files", "questions", "root") if name in section}
        return RootConfig(dataset=DatasetConfig(**known))


def _place(section: dict[str, Any], given: Overrides, request: Request, problems: list[str]) -> None:
    """Files and questions that the command line names, into the values of ``dataset``, as absolute paths."""
    here = Path.cwd()
    for flag, value in (("files", request.files), ("questions", request.questions)):
        if value and f"dataset.{flag}" in given.fixed:
            problems.append(f"--{flag} and dataset.{flag}=: write one of them")
    if request.files:
        section["files"] = [str(here / name) for name in request.files]
    elif "dataset.files" in given.fixed:
        section["files"] = _absolute(section["files"], here)
    if request.questions:
        section["questions"] = str(here / request.questions)
    elif isinstance(section.get("questions"), str) and "dataset.questions" in given.fixed:
        section["questions"] = str(here / section["questions"])


def _absolute(files: Any, here: Path) -> Any:
    if isinstance(files, list):
        return [str(here / str(name)) for name in files]
    return str(here / str(files))
