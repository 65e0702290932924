"""The loss ledger: each required evidence of each question ends in one place, the first that applies."""

from collections.abc import Sequence
from dataclasses import dataclass

from ragsweep.results import End
from ragsweep.types import Status


@dataclass(frozen=True, slots=True)
class Trail:
    """How far an evidence came: each says whether that list finds it, by the match rule and whatever the others say."""

    reachable: bool
    """By any choice of chunks at the cut of the final view."""
    retrieved: bool
    with_copies: bool
    """By the retrieved hits and the copies that were left out of them, together."""
    kept: bool
    """By the reranked list, cut at top_n."""
    given: bool
    """By the final hits: none after giving up, and as many as ``context_words`` has room for."""
    cited: bool
    """By the cited ones of these alone."""


def end_of(trail: Trail, status: Status) -> End:
    """Where the evidence ended.

    >>> end_of(Trail(True, retrieved=True, with_copies=True, kept=False, given=False, cited=False), "answered")
    'reranking'
    """
    places: Sequence[tuple[bool, End]] = (
        (status == "failed", "failed"),
        (not trail.reachable, "not_reachable"),
        (not trail.retrieved and trail.with_copies, "copy"),
        (not trail.retrieved, "not_retrieved"),
        (not trail.kept, "reranking"),
        (not trail.given, "withheld"),
        (status == "searched", "found"),
        (status in ("abstained", "gave_up"), "abstained"),
        (not trail.cited, "not_cited"),
        (True, "cited"),
    )
    return next(end for applies, end in places if applies)
