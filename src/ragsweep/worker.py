"""A job: one setup of a frozen plan, from plan.json to its records on disk. `python -m ragsweep.worker PLAN ID` runs one, for
as long as the process PARENT lives where a third argument names it."""

import logging
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import lru_cache
from itertools import takewhile
from math import inf
from pathlib import Path
from time import monotonic
from typing import Any

from ragsweep import files
from ragsweep.endings import passing, serve
from ragsweep.errors import ServerError, WorkerError, reason
from ragsweep.evaluation.run import run
from ragsweep.redaction import RedactingFormatter, redact
from ragsweep.sweep import stopping
from ragsweep.sweep.frozen import FrozenPlan, Recorder, thaw
from ragsweep.sweep.opening import open_index, open_queries
from ragsweep.types import Record


def worker(plan: str, setup_id: str) -> None:
    """Answer every question of one setup that is left, and append each record as it is finished, until the run is to stop.

    The truth is on disk; nothing is returned. What breaks the whole setup is written to its run.log and raised.
    """
    frozen = thawed(plan)
    job, most, most_s = frozen.job(setup_id), frozen.settings.max_failures, frozen.settings.max_setup_s
    folder = frozen.folder / job.folder
    files.make_folder(folder)
    left, is_stopped = frozen.left(job), stopping.stop_sign(frozen.folder)
    if not left or is_stopped():
        return
    recorder = Recorder(frozen, job)

    def keep(record: Record) -> None:
        recorder.keep(record)
        passing("after-record", job.name)
        if record.status == "failed":
            stopping.count_failure(frozen.folder, most)

    refused: list[ServerError] = []

    def learn(error: Exception) -> None:
        if isinstance(error, ServerError) and error.ends_setup:
            refused.append(error)

    with _log_to(folder / "run.log") as log:
        log.info("%s: %d questions to answer", job.name, len(left))
        try:
            if why := frozen.unprepared(job):
                raise ServerError(why)
            index = open_index(frozen, job)
            vectors = {each: open_queries(frozen, job, each) for each in job.setup.query_embedders}
            end = monotonic() + most_s if most_s is not None else inf
            run(
                job.setup,
                index,
                takewhile(lambda _: not (refused or is_stopped()) and monotonic() < end, left),
                vectors,
                keep,
                frozen.settings.in_flight,
                frozen.answers,
                learn,
            )
            if refused and frozen.left(job) and not is_stopped():
                raise refused[0]
            if monotonic() >= end and frozen.left(job) and not is_stopped():
                raise WorkerError(f"max_setup_s={most_s:g}: its time is over")
        except Exception as error:
            log.exception("the setup %s stopped", job.name)
            give_up(plan, setup_id, reason(error))
            raise


def give_up(plan: str, setup_id: str, error: str) -> None:
    """What breaks a whole setup is a failure of each question that is left."""
    frozen = thawed(plan)
    job = frozen.job(setup_id)
    recorder = Recorder(frozen, job)
    for question, repeat in frozen.left(job):
        recorder.keep(Record(question, repeat, "failed", error=error, unasked=True))
        stopping.count_failure(frozen.folder, frozen.settings.max_failures)


def attempt(plan: str, setup_id: str) -> str | None:
    """``worker`` for whom the next setup waits: what stopped it, as text."""
    try:
        worker(plan, setup_id)
    except Exception as error:
        return redact(reason(error))
    return None


def thawed(path: str) -> FrozenPlan:
    """A plan is written once an attempt, and a process may run many of its setups."""
    status = Path(path).stat()
    return _read(path, status.st_ino, status.st_mtime_ns)


@lru_cache(maxsize=1)
def _read(path: str, *version: int) -> FrozenPlan:
    return thaw(Path(path))


class _LogFile(logging.FileHandler):
    """On a disk that is full the log ends, and no traceback of it is shown beside the error of the records."""

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802 - of the library
        pass

    def close(self) -> None:
        with suppress(OSError):
            super().close()


@contextmanager
def _log_to(path: Path) -> Iterator[logging.Logger]:
    log = logging.getLogger("ragsweep")
    handler = _LogFile(path, encoding="utf-8")
    handler.setFormatter(RedactingFormatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    log.addHandler(handler)
    level, propagates = log.level, log.propagate
    log.setLevel(logging.INFO)
    log.propagate = False  # handlers of the root are of whoever runs us: a notebook shows what reaches them
    try:
        yield log
    finally:
        log.setLevel(level)
        log.propagate = propagates
        log.removeHandler(handler)
        handler.close()


def hydra_job(config: Any) -> None:
    """The task function for Hydra's own launchers: runs the job that the sweeper named, and ends with it as its child."""
    if os.getppid() == int(config.worker.parent):
        serve(os.getppid())
    worker(config.worker.plan, config.worker.setup)


if __name__ == "__main__":
    if sys.argv[3:]:
        serve(int(sys.argv[3]))
    worker(sys.argv[1], sys.argv[2])
