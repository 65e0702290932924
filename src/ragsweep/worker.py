"""A job: one setup of a frozen plan, from plan.json to its records on disk. `python -m ragsweep.worker PLAN ID` runs one."""

import logging
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ragsweep.sweep.frozen import FrozenPlan

from ragsweep.redaction import RedactingFormatter, redact


def worker(plan: str, setup_id: str) -> None:
    """Answer every question of one setup that has no record yet, and append each record as it is finished.

    The truth is on disk; nothing is returned. What breaks the whole setup is written to its run.log and raised.
    """
    from ragsweep import files
    from ragsweep.evaluation.run import run
    from ragsweep.sweep.frozen import RECORDS, record_line
    from ragsweep.sweep.opening import open_index, open_queries
    from ragsweep.types import Record

    frozen = _plan(plan)
    job = frozen.job(setup_id)
    folder = frozen.folder / job.folder
    files.make_folder(folder)
    done = frozen.records(job)
    asked = [(question.text, 0) for question in frozen.corpora[job.reading].questions if (question.text, 0) not in done]
    if not asked:
        return

    def keep(record: Record) -> None:
        files.append_line(folder / RECORDS, record_line(job.id, record))

    with _log_to(folder / "run.log") as log:
        log.info("%s: %d questions to answer", job.name, len(asked))
        try:
            index = open_index(frozen, job)
            vectors = {each: open_queries(frozen, job, each) for each in job.setup.query_embedders}
            run(job.setup, index, dict.fromkeys(asked), vectors, keep)
        except Exception as error:  # what breaks the whole setup is a failure of each question that was left
            log.exception("the setup %s stopped", job.name)
            done = frozen.records(job)
            for question, repeat in dict.fromkeys(asked):
                if (question, repeat) not in done:
                    keep(Record(question, repeat, "failed", error=f"{type(error).__name__}: {error}"))
            raise


def attempt(plan: str, setup_id: str) -> str | None:
    """``worker`` as a task of a pool: what stopped it, as text. It stands here so that a process of the pool loads no Hydra."""
    try:
        worker(plan, setup_id)
    except Exception as error:
        return redact(f"{type(error).__name__}: {error}")
    return None


@lru_cache(maxsize=1)
def _plan(path: str) -> "FrozenPlan":
    """A plan is written once, and a process may run many of its setups."""
    from ragsweep.sweep.frozen import thaw

    return thaw(Path(path))


@contextmanager
def _log_to(path: Path) -> Iterator[logging.Logger]:
    log = logging.getLogger("ragsweep")
    handler = logging.FileHandler(path, encoding="utf-8")
    handler.setFormatter(RedactingFormatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    log.addHandler(handler)
    level = log.level
    log.setLevel(logging.INFO)
    try:
        yield log
    finally:
        log.setLevel(level)
        log.removeHandler(handler)
        handler.close()


def hydra_job(config: Any) -> None:
    """The task function for Hydra's own launchers: runs the job that the sweeper named."""
    worker(config.worker.plan, config.worker.setup)


if __name__ == "__main__":
    worker(sys.argv[1], sys.argv[2])
