"""The command line: `ragsweep run | plan | ask | collect | accept | check | store`."""

import argparse
import os
import re
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

# Vectors and scores must not depend on how many threads a BLAS starts; it reads this when numpy is first imported.
for _name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(_name, "1")
os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")  # setups run side by side, each on one thread

from ragsweep import __version__  # noqa: E402
from ragsweep.errors import CheckError, InputError, InputErrors, RagsweepError  # noqa: E402
from ragsweep.options import options_help  # noqa: E402
from ragsweep.sweep.progress import say  # noqa: E402

if TYPE_CHECKING:
    from ragsweep.config.request import Request
    from ragsweep.sweep.wanted import Launch, Wanted

HYDRA_FLAGS = ("--cfg", "-c", "--info", "-i", "--shell-completion", "-sc", "--hydra-help", "--resolve", "--package")
OK, FAILED, MISTAKE, NOT_REACHED, INTERRUPTED = 0, 1, 2, 3, 130


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; returns the exit code. Errors that ragsweep raises on purpose are shown without a traceback."""
    _use_utf8()
    _open_streams()
    given = list(sys.argv[1:] if arguments is None else arguments)
    try:
        code = COMMANDS[given[0]](given[1:]) if given and given[0] in COMMANDS else _top(given)
        sys.stdout.flush()
        return code
    except BrokenPipeError:  # whoever read our output has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return FAILED
    except OSError as error:
        say(f"error: {error}")
        return FAILED
    except InputErrors as error:
        say(f"{len(error.messages)} mistake{'s' * (len(error.messages) > 1)} found before any work:")
        for message in error.messages:
            say(f"  {message}")
        return MISTAKE
    except InputError as error:
        say(f"mistake: {error}")
        return MISTAKE
    except CheckError as error:
        for line in str(error).splitlines():
            say(line)
        return NOT_REACHED
    except RagsweepError as error:
        say(f"error: {error}")
        return FAILED
    except KeyboardInterrupt:
        say("interrupted")
        return INTERRUPTED


def _open_streams() -> None:
    """Streams that were closed lead nowhere; those of another encoding show what they cannot write."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115, PTH123 - for the whole process
        elif hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")


def _use_utf8() -> None:
    """Start again in UTF-8 mode under a locale of another encoding: it would take names of files for broken text (PEP 540)."""
    if sys.getfilesystemencoding() != "utf-8" and os.environ.get("PYTHONUTF8") != "1":
        os.environ.update(PYTHONUTF8="1", PYTHONIOENCODING=f"{sys.stdout.encoding}:backslashreplace")
        os.execv(sys.executable, [sys.executable, *sys.orig_argv[1:]])


def _top(given: list[str]) -> int:
    if given and given[0] == "--version":
        sys.stdout.write(f"ragsweep {__version__}\n")
        return OK
    if given and given[0] not in ("-h", "--help"):
        from ragsweep.errors import nearest

        say(f"{given[0]!r} is no command; {nearest(given[0], list(COMMANDS))}")
        return MISTAKE
    sys.stdout.write(_USAGE)
    return OK


# ---- commands that compose ---------------------------------------------------------------------------------------------


def _sweep_parser(command: str, what: str) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog=f"ragsweep {command}",
        description=what,
        epilog=options_help(),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("overrides", nargs="*", help="key=value; several values with commas make an axis of the sweep")
    parser.add_argument("-m", "--multirun", action="store_true", help="accepted as in any Hydra program; every run is a sweep")
    parser.add_argument("--files", nargs="+", default=[], metavar="PATH", help="files, folders or globs, with any characters")
    parser.add_argument("--questions", metavar="PATH", help="a .json or .jsonl file of questions")
    parser.add_argument(
        "--experiments-dir", default="experiments", metavar="DIR", help="where experiment=NAME is looked up first"
    )
    return parser


def _parse(parser: argparse.ArgumentParser, given: Sequence[str]) -> argparse.Namespace:
    parsed = parser.parse_intermixed_args(given)
    # --files takes all that follows it: what looks like an override, and is no file, is one.
    stray = [name for name in parsed.files if re.match(r"[a-z_/.]+=", name) and not Path(name).exists()]
    parsed.files = [name for name in parsed.files if name not in stray]
    parsed.overrides += stray
    return parsed


def _run(given: Sequence[str]) -> int:
    if any(argument.split("=")[0] in HYDRA_FLAGS for argument in given):
        return _hydra(list(given), Path("experiments"))
    parser = _sweep_parser("run", "Run every combination and report.")
    parser.add_argument("--json", action="store_true", help="print report.json and nothing else")
    parsed = _parse(parser, given)
    if _listed(parsed.overrides):
        return OK
    from ragsweep.sweep.run import run

    if parsed.json and sum(override.startswith("experiment=") and "," in override for override in parsed.overrides):
        raise InputError("--json prints one report: write one experiment")
    return _compose(parsed, lambda wanted, launch: run(wanted, launch, as_json=parsed.json).exit_code)


def _plan(given: Sequence[str]) -> int:
    parsed = _parse(_sweep_parser("plan", "Check everything and say what a run would do; computes nothing."), given)
    if _listed(parsed.overrides):
        return OK
    from ragsweep.sweep.run import show_plan

    return _compose(parsed, lambda wanted, launch: show_plan(wanted))


