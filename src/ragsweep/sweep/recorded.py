"""Recorded runs of other systems: scored by themselves, in a run folder without setups, or beside the setups of runs."""

import platform
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path

from ragsweep import __version__, files
from ragsweep.errors import InputError, InputErrors
from ragsweep.recorded import FORMATS, Cut, System, read, systems
from ragsweep.reporting.gate import without_judge, without_questions
from ragsweep.setups import Setup
from ragsweep.sweep import interrupts, stopping
from ragsweep.sweep.clock import Clock
from ragsweep.sweep.collect import Collected, collect
from ragsweep.sweep.frozen import (
    MANIFEST,
    PLAN,
    RECORDED,
    FrozenPlan,
    PricesNow,
    digest_of,
    freeze,
    is_finished,
    noted,
    refreeze,
    thaw,
)
from ragsweep.sweep.judging import left_to_judge
from ragsweep.sweep.limit import limit_notices
from ragsweep.sweep.plan import Plan, make_plan
from ragsweep.sweep.prepare import keep_documents
from ragsweep.sweep.progress import say
from ragsweep.sweep.run import at_work, judge_answers, make_store, resume_command
from ragsweep.sweep.run_folder import link_latest, make_run_folder
from ragsweep.sweep.runs import read_runs
from ragsweep.sweep.servers import ready, still_ready
from ragsweep.sweep.sources import keep_recorded
from ragsweep.sweep.wanted import Wanted


def is_recorded(given: str) -> bool:
    """Whether an argument of a command is a file of records, and no override."""
    return Path(given).suffix.lower() in FORMATS and ("=" not in given or Path(given).is_file())


def score(wanted: Wanted, paths: Sequence[Path], *, as_json: bool = False) -> Collected:
    """Score what systems returned for the questions, and print the report. Nothing is searched, and no server is asked but that
    of a judge.

    Raises InputErrors with every mistake in config, files, questions and records.
    """
    store = make_store(wanted)
    written = read(paths)
    try:
        cut = cut_of([row.setup for row in wanted.rows])
        # One setup, of which only the cut is used: a plan checks files and questions with it.
        judged = ready(replace(wanted.set(gate={}), rows=()))
        plan = make_plan(replace(judged, rows=wanted.rows[:1], axes={}), store, ask_servers=False)
    except (InputError, InputErrors) as error:
        raise InputErrors([*(error.messages if isinstance(error, InputErrors) else [error]), *written.mistakes]) from None
    corpus = plan.any_corpus
    gate = {key: limit for key, limit in wanted.settings.gate.items() if key != "setup"}  # which is not here
    is_asked = plan.settings.judge is not None
    unheard = [*without_questions(gate, corpus.questions), *without_judge(gate, corpus.questions, is_asked=is_asked)]
    written = replace(written, mistakes=[*unheard, *written.mistakes])
    found = systems(written, corpus.questions, corpus.documents, cut, partial=plan.whole is not None)
    keep_documents(plan, store)
    folder = make_run_folder("scored")
    freeze(_without_setups(plan, gate), folder)
    _keep(paths, cut, folder)
    link_latest(folder)
    return _reported(thaw(folder / PLAN), found, as_json=as_json, todays_labels=False)


def resume_scored(folder: Path, wanted: Wanted, prices_now: PricesNow, *, judge: bool, as_json: bool) -> int:
    """Have the answers of a scored folder judged that were not, by today's labels and, with ``judge``, by that of ``wanted``.
    Returns the exit code.
    """
    frozen, runs = thaw(folder / PLAN), read_runs([folder], todays_labels=True)
    source, now = frozen.content["questions_file"], wanted.settings
    settings = replace(frozen.settings, judge=now.judge, judge_option=now.judge_option) if judge else frozen.settings
    questions = {name: texts.questions for name, texts in runs.texts.items()}
    digest = digest_of(Path(source)) if source is not None else None
    again = replace(frozen, settings=settings).priced(prices_now).again(questions, questions_digest=digest)
    if is_finished(folder) and not left_to_judge(again, runs.systems):
        say(f"{folder}: this run is finished: there is nothing to resume")
        return int(noted(folder).get("exit_code", 0))
    still_ready([], again.settings.judge)
    refreeze(again)
    return _reported(again, runs.systems, as_json=as_json, todays_labels=True).exit_code


def _reported(frozen: FrozenPlan, found: Sequence[System], *, as_json: bool, todays_labels: bool) -> Collected:
    """Ask the judge, if there is one, and make the report."""
    folder = frozen.folder
    stopping.begin(folder)
    with at_work(folder), interrupts.by_and_by(folder) as came:
        judge_answers(frozen, Clock(), found)
    collected = collect([folder], as_json=as_json, todays_labels=todays_labels, systems=found)
    ended = stopping.stopped(folder) is None or not left_to_judge(frozen, found)
    manifest = {**noted(folder), "finished": ended, "exit_code": collected.exit_code}
    files.publish(folder / MANIFEST, files.strict_json(manifest, indent=2))
    if not ended:
        say(f"{stopping.stopped(folder)}: go on with: {resume_command(folder)}")
    return replace(collected, interrupted=bool(came) and not ended)


def cut_of(setups: Sequence[Setup]) -> Cut:
    """The cut of lists that all setups have. Raises InputError when they have several."""
    cuts = {Cut(setup.top_k, setup.top_n, setup.context_words) for setup in setups}
    if len(cuts) > 1:
        raise InputError("top_k, top_n or context_words is an axis: a recorded system has one list: write one, as in top_n=5")
    return next(iter(cuts), Cut(30, 5))


def _without_setups(plan: Plan, gate: Mapping[str, float]) -> Plan:
    notices = [*limit_notices(plan.settings.limit, plan.whole or len(plan.asked)), *plan.document_notices]
    settings = replace(plan.settings, gate=gate, repeats=1)
    return replace(plan, setups=[], settings=settings, notices=notices, side_by_side=1, as_written=False)


def _keep(paths: Sequence[Path], cut: Cut, folder: Path) -> None:
    """Copy what was scored into the run folder, so that it can be collected again."""
    names = keep_recorded(paths, folder)
    content = {"format": 1, "ragsweep": __version__, "host": platform.node(), "run_lines": [], "finished": False}
    files.publish(folder / MANIFEST, files.strict_json({**content, RECORDED: {"files": names, **asdict(cut)}}, indent=2))
