"""The error tree; every message names the field or file, what was found and what to write instead.

- RagsweepError: shown without a traceback
    - InputError (also a ValueError): one mistake in config, files or questions
    - InputErrors (also a ValueError): several of them, shown together; exit code 2
        - ImpossibleError: values that are each right and cannot stand together
    - StoreError: the store cannot be read or written
        - VectorsError: what an embedder gave cannot be stored
    - ServerError: a model server was not reached, refused, or answered what cannot be used; it has a kind
    - WorkerError: a setup could not be run to its end (sweep.pool.TasksLostError: a worker process died)
    - CheckError: a report differs from the accepted one; exit code 3, as for a gate that is not reached
"""

import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from difflib import get_close_matches
from resource import RUSAGE_SELF, getrusage
from typing import Literal, TypeAlias

Failure: TypeAlias = Literal["connection", "deadline", "rate_limit", "server", "key", "request", "reply", "window"]
"""Why a call to a model server failed.

``connection``: not reached, or the connection broke. ``deadline``: no whole answer in time. ``rate_limit``: status 429.
``server``: a fault of the server that may pass (408, most of 5xx). ``key``: 401 and 403. ``request``: any other status but 200,
such as an unknown model or path. ``reply``: an answer that is too large, is not what was asked for, or says error.
``window``: the prompt is longer than the model's window, and was not sent.
"""


class RagsweepError(Exception):
    """Everything that ragsweep raises on purpose; shown without a traceback."""


class InputError(RagsweepError, ValueError):
    """One mistake in what the user wrote."""


class InputErrors(RagsweepError, ValueError):  # noqa: N818 - it holds several
    """Several mistakes, collected so that all are shown at once."""

    def __init__(self, errors: Iterable[str | Exception]) -> None:
        self.messages: tuple[str, ...] = tuple(dict.fromkeys(str(error) for error in errors))
        super().__init__("\n".join(self.messages))


class ImpossibleError(InputErrors):
    """Values that are each right and cannot stand together; such a combination of a sweep may be left out."""


class StoreError(RagsweepError):
    """An entry of the store cannot be read or written."""


class VectorsError(StoreError):
    """What an embedder gave cannot be stored: NaN, infinity, or vectors of another length than before."""


class ServerError(RagsweepError):
    """A call to a model server failed for good. ``status`` is that of the last answer, None when there was none.

    ``retry_after`` are the seconds that the server asks to wait, None when it does not.
    """

    def __init__(
        self, message: str, kind: Failure = "reply", status: int | None = None, retry_after: float | None = None
    ) -> None:
        super().__init__(message)
        self.kind: Failure = kind
        self.status = status
        self.retry_after = retry_after

    @property
    def is_lasting(self) -> bool:
        """Whether another request would meet it too: no connection, a refused key, a path or a model that is not there."""
        return self.kind in ("connection", "key") or self.status == 404

    @property
    def ends_setup(self) -> bool:
        """Whether all further questions would meet it: a key that is not known (401), a path or a model that is not there
        (404). Not 403, by which some servers refuse a text, and no connection that may come back."""
        return self.status in (401, 404)


class WorkerError(RagsweepError):
    """A setup could not be run to its end."""


class CheckError(RagsweepError):
    """A comparison with an accepted report failed."""


@contextmanager
def contained() -> Iterator[None]:
    """Have what would end this process without a report be an error as any other: a component's sys.exit, a panic of a library
    in Rust, a cancelled task. Raises WorkerError for these; an interrupt stays what it is."""
    try:
        yield
    except (Exception, KeyboardInterrupt):
        raise
    except BaseException as error:
        raise WorkerError(f"a component raised {reason(error)}") from error


def nearest(name: str, known: Sequence[str], most: int | None = None) -> str:
    """A hint such as ``did you mean 'word'?``, or the list of what is known when nothing is near, of ``most`` names.

    >>> nearest("wrod", ["word", "page"])
    "did you mean 'word'?"
    >>> nearest("questions", ["c.md", "a.md", "b.md", "d.md"], most=2)
    'known: a.md, b.md and 2 more'
    """
    close = get_close_matches(name, known, n=1, cutoff=0.6)
    if close:
        return f"did you mean {close[0]!r}?"
    more = f" and {len(known) - most:,} more" if most is not None and len(known) > most else ""
    return "known: " + ", ".join(sorted(known)[:most]) + more if known else "there is none"


def reason(error: BaseException) -> str:
    """Why something failed, as records and tables say it; of memory that was short, with the most that this process held.

    >>> reason(ValueError("broken"))
    'ValueError: broken'
    """
    if isinstance(error, MemoryError):
        peak = getrusage(RUSAGE_SELF).ru_maxrss / (1e6 if sys.platform == "darwin" else 1e3)  # bytes there, kB on Linux
        return f"MemoryError: its process held {peak:,.0f} MB at most{f': {error}' if str(error) else ''}"
    return f"{type(error).__name__}: {error}"
