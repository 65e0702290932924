"""The command line: streams, exit codes, and the table of commands, each in the module of its name."""

import atexit
import gc
import os
import re
import sys
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from itertools import chain

# Vectors and scores must not depend on how many threads a BLAS starts; it reads this when numpy is first imported.
for _name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(_name, "1")
os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")  # setups run side by side, each on one thread

# Python ends with collections of all there is, 0.1 s of a command; a process that ends needs none.
atexit.register(gc.freeze)

from ragsweep import __version__  # noqa: E402
from ragsweep.errors import CheckError, InputError, InputErrors, RagsweepError, nearest  # noqa: E402
from ragsweep.places import schema_file  # noqa: E402
from ragsweep.redaction import redact  # noqa: E402
from ragsweep.sweep.interrupts import at_once  # noqa: E402
from ragsweep.sweep.progress import DEBUG, say  # noqa: E402

OK, FAILED, MISTAKE, NOT_REACHED, INTERRUPTED = 0, 1, 2, 3, 130

COMMANDS = {
    "init": ("NAME --files PATH...", "write an experiment over your own files, with examples of questions"),
    "questions": ("check", "check questions against the documents: what is wrong, what is missing, what one is worth"),
    "run": ("[overrides]", "run every combination and report: ragsweep run rag_type=simple,adaptive chunker=word,paragraph"),
    "plan": ("[overrides]", "check everything and say what a run would do; computes nothing"),
    "doctor": ("[overrides]", "check servers, models, keys and windows before a long run, by a call of one token each"),
    "ask": ('"QUESTION"', "ask one setup one question; --trace shows every step, --question-id a verdict, --setup asks a run"),
    "diff": ("RUN_DIR:SETUP_A SETUP_B", "which questions one setup won and lost against another, both contexts side by side"),
    "show": ("DOC [overrides]", "how a document is cut, and where the evidence falls; --diff chunker=a,b side by side"),
    "resume": ("[RUN_DIR]", "go on with a run that was cut off, by default the newest; n_jobs and hydra/launcher can change"),
    "collect": ("RUN_DIR...", "make the report of runs again, with today's labels, or with recorded runs: RUN_DIR RUNS.jsonl"),
    "score": ("RUNS.jsonl... [overrides]", "grade what another system returned for the questions, recorded in a file"),
    "export-questions": ("[PATH]", "write the questions for another system, a JSON line each; --with-labels adds the evidence"),
    "record": ("URL RUNS.jsonl [overrides]", "ask a system over HTTP every question, and record what it returns for score"),
    "accept": ("RUN_DIR", "keep a run's report.md as the accepted one of its experiment"),
    "check": ("experiment=NAME", "run again and compare with the accepted report.md"),
    "profile": ("RUN_DIR", "where the time of a run went: by stage, and by the steps of each setup"),
    "store": (
        "ls | check | prune",
        "list the store; verify all of it; remove what no run can use (other formats, damage, leftovers)",
    ),
}
"""Each command with its arguments and its line of meaning; its function is ``command`` in the module of its name."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; returns the exit code. Errors that ragsweep raises on purpose are shown without a traceback."""
    _use_utf8()
    _open_streams()
    given = list(sys.argv[1:] if arguments is None else arguments)
    came: list[int] = []
    try:
        with at_once(came), _tracebacks(given):
            code = _command(given[0])(given[1:]) if given and given[0] in COMMANDS else _top(given)
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
        for line in chain.from_iterable(map(_lines, error.messages)):
            say(f"  {line}")
        return MISTAKE
    except InputError as error:
        for line in _lines(f"mistake: {error}"):
            say(line)
        return MISTAKE
    except CheckError as error:
        for line in str(error).splitlines():
            say(line)
        return NOT_REACHED
    except RagsweepError as error:
        say(f"error: {error}")
        return FAILED
    except BaseException as error:
        if not came and not isinstance(error, KeyboardInterrupt):
            raise
        say("interrupted")
        return INTERRUPTED


def _lines(message: str) -> list[str]:
    """A message goes on in lines that are indented; any other line end, of a file's name say, is shown and not obeyed."""
    return re.split(r"\n(?= {4})", message)


@contextmanager
def _tracebacks(given: list[str]) -> Iterator[None]:
    """Take ``--debug`` out of what was given; with it, what ends a command is shown with its frames first."""
    token = DEBUG.set("--debug" in given)
    given[:] = [argument for argument in given if argument != "--debug"]
    try:
        yield
    except Exception:
        if DEBUG.get():
            sys.stderr.write(redact(traceback.format_exc()))
        raise
    finally:
        DEBUG.reset(token)


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


def _command(name: str) -> Callable[[Sequence[str]], int]:
    command: Callable[[Sequence[str]], int] = import_module(f"ragsweep.cli.{name.replace('-', '_')}").command
    return command


def _top(given: list[str]) -> int:
    if given and given[0] == "--version":
        sys.stdout.write(f"ragsweep {__version__}\n")
        return OK
    if given and given[0] == "--schema":
        sys.stdout.write(f"{schema_file()}\n")
        return OK
    if given and given[0] == "-sc":
        from ragsweep.cli.completion import complete

        return complete(given, list(COMMANDS))
    if given and given[0] not in ("-h", "--help"):
        say(f"{given[0]!r} is no command; {nearest(given[0], list(COMMANDS))}")
        return MISTAKE
    sys.stdout.write(_usage())
    return OK


def _usage() -> str:
    width = max(len(f"{name} {arguments}") for name, (arguments, _) in COMMANDS.items())
    lines = (f"  {f'{name} {arguments}':<{width}}  {meaning}" for name, (arguments, meaning) in COMMANDS.items())
    return "\n".join(("usage: ragsweep COMMAND ...", "", *lines, "", _MORE))


_MORE = """\
`ragsweep COMMAND --help` lists the options of a command, `ragsweep run chunker=?` those of a part;
`ragsweep --schema` says where the JSON schema of experiment.yaml lies, for an editor, and
`eval "$(ragsweep -sc install=bash)"` lets bash complete a command.
Exit codes: 0 all ran; 1 a setup or question failed; 2 a mistake in config, files or questions;
3 a gate is not reached, or a report differs from the accepted one; 130 interrupted. --debug shows tracebacks.
"""
