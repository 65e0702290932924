"""Ratios of medians, of two ways to do the same work that take turns."""

import compileall
import gc
import os
import platform
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from importlib.metadata import version
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

import hydra_plugins.ragsweep
import ragsweep

RAGSWEEP = str(Path(sys.executable).with_name("ragsweep"))
THREADS = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")


@dataclass(frozen=True)
class Comparison:
    """What took ``ours`` seconds with ragsweep and ``other`` with ``against``; ``ratio`` should be at most ``bar``. ``unit``:
    where the bar is in milliseconds more, so is ``ratio``."""

    part: str
    work: str
    against: str
    clock: str
    ours: float
    other: float
    ratio: float
    bar: float | None
    note: str = ""
    unit: str = "x"

    @property
    def is_met(self) -> bool:
        return self.bar is None or self.ratio <= self.bar


@dataclass(frozen=True)
class Side:
    """One way to do the work. ``before`` is done before each time, and not measured."""

    run: Callable[[], object]
    before: Callable[[], object] = lambda: None


@dataclass(frozen=True)
class Timed:
    """Medians of both sides, and of their ratios pair by pair."""

    clock: str
    ours: float
    other: float
    ratio: float


CLOCKS = {"CPU": time.process_time, "wall": time.perf_counter}


def in_turn(ours: Side, other: Side, times: int, clock: str = "CPU", warm: bool = True) -> Timed:
    """Measure both, one after the other, ``times`` over, each first in every second pair; ``warm`` runs each once before."""
    read = CLOCKS[clock]
    for side in (ours, other) if warm else ():
        side.before()
        side.run()
    pairs = []
    for number in range(times):
        taken = {}
        for side in (ours, other) if number % 2 else (other, ours):
            side.before()
            gc.collect()
            begun = read()
            side.run()
            taken[side] = read() - begun
        pairs.append((taken[ours], taken[other]))
    return Timed(clock, median(a for a, _ in pairs), median(b for _, b in pairs), median(a / b for a, b in pairs))


def compared(part: str, work: str, against: str, timed: Timed, bar: float | None, note: str = "") -> Comparison:
    """A row of the table."""
    return Comparison(part, work, against, **asdict(timed), bar=bar, note=note)


def same(what: str, ours: float, other: float, within: float = 0.0) -> None:
    """Both sides must do the same: their numbers may differ by a share of ``within``."""
    if abs(ours - other) > within * max(ours, other):
        raise SystemExit(f"{what}: ours {ours:g}, the other {other:g}: that is not the same work")


def run_command(command: Sequence[str], environment: dict[str, str], folder: Path | None = None) -> tuple[float, float, float]:
    """CPU seconds of a command and all of its processes, wall seconds, and the largest resident size of one of them in MB."""
    begun, before = time.perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN)
    script = (
        "import ctypes, os, resource, subprocess, sys\n"
        "ctypes.CDLL(None).prctl(36, 1)\n"  # linux/prctl.h: PR_SET_CHILD_SUBREAPER, so that no process escapes the account
        "code = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL).returncode\n"
        "while True:\n"
        "    try: os.wait()\n"
        "    except ChildProcessError: break\n"
        "sys.stderr.write(f'\\npeak {resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss}')\n"
        "sys.exit(code)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, *command], env=environment, cwd=folder, check=False, text=True, stderr=subprocess.PIPE
    )
    if done.returncode:
        raise SystemExit(f"{' '.join(command)}\n{done.stderr}")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return cpu, time.perf_counter() - begun, int(done.stderr.rpartition("peak ")[2]) / 1024


@contextmanager
def own_place() -> Iterator[tuple[Path, dict[str, str]]]:
    """A folder, and the environment of commands that keep all they make in it.

    Both sides have the bytecode that pip writes as it installs a package: a checkout may lack it.
    """
    for package in (ragsweep, hydra_plugins.ragsweep):
        compileall.compile_dir(Path(str(package.__file__)).parent, quiet=2)
    with TemporaryDirectory() as name:
        environment = {**os.environ, "RAGSWEEP_OUTPUTS": name, "NO_COLOR": "1"}
        environment.pop("RAGSWEEP_STORE", None)
        yield Path(name), environment


def machine(packages: Sequence[str]) -> dict[str, Any]:
    """What the figures were made on."""
    lines = Path("/proc/cpuinfo").read_text().splitlines() if Path("/proc/cpuinfo").exists() else []
    processor = next((line.partition(": ")[2] for line in lines if line.startswith("model name")), platform.processor())
    return {
        "processor": processor,
        "cores": len(os.sched_getaffinity(0)),
        "system": platform.platform(),
        "python": platform.python_version(),
        "threads": {name: os.environ.get(name) for name in THREADS},
        "load": round(os.getloadavg()[0], 1),
        "packages": {name: version(name) for name in packages},
    }
