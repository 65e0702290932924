"""One question of one setup, with the trace of its steps."""

import sys
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from ragsweep.errors import InputError, WorkerError
from ragsweep.evaluation.run import run as answer
from ragsweep.reporting.trace import trace_lines
from ragsweep.sweep.frozen import PLAN, freeze, thaw
from ragsweep.sweep.opening import open_index, open_queries
from ragsweep.sweep.plan import make_plan
from ragsweep.sweep.prepare import prepare
from ragsweep.sweep.progress import say
from ragsweep.sweep.run import make_store
from ragsweep.sweep.wanted import Wanted
from ragsweep.types import Record


def ask(wanted: Wanted, question: str, *, trace: bool) -> int:
    """Answer ``question`` with the one setup of ``wanted``; prints the answer, or every step. Returns the exit code."""
    asking = replace(wanted, questions=[{"id": "asked", "question": question, "answerable": False}], limit=None, gate={})
    store = make_store(wanted)
    plan = make_plan(asking, store)
    say(f"asking {plan.lead}")
    if len(plan.setups) > 1:
        names = ", ".join(planned.name for planned in plan.setups)
        raise InputError(f"ask takes one setup, and these are {len(plan.setups)} ({names}): write one value for each key")
    for reason in prepare(plan, store).unprepared.values():
        raise WorkerError(reason)
    with TemporaryDirectory() as folder:  # nobody collects a single answer
        freeze(plan, Path(folder))
        frozen = thaw(Path(folder) / PLAN)
    (job,) = frozen.jobs
    records: list[Record] = []
    prepared = {each: open_queries(frozen, job, each) for each in job.setup.query_embedders}
    answer(job.setup, open_index(frozen, job), [(question, 0)], prepared, records.append)
    lines = trace_lines(records[0]) if trace else [_said(records[0])]
    sys.stdout.write("\n".join(lines) + "\n")
    return 1 if records[0].status == "failed" else 0


def _said(record: Record) -> str:
    if record.error:
        return f"failed: {record.error}"
    if record.answer is not None:
        cited = [f"{hit.document} chunk {hit.number}" for hit in record.final if hit.chunk in record.answer.cited]
        return "\n".join([record.answer.text, *([f"from {', '.join(cited)}"] if cited else [])])
    return "\n".join(f"{hit.document} chunk {hit.number} ({hit.score:.3f})" for hit in record.final)
