"""Setups of a frozen plan side by side, in processes forked from one that has loaded what all of them need.

`python -m ragsweep.forks PLAN N_JOBS PARENT` is that one: it reads the ids of setups from stdin, a line each, and gives each of
its workers one at a time. A worker that dies takes no other with it, and what it was at is known.
"""

import gc
import logging
import os
import subprocess
import sys
from collections import deque
from collections.abc import Sequence
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait
from pathlib import Path

from ragsweep.endings import held_back, serve
from ragsweep.errors import WorkerError
from ragsweep.sweep.stopping import stopped
from ragsweep.worker import attempt, give_up, thawed

THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
STARTS = 2
"""How often the process that forks is started: when it is killed, and its workers with it, what is left runs once more."""
_FORK = get_context("fork")
_log = logging.getLogger(__name__)


def answer(plan: str, setup_ids: Sequence[str], n_jobs: int) -> None:
    """Run setups of a plan file, up to ``n_jobs`` side by side. What fails is logged and the rest runs: the truth is on disk.

    With ``n_jobs=1`` it is in this process and in order, and so is one setup that is not known to end a process. Raises
    WorkerError when the process that forks was killed each time. Call it from the main thread: Linux ends a process with the
    thread that started it.
    """
    if n_jobs == 1 or (len(setup_ids) < 2 and not any(_may_die(plan, each) for each in setup_ids)):
        for setup_id in setup_ids:
            if failure := attempt(plan, setup_id):
                _log.error("setup %s: %s", setup_id, failure)
        return
    command = [sys.executable, "-P", "-m", __name__, plan, str(n_jobs), str(os.getpid())]
    modules = os.pathsep.join(path or str(Path.cwd()) for path in sys.path)
    environment = {**os.environ, **dict.fromkeys(THREADS, "1"), "PYTHONPATH": modules}
    for _ in range(STARTS):
        with held_back():
            process = subprocess.Popen(command, stdin=subprocess.PIPE, env=environment)
        with process:
            try:
                process.communicate("\n".join(setup_ids).encode())
            except BaseException:
                process.kill()
                raise
        if process.returncode == 0:
            return
    raise WorkerError(f"the process of the workers ended with {process.returncode}")


def _may_die(plan: str, setup_id: str) -> bool:
    """Whether a setup has parts of another package, or an attempt ended before it had asked all: it may be by its death."""
    frozen = thawed(plan)
    job = frozen.job(setup_id)
    recorded = frozen.records(job) if frozen.content["attempt"] > 1 else None
    never = recorded is not None and any(key not in recorded or recorded[key].unasked for key in frozen.left(job))
    return never or not job.setup.is_ours


class _Worker:
    """A forked process, and the setup that it is at."""

    def __init__(self, plan: str) -> None:
        self.pipe, theirs = _FORK.Pipe()
        self._process = _FORK.Process(target=_take, args=(plan, theirs, os.getpid()))
        self._process.start()
        theirs.close()

    def begin(self, setup_id: str) -> None:
        self.setup_id = setup_id
        self.pipe.send(setup_id)

    def died(self) -> str | None:
        """Wait for the end of its setup: how it died at it, None when it did not."""
        try:
            self.pipe.recv()
        except (EOFError, ConnectionError):
            self._process.join()
            code = self._process.exitcode or 0
            return f"worker died (signal {-code})" if code < 0 else f"worker ended with {code}"
        return None

    def kill(self) -> None:
        self._process.kill()
        self._process.join()


def _take(plan: str, pipe: "Connection", parent: int) -> None:
    serve(parent)
    os.register_at_fork(after_in_child=pipe.close)  # else what it forks and leaves behind would hide its death
    while True:
        attempt(plan, pipe.recv())
        pipe.send(None)


def _share_out(plan: str, setup_ids: Sequence[str], n_jobs: int) -> None:
    """Have every setup run. One whose worker died runs again when all others have, alone: with less beside it, it may not."""
    thawed(plan)
    gc.freeze()  # else a collection in a worker would copy what it shares with the others
    waiting, suspects, idle = deque(setup_ids), list[str](), list[_Worker]()
    at_work: dict[object, _Worker] = {}
    try:
        while waiting or at_work:
            while waiting and len(at_work) < n_jobs:
                worker = idle.pop() if idle else _Worker(plan)
                worker.begin(waiting.popleft())
                at_work[worker.pipe] = worker
            for pipe in wait([worker.pipe for worker in at_work.values()]):
                worker = at_work.pop(pipe)
                if worker.died():
                    suspects.append(worker.setup_id)
                else:
                    idle.append(worker)
        for setup_id in suspects:
            if stopped(Path(plan).parent):
                return
            at_work[setup_id] = worker = _Worker(plan)
            worker.begin(setup_id)
            if how := worker.died():
                give_up(plan, setup_id, how)
    finally:
        for worker in [*idle, *at_work.values()]:
            worker.kill()


if __name__ == "__main__":
    serve(int(sys.argv[3]))
    _share_out(sys.argv[1], sys.stdin.read().split(), int(sys.argv[2]))
