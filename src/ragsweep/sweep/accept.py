"""An experiment's accepted report: kept beside it, and compared with a new run."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ragsweep import files
from ragsweep.errors import CheckError, InputError
from ragsweep.reporting.compare import differences
from ragsweep.sweep.frozen import PLAN, RECORDED, is_finished, noted, thaw
from ragsweep.sweep.progress import say
from ragsweep.sweep.run import run, typed
from ragsweep.sweep.wanted import Launch, Wanted

REPORT = "report.md"
EXPERIMENT = "experiment.yaml"
LONE = f"copy it to experiments/NAME/{EXPERIMENT}"


def accept(folder: Path) -> int:
    """Copy a run's report.md to its experiment's folder."""
    content = thaw(folder / PLAN).content
    report = folder / REPORT
    if RECORDED in noted(folder):
        raise InputError(
            f"{folder} holds recorded systems, which check could not run again: accept a run of an experiment; "
            "a recorded system is held to numbers by a gate, as in ragsweep score ... gate.recall=0.9"
        )
    if content["experiment"] is None:
        raise InputError(f"{folder} is no run of an experiment: run one with experiment=NAME")
    whole = content["whole"] or _all_questions(folder)
    if whole:
        raise InputError(f"{folder} asked some of {whole} questions only (PARTIAL): accept a run without limit, of all of them")
    if _is_lone(content):
        raise InputError(f"{folder} ran a file that is no experiment by name: {LONE}, and accept a run of that")
    if not content["as_written"]:
        raise InputError(
            f"{folder} ran with other values than an experiment.yaml has: check could not run it again; "
            f"accept a run of ragsweep run experiment={content['experiment']} alone"
        )
    if not is_finished(folder):
        raise InputError(f"{folder} is not finished: some questions have no record: write ragsweep resume {folder}")
    if not report.is_file():
        raise InputError(f"{folder} has no {REPORT}: make it with ragsweep collect {folder}")
    target = Path(content["experiment_dir"]) / REPORT
    files.publish(target, report.read_bytes())
    say(f"accepted: {target}")
    say(f"next: keep it in version control; ragsweep check experiment={content['experiment']} runs again and compares with it")
    return 0


def next_step(folder: Path) -> str:
    """What to do with a run that ended well."""
    content = thaw(folder / PLAN).content
    name = content["experiment"]
    if name is None:
        return (
            "next: ragsweep init NAME --files PATH... --questions PATH makes an experiment of your files, to run again by name"
        )
    if content["whole"]:
        return f"next: the same without limit, over all {content['whole']:,} questions, before anything is decided"
    if _is_lone(content):
        return f"next: {LONE}; a run of that can be accepted"
    if not content["as_written"]:
        return (
            "next: write the values that you keep into an experiments/NAME/experiment.yaml; a run of it alone can be accepted"
        )
    if (Path(content["experiment_dir"]) / REPORT).is_file():
        compared = f"ragsweep check experiment={name} compares with the accepted report"
        return f"next: {compared}; ragsweep accept {typed(folder)} replaces it"
    return f"next: ragsweep accept {typed(folder)} keeps this report, for ragsweep check experiment={name} to compare with"


def _is_lone(content: Mapping[str, Any]) -> bool:
    """Whether a run is of a file such as best.yaml, which no ``experiment=NAME`` finds."""
    return not (Path(content["experiment_dir"]) / EXPERIMENT).is_file()


def _all_questions(folder: Path) -> int | None:
    """The number of all questions, where its report says that some of them were never asked: ``collect`` may have made it."""
    report = folder / "report.json"
    said = json.loads(report.read_bytes()) if report.is_file() else {"all_questions": 0, "questions": 0}
    return int(said["all_questions"]) if said["all_questions"] != said["questions"] else None


def check(wanted: Wanted, launch: Launch) -> int:
    """Run an experiment and compare with its accepted report, run columns and run lines aside. Raises CheckError."""
    if wanted.experiment is None:
        raise InputError("check compares with the accepted report of an experiment: write ragsweep check experiment=NAME")
    if not (wanted.base / REPORT).is_file():
        raise InputError(
            f"experiment={wanted.experiment}: there is no accepted {REPORT} in {wanted.base}: "
            "run it, then write ragsweep accept RUN_DIR"
        )
    collected = run(wanted, launch)
    if not collected.report.is_finished:
        return collected.exit_code
    if collected.report.whole:
        raise InputError(f"limit={wanted.settings.limit}: an accepted report is of all questions: check without limit")
    found = differences(wanted.base, collected.folder)
    if found:
        raise CheckError("\n".join(["the report differs from the accepted one:", *(f"  {line}" for line in found)]))
    say(f"check: equal to the accepted {wanted.base / REPORT}")
    return collected.exit_code
