"""When a process ends by itself: a worker with its parent and, in tests of faults, any at a named point."""

import os
import signal
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

PR_SET_PDEATHSIG = 1  # linux/prctl.h
KILL_AT = "RAGSWEEP_KILL_AT"
_HELD = (signal.SIGINT, signal.SIGTERM)

_parent: list[int] = []
_passed: Counter[str] = Counter()


def serve(parent: int) -> None:
    """Make this process a worker of ``parent``: it ends when that ends, and leaves to it what an interrupt means.

    Ctrl-C and a service manager send their signals to the whole group; a worker that obeyed would lose the question in hand.
    """
    _parent[:] = [parent]
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, _ignore)  # SIG_IGN would be that of the programs that it starts, too
    signal.siginterrupt(signal.SIGTERM, False)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, _HELD)  # held back while it was started
    if sys.platform == "linux":
        import ctypes

        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    end_if_orphan()  # the parent may have ended before


def _ignore(number: int, frame: object) -> None:
    pass


def _leave() -> None:
    """What a worker forks is a process of its component, and no worker: it can be terminated, as a Pool does with its own."""
    if _parent:
        _parent.clear()
        signal.signal(signal.SIGTERM, signal.SIG_DFL)


os.register_at_fork(after_in_child=_leave)


@contextmanager
def held_back() -> Iterator[None]:
    """Have an interrupt wait, also in the workers that are started meanwhile: they ignore it as soon as they serve, and would
    be ended by it, each with a traceback, while they still import."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, _HELD)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def end_if_orphan() -> None:
    """End this process when it is a worker whose parent is gone: asked before each task and each thing that is published."""
    if _parent and os.getppid() != _parent[0]:
        os._exit(1)


def passing(point: str, setup: str = "") -> None:
    """Kill this process when ``RAGSWEEP_KILL_AT=<point>[:n][@setup name]`` names this point, its n-th passing, this setup."""
    if (wanted := os.environ.get(KILL_AT)) and wanted.partition(":")[0].partition("@")[0] == point:
        number, _, only = wanted.removeprefix(point).removeprefix(":").partition("@")
        _passed[point] += only in ("", setup)
        if only in ("", setup) and _passed[point] == int(number or 1):
            os.kill(os.getpid(), signal.SIGKILL)
