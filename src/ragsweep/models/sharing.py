"""Answers that the calls of a run share: identical requests at temperature 0 are answered once, whichever setup asks first.

    with shared(folder, repeat):           a question
        with settled(calls):               a step of it
            Client.call                    asks, or finds what was answered

An answer is a file in a folder of the run, so another attempt finds it too. Who asks first holds the kernel's lock of its
request, and whoever asks the same waits for it, in whatever process.
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from contextvars import ContextVar
from pathlib import Path
from typing import Any, TypeVar

from ragsweep import files
from ragsweep.redaction import redact_values
from ragsweep.types import Call

T = TypeVar("T")


class Answers:
    """What one question finds and leaves in ``folder``; ``repeat`` is its own, as every repeat asks anew."""

    def __init__(self, folder: Path, repeat: int) -> None:
        self._folder, self._repeat = folder, repeat
        self._asked: Path | None = None
        self._answer: dict[str, Any] | None = None
        self._lock = ExitStack()

    def find(self, url: str, body: Mapping[str, Any], read: Callable[[Any], T]) -> tuple[T, Any, float] | None:
        """What ``read`` makes of the answer to a request, the answer, and its service seconds when it was first given; None for
        who is to ask, which others wait for."""
        self.settle()
        path = self._folder / f"{files.digest({'url': url, 'body': body, 'repeat': self._repeat})}.json"
        if (found := _found(path, read)) is None:
            self._lock.enter_context(files.lock(path.with_suffix(".lock")))
            if (found := _found(path, read)) is None:
                self._asked = path
            else:
                self._lock.close()
        return found

    def keep(self, reply: Any, seconds: float) -> None:
        """An answer that was given: it is there for others when the step that asked is done with it."""
        self._answer = {"reply": redact_values(reply), "seconds": seconds}

    def settle(self, *, usable: bool = True) -> None:
        """Leave the answer of the last request to others, when there is one that is ``usable``, and let go of its lock."""
        if self._asked and self._answer and usable:
            with suppress(OSError):  # a full disk: then it is asked again
                files.publish(self._asked, files.strict_json(self._answer))
        self._asked = self._answer = None
        self._lock.close()


_answers: ContextVar[Answers | None] = ContextVar("answers", default=None)


def answers(body: Mapping[str, Any]) -> Answers | None:
    """Those of the question at hand; None where answers are not shared, as all to requests that are not at temperature 0."""
    return _answers.get() if body.get("temperature") == 0 else None


@contextmanager
def shared(folder: Path | None, repeat: int) -> Iterator[None]:
    """Have the calls inside, all of one question, share their answers by ``folder``; None shares none."""
    token = _answers.set(Answers(folder, repeat) if folder else None)
    try:
        yield
    finally:
        _answers.reset(token)


@contextmanager
def settled(made: Sequence[Call]) -> Iterator[None]:
    """A step whose calls are ``made``: at its end what was answered is there for others, unless it failed or was unusable."""
    usable = False
    try:
        yield
        usable = not any(call.unusable or call.failure for call in made)
    finally:
        if (at_hand := _answers.get()) is not None:
            at_hand.settle(usable=usable)


def _found(path: Path, read: Callable[[Any], T]) -> tuple[T, Any, float] | None:
    """None also for a file that is no answer."""
    try:
        answer = json.loads(path.read_bytes())
        return read(answer["reply"]), answer["reply"], float(answer["seconds"])
    except (OSError, LookupError, TypeError, ValueError, AttributeError):
        return None
