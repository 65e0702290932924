"""Run a function over many tasks in several processes; the only user of joblib.

A worker computes with one thread, so setups that run side by side do not disturb each other's times, and it dies with this
process, however this process ends.
"""

import os
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeAlias, TypeVar

from ragsweep.errors import WorkerError

Task: TypeAlias = tuple[Any, ...]
T = TypeVar("T", bound=Task)
Result = TypeVar("Result")

PR_SET_PDEATHSIG = 1  # linux/prctl.h


class TasksLostError(WorkerError):
    """A worker process died. ``unfinished`` are the tasks whose results did not come back, in the order given.

    joblib kills the other workers too, so they hold the culprit, its innocent neighbours and all that never started; what a
    task had written to disk is there.
    """

    def __init__(self, message: str, unfinished: Sequence[Task]) -> None:
        self.unfinished = tuple(unfinished)
        super().__init__(message)


def workers(n_jobs: int | None) -> int:
    """The number of processes to use: what is asked for, or the cores that this process may use."""
    return n_jobs or len(os.sched_getaffinity(0))


def run_tasks(function: Callable[..., Result], tasks: Sequence[T], n_jobs: int) -> Iterator[tuple[T, Result]]:
    """``(task, function(*task))`` for every task, as they finish; a task is a tuple of arguments.

    With ``n_jobs=1``, or one task, it runs in this process and in order. What a task raises is raised here and ends the run;
    a dead worker raises TasksLostError. Call it from the main thread: Linux ends a worker with the thread that started it.
    """
    if n_jobs == 1 or len(tasks) < 2:
        yield from ((task, function(*task)) for task in tasks)
        return
    from joblib import Parallel, delayed, parallel_config
    from joblib.externals.loky.process_executor import BrokenProcessPool

    parent = os.getpid()
    with parallel_config("loky", inner_max_num_threads=1, initializer=_die_with, initargs=(parent,)):
        pool = Parallel(n_jobs, return_as="generator_unordered", batch_size=1, pre_dispatch=n_jobs)
    unfinished = dict(enumerate(tasks))
    try:
        for place, result in pool(delayed(_run)(parent, function, place, task) for place, task in enumerate(tasks)):
            yield unfinished.pop(place), result
    except BrokenProcessPool as error:
        raise TasksLostError(f"a worker died: {_first_line(error)}", list(unfinished.values())) from error


def _run(parent: int, function: Callable[..., Result], place: int, task: Task) -> tuple[int, Result]:
    _end_if_orphan(parent)
    return place, function(*task)


def _die_with(parent: int) -> None:
    """Have the kernel end this worker when its parent ends: left alone it would go on with queued tasks."""
    if sys.platform == "linux":
        import ctypes

        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    _end_if_orphan(parent)  # the parent may have ended before


def _end_if_orphan(parent: int) -> None:
    if os.getppid() != parent:
        os._exit(1)


def _first_line(error: BaseException) -> str:
    return str(error).strip().partition("\n")[0]
