"""The functions given to workers are defined inside the tests: a worker cannot import a test module."""

import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest

from ragsweep.errors import WorkerError
from ragsweep.sweep.pool import TasksLostError, run_again, run_tasks, workers

PARENT = """
import os, time
from ragsweep.sweep.pool import run_tasks

def work(number):
    open(str(os.getpid()), "w").close()
    time.sleep(60)

if __name__ == "__main__":
    list(run_tasks(work, [(number,) for number in range(4)], 2))
"""


def wait_for(condition, seconds=10):
    end = time.monotonic() + seconds
    while not (value := condition()):
        assert time.monotonic() < end, "it did not happen in time"
        time.sleep(0.01)
    return value


def lives(pid: int) -> bool:
    with suppress(OSError):
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    return False


def test_one_job_runs_here_and_in_order():
    tasks = [(3, 2), (2, 2), (1, 2)]
    assert list(run_tasks(lambda a, b: (a**b, os.getpid()), tasks, 1)) == [
        (task, (task[0] ** 2, os.getpid())) for task in tasks
    ]


def test_every_task_comes_back_once_from_workers_of_one_thread():
    def work(number):
        return number * number, os.getpid(), os.environ["OMP_NUM_THREADS"], os.environ["OPENBLAS_NUM_THREADS"]

    results = dict(run_tasks(work, [(number,) for number in range(20)], 2))
    assert {task: result[0] for task, result in results.items()} == {(number,): number * number for number in range(20)}
    assert os.getpid() not in {result[1] for result in results.values()}
    assert {result[2:] for result in results.values()} == {("1", "1")}


def test_results_come_as_they_finish(tmp_path):
    def work(number):
        while number == 0 and not (tmp_path / "seen").exists():
            time.sleep(0.01)
        return number

    order = []
    for _, number in run_tasks(work, [(number,) for number in range(4)], 2):
        order.append(number)
        (tmp_path / "seen").touch()
    assert sorted(order) == [0, 1, 2, 3]
    assert order[0] != 0


def test_what_a_task_raises_is_raised_here():
    def work(number):
        raise ValueError(f"not {number}")

    with pytest.raises(ValueError, match="not 0"):
        list(run_tasks(work, [(0,), (0,)], 2))


def test_a_dead_worker_loses_no_result_and_the_next_pool_works():
    def work(number):
        if number == 3:
            os.kill(os.getpid(), signal.SIGKILL)
        return number

    tasks = [(number,) for number in range(6)]
    finished = []
    with pytest.raises(WorkerError, match="a worker died") as caught:
        for task, _ in run_tasks(work, tasks, 2):
            finished.append(task)
    assert isinstance(caught.value, TasksLostError)
    assert (3,) in caught.value.unfinished
    assert sorted([*finished, *caught.value.unfinished]) == tasks
    assert list(caught.value.unfinished) == sorted(caught.value.unfinished)
    assert len(list(run_tasks(work, tasks[:3], 2))) == 3


@pytest.mark.parametrize("deaths", [1, 9])
def test_what_a_dead_worker_left_runs_again_once(tmp_path, capsys, deaths):
    def work(number):
        died = len(list(tmp_path.iterdir()))
        if number == 3 and died < deaths:
            (tmp_path / str(died)).touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return number

    tasks, finished = [(number,) for number in range(4)], []
    try:
        finished = sorted(task for task, _ in run_again(work, tasks, 2))
    except TasksLostError as error:
        assert deaths > 1
        assert (3,) in error.unfinished
    assert finished == (tasks if deaths == 1 else [])
    assert len(list(tmp_path.iterdir())) == min(deaths, 2)
    assert "runs again" in capsys.readouterr().err


def test_an_interrupt_meets_no_worker_that_is_still_starting():
    """It is held back from before the first worker exists until it serves, and in the parent no longer than that."""
    script = """
import os, signal
from ragsweep import endings
from ragsweep.sweep import pool

def held():
    return {signal.SIGINT, signal.SIGTERM} <= signal.pthread_sigmask(signal.SIG_BLOCK, ())

def serve(parent):
    before = held()
    endings.serve(parent)
    os.environ["HELD"] = f"{before} {held()}"

pool.serve = serve
print(*[noted for _, noted in pool.run_tasks(os.getenv, [("HELD",)] * 2, 2)], signal.pthread_sigmask(signal.SIG_BLOCK, ()))
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == ("True False True False set()\n", "")


@pytest.mark.parametrize("end", [signal.SIGKILL, signal.SIGTERM])
def test_workers_die_with_their_parent(tmp_path, end):
    (tmp_path / "parent.py").write_text(PARENT)
    with subprocess.Popen([sys.executable, "parent.py"], cwd=tmp_path) as parent:
        pids = wait_for(lambda: [int(path.name) for path in tmp_path.glob("[0-9]*")][1:] and list(tmp_path.glob("[0-9]*")))
        parent.send_signal(end)
    wait_for(lambda: not any(lives(int(path.name)) for path in pids), seconds=2)
    assert len(list(tmp_path.glob("[0-9]*"))) == 2


def test_a_worker_whose_parent_is_gone_ends_before_its_task():
    script = (
        "from ragsweep import endings; endings._parent[:] = [1]; from ragsweep.sweep.pool import _run; _run(print, 0, ('ran',))"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, check=False)
    assert (done.returncode, done.stdout) == (1, b"")


def test_the_cores_this_process_may_use(monkeypatch):
    monkeypatch.setattr(os, "sched_getaffinity", lambda pid: {1, 4, 5})
    assert [workers(None), workers(2)] == [3, 2]
