"""A ranked list of a question beside the evidence: the common ground of everything that is scored."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeAlias

from ragsweep.metrics.all import all_found
from ragsweep.metrics.gains import found_ranks, gains, matches
from ragsweep.metrics.hit import hit
from ragsweep.metrics.mrr import reciprocal_rank
from ragsweep.metrics.ndcg import ndcg, uncapped_ndcg
from ragsweep.metrics.precision import precision
from ragsweep.metrics.recall import recall
from ragsweep.results import View
from ragsweep.types import Document, Hit, Match, Question


@dataclass(frozen=True, slots=True)
class Ranked:
    """Hits, best first, with the rank that finds each evidence (None: none does) and whether each hit holds any."""

    hits: Sequence[Hit]
    ranks: Sequence[int | None]
    matching: Sequence[bool]

    @property
    def finds(self) -> list[bool]:
        """For each evidence whether the list finds it."""
        return [rank is not None for rank in self.ranks]

    def first(self, depth: int) -> "Ranked":
        """The list cut off."""
        ranks = [rank if rank is not None and rank <= depth else None for rank in self.ranks]
        return Ranked(self.hits[:depth], ranks, self.matching[:depth])

    def view(self, k: int) -> View:
        """The metrics at k, whatever the number of hits."""
        depth = min(k, len(self.hits))
        return _view(tuple(gains(self.ranks, depth)), tuple(self.matching[:depth]), len(self.ranks), k)


@lru_cache(maxsize=4096)
def _view(gained: Sequence[int], matching: Sequence[bool], needed: int, k: int) -> View:
    """Most lists look like one before: they have few hits, and find little."""
    return View(
        recall=recall(gained, needed, k),
        rr=reciprocal_rank(gained, k),
        ndcg=ndcg(gained, needed, k),
        hit=hit(gained, k),
        all=all_found(gained, needed, k),
        precision=precision(matching, k),
        capped=uncapped_ndcg(gained, needed, k) > 1,
    )


Rank: TypeAlias = Callable[[Sequence[Hit]], Ranked]
"""Hits as a ranked list of one question."""


def ranker(question: Question, documents: Mapping[str, Document], match: Match) -> Rank:
    """What makes ranked lists of one question."""

    def rank(hits: Sequence[Hit]) -> Ranked:
        evidence = question.evidence
        return Ranked(hits, found_ranks(hits, evidence, documents, match), matches(hits, evidence, documents))

    return rank
