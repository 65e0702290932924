"""Some pieces of work at the same time, their results one at a time."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from queue import Empty, SimpleQueue
from threading import Thread
from typing import TypeVar

Asked = TypeVar("Asked")
Result = TypeVar("Result")
LOOK_UP_S = 0.5


def side_by_side(work: Callable[[Asked], Result], asked: Iterable[Asked], in_flight: int) -> Iterator[Result]:
    """The results as they are there; the next of ``asked`` is taken when one has ended. Each has a thread of its own where
    there are several at a time, which the end of the process does not wait for: after an interrupt what is in hand is lost."""
    if in_flight == 1:
        yield from map(work, asked)
        return
    ended: SimpleQueue[Result | BaseException] = SimpleQueue()

    def do(one: Asked) -> None:
        try:
            ended.put(work(one))
        except BaseException as error:  # whoever waits for it must know
            ended.put(error)

    running = 0
    for one in asked:
        Thread(target=do, args=(one,), daemon=True).start()
        running += 1
        if running == in_flight:
            yield _next(ended)
            running -= 1
    for _ in range(running):
        yield _next(ended)


def _next(ended: "SimpleQueue[Result | BaseException]") -> Result:
    while True:
        with suppress(Empty):  # a signal that comes just before a wait does not end it: Python sees to it between two of them
            result = ended.get(timeout=LOOK_UP_S)
            break
    if isinstance(result, BaseException):
        raise result
    return result
