"""Run a function over many tasks in several processes; the only user of joblib.

A worker computes with one thread, so setups that run side by side do not disturb each other's times, and it dies with this
process, however this process ends.
"""

import os
import warnings
from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeAlias, TypeVar, cast

from ragsweep.endings import end_if_orphan, held_back, serve
from ragsweep.errors import WorkerError, contained
from ragsweep.sweep.progress import say

Task: TypeAlias = tuple[Any, ...]
T = TypeVar("T", bound=Task)
Result = TypeVar("Result")


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


def run_tasks(
    function: Callable[..., Result], tasks: Sequence[T], n_jobs: int, *, apart: bool = False
) -> Iterator[tuple[T, Result]]:
    """``(task, function(*task))`` for every task, as they finish; a task is a tuple of arguments.

    With ``n_jobs=1``, or one task that need not run ``apart``, it runs in this process and in order. What a task raises is
    raised here and ends the run; a dead worker raises TasksLostError. Call it from the main thread: Linux ends a worker with
    the thread that started it.
    """
    if n_jobs == 1 or (len(tasks) < 2 and not apart):
        for task in tasks:
            with contained():
                result = function(*task)
            yield task, result
        return
    from multiprocessing import resource_tracker

    from joblib import Parallel, delayed, parallel_config
    from joblib.externals.loky.process_executor import BrokenProcessPool

    resource_tracker.ensure_running()  # it holds signals back as it starts, and then lets all of them through
    with parallel_config("loky", inner_max_num_threads=1, initializer=serve, initargs=(os.getpid(),)):
        pool = Parallel(n_jobs, return_as="generator_unordered", batch_size=1, pre_dispatch=n_jobs)
    unfinished = dict(enumerate(tasks))
    try:
        with held_back():
            results = pool(delayed(_run)(function, place, task) for place, task in enumerate(tasks))
        try:
            for place, result in results:
                yield unfinished.pop(place), result
        finally:
            with warnings.catch_warnings(action="ignore", category=UserWarning):  # of tasks that nobody waits for any more
                results.close()
    except BrokenProcessPool as error:
        raise TasksLostError(f"a worker died: {_first_line(error)}", list(unfinished.values())) from error


def run_again(function: Callable[..., Result], tasks: Sequence[T], n_jobs: int) -> Iterator[tuple[T, Result]]:
    """``run_tasks`` for tasks that may run twice: what a worker that died left is run once more, by fresh workers."""
    try:
        yield from run_tasks(function, tasks, n_jobs)
    except TasksLostError as error:
        say(f"warning: {error}; what it left runs again")
        yield from run_tasks(function, cast(Sequence[T], error.unfinished), n_jobs, apart=True)


def _run(function: Callable[..., Result], place: int, task: Task) -> tuple[int, Result]:
    end_if_orphan()
    with contained():
        return place, function(*task)


def _first_line(error: BaseException) -> str:
    return str(error).strip().partition("\n")[0]
