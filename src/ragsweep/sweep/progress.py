"""How far long work is: a bar on a terminal, plain lines elsewhere; always on stderr."""

import os
import sys
from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import TypeVar

T = TypeVar("T")


def say(text: str) -> None:
    """One line on stderr, with control characters shown instead of obeyed. That nobody can read it stops no work."""
    with suppress(OSError):
        sys.stderr.write("".join(char if char.isprintable() or char == "\t" else repr(char)[1:-1] for char in text) + "\n")
        sys.stderr.flush()


def track(items: Iterable[T], what: str, total: int) -> Iterator[T]:
    """``items``, with the count of those done shown as they come."""
    if not (sys.stderr.isatty() and "NO_COLOR" not in os.environ and "CI" not in os.environ):
        yield from items
        say(f"{what}: {total} of {total}")
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True)) as bar:
        yield from bar.track(items, total=total, description=what)