def _ask(given: Sequence[str]) -> int:
    parser = _sweep_parser("ask", "Ask one question of one setup.")
    parser.add_argument("--trace", action="store_true", help="show every step")
    parsed = _parse(parser, given)
    if not parsed.overrides:
        parser.error('write the question: ragsweep ask "Can I work from Spain for a month?"')
    question = parsed.overrides.pop(0)
    from ragsweep.sweep.ask import ask

    return _compose(parsed, lambda wanted, launch: ask(wanted, question, trace=parsed.trace))


def _check(given: Sequence[str]) -> int:
    parsed = _parse(_sweep_parser("check", "Run an experiment again and compare with its accepted report.md."), given)
    from ragsweep.sweep.accept import check

    return _compose(parsed, check)


def _listed(overrides: Sequence[str]) -> bool:
    """Answer ``chunker=?``."""
    asked = [override.removesuffix("=?") for override in overrides if override.endswith("=?")]
    for group in asked:
        sys.stdout.write(options_help(group))
    return bool(asked)


def _compose(parsed: argparse.Namespace, call: "Callable[[Wanted, Launch], int]") -> int:
    """Let Hydra compose each experiment; our sweeper then calls ``call``. Several are all checked before the first runs."""
    from ragsweep.config.overrides import parse
    from ragsweep.config.request import Request

    overrides, problems = parse(parsed.overrides)
    sample = not overrides.experiments and not parsed.files and "dataset.files" not in overrides.fixed
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


def _compose_one(parsed: argparse.Namespace, experiment: str | None, request: "Request") -> int:
    from ragsweep.config.request import REQUEST

    request.files, request.questions = tuple(parsed.files), parsed.questions
    chosen = [] if experiment is None else [f"experiment={experiment}"]
    token = REQUEST.set(request)
    try:
        _hydra(["-m", *chosen, *request.overrides.hydra], Path(parsed.experiments_dir))
    finally:
        REQUEST.reset(token)
    return request.exit_code


def _hydra(arguments: list[str], experiments: Path) -> int:
    """Hydra's own entry with these arguments. Its errors become an InputError."""
    os.environ["HYDRA_FULL_ERROR"] = "1"  # makes Hydra raise, so that one clear error is shown
    import hydra
    from hydra.errors import HydraException

    from ragsweep.config.explain import explain
    from ragsweep.places import EXPERIMENTS_FOLDERS, packaged
    from ragsweep.worker import hydra_job

    folders = (experiments.absolute(), packaged("experiments"))
    token = EXPERIMENTS_FOLDERS.set(folders)
    argv, sys.argv = sys.argv, ["ragsweep", *arguments]
    try:
        hydra.main(version_base="1.3", config_path=str(packaged("conf")), config_name="config")(hydra_job)()
    except HydraException as error:
        raise explain(error, folders) from error
    except RecursionError:
        raise InputError("defaults: an experiment names itself, straight or through another: leave that out") from None
    finally:
        sys.argv = argv
        EXPERIMENTS_FOLDERS.reset(token)
    return OK


# ---- commands on what a run left ---------------------------------------------------------------------------------------


def _collect(given: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(
        prog="ragsweep collect", description="Make the report of runs again, with today's labels; runs nothing."
    )
    parser.add_argument(
        "run_dirs", type=Path, nargs="+", metavar="RUN_DIR", help="several make one report, in a folder of its own"
    )
    parser.add_argument("--json", action="store_true", help="print report.json and nothing else")
    parsed = parser.parse_args(given)
    from ragsweep.sweep.collect import collect

    return collect(parsed.run_dirs, as_json=parsed.json).exit_code


def _accept(given: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(
        prog="ragsweep accept", description="Keep a run's report.md as its experiment's accepted one."
    )
    parser.add_argument("run_dir", type=Path, metavar="RUN_DIR")
    from ragsweep.sweep.accept import accept

    return accept(parser.parse_args(given).run_dir)


def _store(given: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="ragsweep store", description="What the store holds.")
    parser.add_argument("action", choices=["ls", "prune"], help="ls: list the entries; prune: remove what no run can use")
    action = parser.parse_args(given).action
    from ragsweep.sweep.stored import list_store, prune_store

    return list_store() if action == "ls" else prune_store()


COMMANDS: dict[str, Callable[[Sequence[str]], int]] = {
    "run": _run,
    "plan": _plan,
    "ask": _ask,
    "collect": _collect,
    "accept": _accept,
    "check": _check,
    "store": _store,
}

_USAGE = """\
usage: ragsweep COMMAND ...

  run [overrides]          run every combination and report: ragsweep run rag_type=simple,adaptive chunker=word,paragraph
  plan [overrides]         check everything and say what a run would do; computes nothing
  ask "QUESTION"           ask one question of one setup; --trace shows every step
  collect RUN_DIR...       make the report of runs again, with today's labels, without running anything
  accept RUN_DIR           keep a run's report.md as the accepted one of its experiment
  check experiment=NAME    run again and compare with the accepted report.md
  store ls | prune         what the store holds; remove what no run can use (other formats, damage, leftovers)

`ragsweep COMMAND --help` lists the options of a command, `ragsweep run chunker=?` those of a part.
Exit codes: 0 all ran; 1 a setup or question failed; 2 a mistake in config, files or questions;
3 a report differs from the accepted one.
"""
