"""Recorded runs of other systems: scored by themselves, in a run folder without setups, or beside the setups of runs."""

import platform
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path

from ragsweep import __version__, files
from ragsweep.errors import InputError, InputErrors
from ragsweep.recorded import FORMATS, Cut, read, systems
from ragsweep.reporting.gate import without_judge, without_questions
from ragsweep.setups import Setup
from ragsweep.sweep.collect import Collected, collect
from ragsweep.sweep.frozen import MANIFEST, RECORDED, freeze
from ragsweep.sweep.limit import limit_notices
from ragsweep.sweep.plan import Plan, make_plan
from ragsweep.sweep.prepare import keep_documents
from ragsweep.sweep.run import make_store
from ragsweep.sweep.run_folder import make_run_folder
from ragsweep.sweep.sources import keep_recorded
from ragsweep.sweep.wanted import Wanted


def is_recorded(given: str) -> bool:
    """Whether an argument of a command is a file of records, and no override."""
    return Path(given).suffix.lower() in FORMATS and ("=" not in given or Path(given).is_file())


def score(wanted: Wanted, paths: Sequence[Path], *, as_json: bool = False) -> Collected:
    """Score what systems returned for the questions, and print the report. Nothing is searched, and no server is asked.

    Raises InputErrors with every mistake in config, files, questions and records.
    """
    store = make_store(wanted)
    written = read(paths)
    try:
        cut = cut_of([row.setup for row in wanted.rows])
        # One setup, of which only the cut is used: a plan checks files and questions with it.
        plan = make_plan(replace(wanted.set(gate={}), rows=wanted.rows[:1], axes={}), store, ask_servers=False)
    except (InputError, InputErrors) as error:
        raise InputErrors([*(error.messages if isinstance(error, InputErrors) else [error]), *written.mistakes]) from None
    corpus = plan.any_corpus
    gate = {key: limit for key, limit in wanted.settings.gate.items() if key != "setup"}  # which is not here
    unheard = [*without_questions(gate, corpus.questions), *without_judge(gate, corpus.questions, is_asked=False)]
    written = replace(written, mistakes=[*unheard, *written.mistakes])
    found = systems(written, corpus.questions, corpus.documents, cut, partial=plan.whole is not None)
    keep_documents(plan, store)
    folder = make_run_folder(plan.experiment)
    freeze(_without_setups(plan, gate), folder)
    _keep(paths, cut, folder)
    return collect([folder], as_json=as_json, todays_labels=False, systems=found)


def cut_of(setups: Sequence[Setup]) -> Cut:
    """The cut of lists that all setups have. Raises InputError when they have several."""
    cuts = {Cut(setup.top_k, setup.top_n, setup.context_words) for setup in setups}
    if len(cuts) > 1:
        raise InputError("top_k, top_n or context_words is an axis: a recorded system has one list: write one, as in top_n=5")
    return next(iter(cuts), Cut(30, 5))


def _without_setups(plan: Plan, gate: Mapping[str, float]) -> Plan:
    unjudged = ["judge: answers of systems that ragsweep did not run are not judged"] if plan.settings.judge else []
    notices = [*limit_notices(plan.settings.limit, plan.whole or len(plan.asked)), *plan.document_notices, *unjudged]
    settings = replace(plan.settings, gate=gate, judge=None, repeats=1)
    return replace(plan, setups=[], settings=settings, notices=notices, side_by_side=1, as_written=False)


def _keep(paths: Sequence[Path], cut: Cut, folder: Path) -> None:
    """Copy what was scored into the run folder, so that it can be collected again."""
    names = keep_recorded(paths, folder)
    content = {"format": 1, "ragsweep": __version__, "host": platform.node(), "run_lines": [], "finished": True}
    files.publish(folder / MANIFEST, files.strict_json({**content, RECORDED: {"files": names, **asdict(cut)}}, indent=2))
