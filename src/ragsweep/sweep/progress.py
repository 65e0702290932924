"""What is said on stderr: lines, and how far long work is: a bar on a terminal, a few plain lines elsewhere."""

import os
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from contextvars import ContextVar
from time import monotonic
from typing import TYPE_CHECKING, TextIO, TypeVar

from ragsweep.redaction import redact
from ragsweep.reporting.escape import folded

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

T = TypeVar("T")
DEBUG: ContextVar[bool] = ContextVar("debug", default=False)
"""Whether tracebacks are wanted (``--debug``)."""
QUIET: ContextVar[bool] = ContextVar("quiet", default=False)
"""Whether nothing is said: in Python a call is quiet unless its progress is wanted."""
PATIENCE = 10.0
"""Seconds after which a plain line says how far work is, at the next quarter."""


def is_plain(stream: TextIO) -> bool:
    """Whether colours and bars are out of place: no terminal, NO_COLOR (no-color.org), CI, or a terminal that knows none."""
    asked = os.environ.get("NO_COLOR") or os.environ.get("CI") or os.environ.get("TERM") == "dumb"
    return bool(asked) or not stream.isatty()


def width(stream: TextIO) -> int | None:
    """The columns of a terminal, COLUMNS before its own word; None elsewhere: lines of pipes and files stay whole."""
    if not stream.isatty():
        return None
    with suppress(ValueError, OSError):
        return int(os.environ.get("COLUMNS") or os.get_terminal_size(stream.fileno()).columns) or None
    return None


def say(text: str) -> None:
    """One line on stderr, without secrets, control characters shown, not obeyed. That nobody can read it stops no work."""
    if QUIET.get():
        return
    shown = "".join(char if char.isprintable() or char == "\t" else repr(char)[1:-1] for char in redact(text))
    with suppress(OSError):
        sys.stderr.write(folded(shown, width(sys.stderr)) + "\n")
        sys.stderr.flush()


class Stage:
    """How far one stage of work is, for ``with``: ``at`` says so while it lasts, and one line, with its seconds, at the end.

    A ``brief`` stage says nothing off a terminal before it took long.
    """

    def __init__(self, what: str, total: int, *, brief: bool = False) -> None:
        self._what, self._total, self._brief = what, total, brief
        self._done, self._more = 0, ""
        self._began = self._said = monotonic()
        self._bar: tuple[Progress, TaskID] | None = None

    def __enter__(self) -> "Stage":
        if self._total and not QUIET.get() and not is_plain(sys.stderr):
            self._bar = _bar(self._what, self._total)
        return self

    def at(self, done: int, more: str = "") -> None:
        """So many are done; ``more`` says what else is."""
        quarters = [4 * count // max(self._total, 1) for count in (self._done, done)]
        self._done, self._more = done, more
        if self._bar is not None:
            bar, task = self._bar
            speed = done / max(monotonic() - self._began, 1e-9)
            rate, left = (
                (f"{speed:,.{speed < 10:d}f}/s", f"{_seconds((self._total - done) / speed)} left") if done else ("", "")
            )
            bar.update(task, completed=done, more=more, rate=rate, left=left, refresh=True)
        elif quarters[0] < quarters[1] < 4 and monotonic() - self._said >= PATIENCE:
            self._said = monotonic()
            say(self._line())

    def __exit__(self, *raised: object) -> None:
        if self._bar is not None:
            self._bar[0].stop()
        if self._total and (not self._brief or self._said > self._began):
            say(f"{self._line()} in {_seconds(monotonic() - self._began)}")

    def _line(self) -> str:
        return f"{self._what}: {self._done:,} of {self._total:,}{self._more}"


def track(
    items: Iterable[T], what: str, total: int, size: Callable[[T], int] = lambda item: 1, *, brief: bool = False
) -> Iterator[T]:
    """``items``, with how many of ``total`` are done as they come; each counts as its ``size``."""
    done = 0
    with Stage(what, total, brief=brief) as stage:
        for item in items:
            yield item
            done += size(item)
            stage.at(done)


def _bar(what: str, total: int) -> "tuple[Progress, TaskID]":
    # Drawn only when something is done: a thread that draws would take time from questions that are measured.
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn

    digits = len(f"{total:,}")
    bar = Progress(
        TextColumn("{task.description}"),
        BarColumn(bar_width=None),
        TextColumn(f"{{task.completed:>{digits},.0f}} of {total:,}{{task.fields[more]}}"),
        TextColumn("{task.fields[rate]:>8}"),
        TextColumn("{task.fields[left]:>11}"),
        console=Console(stderr=True),
        auto_refresh=False,
        transient=True,
        expand=True,
    )
    task = bar.add_task(what, total=total, more="", rate="", left="")
    bar.start()
    return bar, task


def _seconds(seconds: float) -> str:
    """
    >>> _seconds(0.84), _seconds(59.6), _seconds(200)
    ('0.8 s', '60 s', '3 min 20 s')
    """
    if seconds < 100:
        return f"{seconds:.{seconds < 10:d}f} s"
    return f"{seconds // 60:.0f} min {seconds % 60:.0f} s"
