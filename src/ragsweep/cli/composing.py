"""From a command line to a checked request: overrides parsed, each experiment composed by Hydra once."""

import argparse
import os
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from ragsweep.errors import InputError, InputErrors
from ragsweep.options import options_help
from ragsweep.places import experiment_name

if TYPE_CHECKING:
    from ragsweep.config.overrides import Overrides
    from ragsweep.config.request import Request
    from ragsweep.sweep.wanted import Launch, Wanted

HYDRA = "1.3"  # whose ways it is to keep
HYDRA_FLAGS = ("--cfg", "-c", "--info", "-i", "--shell-completion", "-sc", "--hydra-help", "--resolve", "--package")


def sweep_parser(command: str, what: str) -> argparse.ArgumentParser:
    """The arguments of every command that composes."""
    parser = argparse.ArgumentParser(
        prog=f"ragsweep {command}",
        description=what,
        epilog=options_help(),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("overrides", nargs="*", help="key=value, with commas an axis; the path of an experiment's file")
    parser.add_argument("-m", "--multirun", action="store_true", help="accepted as in any Hydra program; every run is a sweep")
    parser.add_argument("--files", nargs="+", default=[], metavar="PATH", help="files, folders or globs, with any characters")
    parser.add_argument("--questions", metavar="PATH", help="a .json or .jsonl file of questions")
    parser.add_argument(
        "--experiments-dir", default="experiments", metavar="DIR", help="where experiment=NAME is looked up first"
    )
    return parser


def parse_arguments(parser: argparse.ArgumentParser, given: Sequence[str]) -> argparse.Namespace:
    """Flags and overrides in any order."""
    _, unknown = parser.parse_known_intermixed_args(given)
    if flags := [each for each in unknown if each.startswith("--")]:
        from ragsweep.config import ROOT_KEYS
        from ragsweep.setups import GROUPS

        names = [flag.strip("-").partition("=")[0].replace("-", "_") for flag in flags]
        if keys := [name for name in names if name.partition(".")[0] in (*GROUPS, *ROOT_KEYS)]:
            raise InputErrors([f"--{key}: values are written without --: {key}=..." for key in keys])
    parsed = parser.parse_intermixed_args(given)
    # --files takes all that follows it: what looks like an override, and is no file, is one.
    stray = [name for name in parsed.files if re.match(r"[a-z_/.]+=", name) and not Path(name).exists()]
    parsed.files = [name for name in parsed.files if name not in stray]
    parsed.overrides += stray
    named = [
        each
        for each in parsed.overrides
        if re.fullmatch(r"[^=\s]+\.ya?ml", each) or (Path(each).suffix in (".yaml", ".yml") and Path(each).is_file())
    ]
    parsed.overrides = [each for each in parsed.overrides if each not in named]
    if len(named) > 1 or (named and any(each.startswith("experiment=") for each in parsed.overrides)):
        raise InputError(f"{' '.join(named)}: write one experiment, by its name or by its file")
    parsed.experiment_file = Path(named[0]).absolute() if named else None
    if named and not Path(named[0]).is_file():
        raise InputError(f"{named[0]}: there is no such file: write the path of an experiment.yaml or a best.yaml")
    return parsed


def gate_arguments(parser: argparse.ArgumentParser) -> None:
    """The flags of a gate."""
    for flag, metrics in (
        ("--fail-under", "scores, as in recall=0.90"),
        ("--fail-over", "times, words and steps, as in p95_s=2"),
    ):
        parser.add_argument(
            flag,
            action="append",
            default=[],
            metavar="METRIC=NUMBER",
            help=f"exit code 3 when the best setup does not reach it: {metrics}; may be given several times",
        )


def listed(overrides: Sequence[str]) -> bool:
    """Answer ``chunker=?``."""
    asked = [override.removesuffix("=?") for override in overrides if override.endswith("=?")]
    for group in asked:
        sys.stdout.write(options_help(group))
    return bool(asked)


def compose(
    parsed: argparse.Namespace,
    call: "Callable[[Wanted, Launch], int]",
    instead_of_sample: Sequence[str] = (),
    needs: str | None = None,
) -> int:
    """Let Hydra compose each experiment; our sweeper then calls ``call``. Several are all checked before the first runs.

    A command that names neither an experiment nor files gets the sample, or the files ``instead_of_sample``; one that ``needs``
    them named raises InputError with that sentence.
    """
    from ragsweep.config.overrides import parse
    from ragsweep.config.request import Request

    overrides, problems = parse(parsed.overrides)
    if parsed.experiment_file:
        name = experiment_name(parsed.experiment_file)
        return _compose_one(parsed, name, Request(overrides, call, file=parsed.experiment_file, problems=problems))
    sample = not overrides.experiments and not parsed.files and "dataset.files" not in overrides.fixed
    if sample and parsed.questions is not None and not instead_of_sample:
        needs = needs or "--questions: write the documents too: --files PATH..., or experiment=NAME"
    if sample and needs:
        raise InputError(needs)
    if sample and instead_of_sample:
        parsed.files, sample = list(instead_of_sample), False
    experiments = ("policies",) if sample else overrides.experiments or (None,)
    if len(experiments) == 1:
        return _compose_one(parsed, experiments[0], Request(overrides, call, sample=sample, problems=problems))
    from ragsweep.sweep.run import check_plan

    mistakes: list[str] = []
    for name in experiments:
        try:
            _compose_one(parsed, name, Request(overrides, check_plan, problems=problems))
        except (InputError, InputErrors) as error:
            found = error.messages if isinstance(error, InputErrors) else (str(error),)
            mistakes += [message if message in problems else f"experiment={name}: {message}" for message in found]
    if mistakes:
        raise InputErrors(mistakes)
    return max(_compose_one(parsed, name, Request(overrides, call)) for name in experiments)


def compose_bare(overrides: "Overrides", call: "Callable[[Wanted, Launch], int]") -> int:
    """Let Hydra compose what a run is launched with; nothing else of what is composed is used."""
    from ragsweep.config.request import Request

    nothing = argparse.Namespace(files=(), questions=None, experiments_dir="experiments", experiment_file=None)
    return _compose_one(nothing, None, Request(overrides, call))


def _compose_one(parsed: argparse.Namespace, experiment: str | None, request: "Request") -> int:
    from ragsweep.config.request import REQUEST

    request.files, request.questions = tuple(parsed.files), parsed.questions
    chosen = [] if experiment is None else [f"experiment={experiment}"]
    token = REQUEST.set(request)
    try:
        with _at_hydras_door(parsed.experiment_file or Path(parsed.experiments_dir)) as conf:
            from hydra import initialize_config_dir
            from hydra.core.global_hydra import GlobalHydra

            from ragsweep.worker import hydra_job

            # hydra.main would compose once more, only to learn the mode.
            with initialize_config_dir(conf, "ragsweep", version_base=HYDRA):
                cast(Any, GlobalHydra.instance().hydra).multirun("config", hydra_job, [*chosen, *request.overrides.hydra])
    finally:
        REQUEST.reset(token)
    return request.exit_code


def hydra(arguments: list[str], experiments: Path) -> int:
    """Hydra's own entry with these arguments, for what it prints of a config."""
    # Shell completion is installed for the program of this name, python for one in .py.
    argv, sys.argv = sys.argv, ["run.py" if sys.argv[0].endswith("run.py") else "ragsweep", *arguments]
    try:
        with _at_hydras_door(experiments) as conf:
            import hydra

            from ragsweep.worker import hydra_job

            hydra.main(version_base=HYDRA, config_path=conf, config_name="config")(hydra_job)()
    finally:
        sys.argv = argv
    return 0


@contextmanager
def _at_hydras_door(experiments: Path) -> Iterator[str]:
    """The folder of our config, while ``experiments`` are found in it. Hydra's errors become an InputError."""
    os.environ["HYDRA_FULL_ERROR"] = "1"  # makes Hydra raise, so that one clear error is shown
    from hydra.errors import HydraException

    from ragsweep.config.explain import explain
    from ragsweep.places import EXPERIMENTS_FOLDERS, packaged

    folders = (experiments.absolute(), packaged("experiments"))
    token = EXPERIMENTS_FOLDERS.set(folders)
    try:
        yield str(packaged("conf"))
    except HydraException as error:
        raise explain(error, folders) from error
    except RecursionError:
        raise InputError("defaults: an experiment names itself, straight or through another: leave that out") from None
    finally:
        EXPERIMENTS_FOLDERS.reset(token)
