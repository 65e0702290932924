"""Where the wall time of a run goes: seconds by stage, of this attempt."""

from collections.abc import Iterator
from contextlib import contextmanager
from time import perf_counter
from typing import Literal, TypeAlias

Stage: TypeAlias = Literal["plan", "queries", "vectors", "indexes", "questions", "alone", "judge", "report"]
STAGES: dict[Stage, str] = {
    "plan": "files read, chunks cut, plan made",
    "queries": "queries embedded",
    "vectors": "texts embedded",
    "indexes": "indexes assembled",
    "questions": "questions asked",
    "alone": "questions timed alone",
    "judge": "answers judged",
    "report": "records scored, report written",
}
"""The stages of a run in their order, and what each does."""


class Clock:
    """Adds up the seconds of stages; one stage may come several times."""

    def __init__(self) -> None:
        self.seconds: dict[Stage, float] = {}

    @contextmanager
    def of(self, stage: Stage) -> Iterator[None]:
        """The time until the end of the block is that of ``stage``."""
        begun = perf_counter()
        try:
            yield
        finally:
            self.seconds[stage] = self.seconds.get(stage, 0.0) + perf_counter() - begun
