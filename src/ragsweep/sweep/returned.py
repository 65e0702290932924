"""Contexts that a retriever brought along, over all questions of a setup: what is not known of them, and what is to be said."""

from collections.abc import Iterator, Mapping, Sequence

from ragsweep.contexts.locating import not_known, said_of, without_places
from ragsweep.setups import Setup
from ragsweep.sweep.describe import count
from ragsweep.types import Question, Record

NEVER_KNOWN = ("chunking", "embedding")
"""What nobody knows of a system that cuts and searches by itself."""


def contexts_of(record: Record) -> Mapping[str, int]:
    """How many contexts its last search left, by what they were (``Incoming.counts``)."""
    came: list[Mapping[str, int]] = [step.outcome["contexts"] for step in record.steps if "contexts" in step.outcome]
    return came[-1] if came else {}


def unknown(setup: Setup, counts: Mapping[str, int], questions: Sequence[Question]) -> tuple[str, ...]:
    """What is left out of the row of a setup, by name; nothing of one whose chunks are ours."""
    if setup.chunker is not None:
        return ()
    places = ("places",) if without_places(counts, counts.get("returned", 0), questions) else ()
    return (*NEVER_KNOWN, *not_known(counts), *places)


def notices(name: str, setup: Setup, counts: Mapping[str, int]) -> Iterator[str]:
    """What is to be known of a setup's contexts, as of those of a recorded run."""
    said: Sequence[str] = list(said_of(counts, counts.get("returned", 0)))
    if over := counts.get("over"):
        said = [
            *said,
            f"{count(over, 'search', 'es')} brought more than k={setup.top_k} contexts: the first {setup.top_k} count",
        ]
    if unsorted := counts.get("unsorted"):
        order = "are not in the order of their scores: the order sent counts"
        said = [*said, f"the contexts of {count(unsorted, 'search', 'es')} {order}"]
    yield from (f"{name}: {each}" for each in said)
