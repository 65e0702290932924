"""timing=alone: questions of each setup are asked again after the sweep, with nothing beside them, for their seconds."""

from collections.abc import Sequence
from itertools import count, takewhile
from pathlib import Path

from ragsweep import files
from ragsweep.errors import RagsweepError
from ragsweep.evaluation.run import run
from ragsweep.sweep import stopping
from ragsweep.sweep.frozen import FrozenPlan, Job
from ragsweep.sweep.opening import open_index, open_queries
from ragsweep.sweep.progress import Stage, say
from ragsweep.types import Record

MOST = 50
FILE = "alone.jsonl"


def timed_questions(frozen: FrozenPlan, job: Job) -> list[str]:
    """The questions of a setup that are timed alone: at most 50, evenly spread over all in the order written.

    Those that failed in the sweep are not among them.
    """
    ran = {text for (text, _), record in frozen.records(job).items() if record.status != "failed"}
    texts = [question.text for question in frozen.corpora[job.reading].questions if question.text in ran]
    return evenly(list(dict.fromkeys(texts)), MOST)


def evenly(texts: Sequence[str], most: int) -> list[str]:
    """At most so many, evenly spread.

    >>> evenly("abcdefg", 3)
    ['a', 'c', 'e']
    """
    return [texts[place * len(texts) // most] for place in range(most)] if len(texts) > most else list(texts)


def seconds_alone(frozen: FrozenPlan, job: Job) -> list[float]:
    """The seconds of the questions that were timed, but for those that failed now."""
    return [seconds for seconds in _timed(frozen, job).values() if seconds is not None]


def is_timed(frozen: FrozenPlan) -> bool:
    """Whether nothing is left to be timed."""
    return frozen.settings.timing != "alone" or not any(_left(frozen, job) for job in frozen.jobs if job.error is None)


def time_alone(frozen: FrozenPlan) -> None:
    """Time what is left, setup by setup in this process, until the run is to stop. What it finds and answers counts nowhere."""
    left = [(job, _left(frozen, job)) for job in frozen.jobs if job.error is None]
    is_stopped = stopping.stop_sign(frozen.folder)
    with Stage("questions timed alone", sum(len(texts) for _, texts in left)) as stage:
        timed = count(1)
        for job, texts in left:
            path = frozen.folder / job.folder / FILE

            def keep(record: Record, path: Path = path) -> None:
                seconds = record.seconds if record.status != "failed" else None
                files.append_line(path, {"question": record.question, "seconds": seconds})
                stage.at(next(timed))

            asked = takewhile(lambda _: not is_stopped(), ((text, 0) for text in texts))
            if not texts or is_stopped():
                continue
            try:
                index = open_index(frozen, job)
                vectors = {each: open_queries(frozen, job, each) for each in job.setup.query_embedders}
                list(index.documents.values())  # read now, or the first setup would pay for all that come after it
                run(job.setup, index, asked, vectors, keep)
            except (RagsweepError, OSError, ValueError) as error:  # the report stands without these times
                say(f"warning: {job.name} is not timed alone: {error}")


def _left(frozen: FrozenPlan, job: Job) -> list[str]:
    done = _timed(frozen, job)
    return [text for text in timed_questions(frozen, job) if text not in done]


def _timed(frozen: FrozenPlan, job: Job) -> dict[str, float | None]:
    return {row["question"]: row["seconds"] for row in files.read_lines(frozen.folder / job.folder / FILE)}
