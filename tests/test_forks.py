"""Setups side by side: which process runs what, and what a death costs. The setups are fakes."""

import logging
import os
import select
import signal
import subprocess
import sys

import pytest

from ragsweep.errors import WorkerError
from ragsweep.forks import answer

FAKES = """
import os, signal, subprocess, sys
from multiprocessing import get_context
from pathlib import Path
from ragsweep import forks

def attempt(plan, setup_id):
    log = Path(plan).with_name("log")
    with log.open("a") as file:
        file.write(f"{setup_id} {os.getpid()} {os.getppid()} {os.environ['OMP_NUM_THREADS']}\\n")
    times = log.read_text().count(f"{setup_id} ")
    if setup_id.startswith("dies") or (setup_id.startswith("once") and times == 1):
        os.kill(os.getpid(), signal.SIGKILL)
    if setup_id.startswith("ends"):
        os._exit(3)
    if setup_id.startswith("leaves"):
        if (left := os.fork()) == 0:
            signal.alarm(30)
            signal.pause()
        with Path(plan).with_name("left").open("a") as file:
            file.write(f"{left}\\n")
        os._exit(3)
    if setup_id == "pools":
        signal.alarm(30)
        with get_context("fork").Pool(1) as pool:
            pool.map(abs, [1])
        signal.alarm(0)
    if setup_id == "starts":
        started = subprocess.Popen(["sleep", "30"])
        started.terminate()
        if started.wait() != -signal.SIGTERM:
            os._exit(4)
    if setup_id.startswith("kills") and times < 3:
        os.kill(os.getppid(), signal.SIGKILL)

def give_up(plan, setup_id, error):
    with Path(plan).with_name("given up").open("a") as file:
        file.write(f"{setup_id}: {error}\\n")

forks.thawed, forks.attempt, forks.give_up = print, attempt, give_up
"""


@pytest.fixture
def ran(tmp_path, monkeypatch):
    """Runs fakes; the lines of their log, split, and what was given up."""
    (tmp_path / "fakes.py").write_text(FAKES)
    begin = ["import runpy, sys, fakes", "from ragsweep import forks"]
    begin += ["forks.serve(int(sys.argv[3]))", "forks._share_out(sys.argv[1], sys.stdin.read().split(), int(sys.argv[2]))"]
    monkeypatch.syspath_prepend(tmp_path)
    popen = subprocess.Popen
    monkeypatch.setattr(
        "ragsweep.forks.subprocess.Popen",
        lambda command, **given: popen([sys.executable, "-c", "\n".join(begin), *command[4:]], **given),
    )

    def run(*setup_ids, n_jobs=2):
        answer(str(tmp_path / "plan.json"), setup_ids, n_jobs)
        given_up = tmp_path / "given up"
        lines = [line.split() for line in (tmp_path / "log").read_text().splitlines()]
        return lines, given_up.read_text().splitlines() if given_up.exists() else []

    return run


def test_every_setup_runs_once_in_as_many_forked_workers_of_one_thread(ran):
    lines, given_up = ran(*"abcdefgh")
    assert sorted(line[0] for line in lines) == list("abcdefgh")
    assert 1 <= len({pid for _, pid, _, _ in lines} - {str(os.getpid())}) <= 2
    assert len({parent for _, _, parent, _ in lines}) == 1
    assert {threads for *_, threads in lines} == {"1"}
    assert given_up == []


def test_a_death_costs_the_guilty_setup_alone_and_an_innocent_one_runs_again_alone(ran):
    lines, given_up = ran("a", "dies", "b", "once", "ends", "c")
    assert sorted(line[0] for line in lines) == ["a", "b", "c", "dies", "dies", "ends", "ends", "once", "once"]
    assert sorted(line[0] for line in lines[-3:]) == ["dies", "ends", "once"]
    assert sorted(given_up) == ["dies: worker died (signal 9)", "ends: worker ended with 3"]


def test_a_death_is_known_while_what_the_worker_forked_lives_on_and_that_can_be_terminated(ran, tmp_path):
    _, given_up = ran("a", "leaves")
    assert given_up == ["leaves: worker ended with 3"]
    for left in (tmp_path / "left").read_text().split():
        process = os.pidfd_open(int(left))
        os.kill(int(left), signal.SIGTERM)
        assert select.select([process], [], [], 10)[0]
        os.close(process)


def test_a_component_can_end_the_processes_that_it_starts(ran):
    assert ran("a", "pools", "starts")[1] == []


def test_when_the_process_that_forks_is_killed_all_is_begun_once_more(ran):
    with pytest.raises(WorkerError, match="ended with -9"):
        ran("a", "kills", n_jobs=2)
    lines, given_up = ran("b", "kills", n_jobs=2)
    assert sum(line[0] == "kills" for line in lines) == 3
    assert given_up == []


@pytest.mark.parametrize("error", [ValueError("s2 is broken"), MemoryError("s2 is broken"), WorkerError("s2 is broken")])
def test_with_one_job_every_setup_runs_here_and_what_fails_is_logged(monkeypatch, caplog, error):
    ran = []

    def worker(plan, setup_id):
        ran.append((plan, setup_id))
        if setup_id == "s2":
            raise error

    monkeypatch.setattr("ragsweep.worker.worker", worker)
    with caplog.at_level(logging.ERROR):
        answer("plan.json", ["s1", "s2", "s3"], 1)
    assert ran == [("plan.json", "s1"), ("plan.json", "s2"), ("plan.json", "s3")]
    (said,) = [record.message for record in caplog.records]
    assert said.startswith(f"setup s2: {type(error).__name__}: ")
    assert said.endswith("s2 is broken")
