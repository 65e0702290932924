"""Ctrl-C and SIGTERM: the first lets the questions in hand end, the second ends the command at once."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import current_thread, main_thread
from typing import Any

from ragsweep.sweep.progress import say
from ragsweep.sweep.stopping import stop

GRACE = 5.0
"""Seconds that questions in hand have to end; `docker stop` kills after 10, and the report needs its share of them."""


class GraceOverError(KeyboardInterrupt):
    """The questions in hand did not end in time."""


@contextmanager
def at_once(came: list[int]) -> Iterator[None]:
    """Have SIGTERM do what Ctrl-C does: raise KeyboardInterrupt. ``came`` is given the signals, as a library may make another
    error of it. Ctrl-C stays ignored where it is, as under a shell's &."""

    def raise_interrupt(number: int, frame: object) -> None:
        came.append(number)
        raise KeyboardInterrupt

    obeyed = signal.getsignal(signal.SIGINT) is signal.default_int_handler
    with _handled(dict.fromkeys([signal.SIGTERM, *([signal.SIGINT] if obeyed else [])], raise_interrupt)):
        yield


@contextmanager
def by_and_by(folder: Path) -> Iterator[list[int]]:
    """Have the first signal stop the run in ``folder``, raise GraceOverError when that takes longer than GRACE, and the second
    signal raise KeyboardInterrupt. What is given holds the signals that came."""
    came: list[int] = []

    def interrupt(number: int, frame: object) -> None:
        came.append(number)
        if len(came) > 1:
            raise KeyboardInterrupt
        stop(folder, "interrupted")
        signal.setitimer(signal.ITIMER_REAL, GRACE)
        say(f"interrupted: questions in hand have {GRACE:.0f} s to end; once more ends at once")

    def end(*given: object) -> None:
        raise GraceOverError

    with _handled({signal.SIGINT: interrupt, signal.SIGTERM: interrupt, signal.SIGALRM: end}):
        try:
            yield came
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)


@contextmanager
def _handled(handlers: dict[signal.Signals, Any]) -> Iterator[None]:
    ours = current_thread() is main_thread()  # no other may set them
    before = {number: signal.signal(number, handler) for number, handler in handlers.items() if ours}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
