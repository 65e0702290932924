"""The ceiling: the best Recall that any ranking of the chunks could reach."""

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from math import fsum

from ragsweep.evaluation.requirements import Requirements, fewest_chunks, requirements
from ragsweep.index.chunks import Chunks
from ragsweep.text.words import count_words
from ragsweep.types import Document, Evidence, Match, Question

SEARCHED = 12
"""Largest number of requirements for which every choice of chunks is searched."""


def ceiling(
    chunks: Chunks,
    questions: Sequence[Question],
    documents: Mapping[str, Document],
    k: int,
    match: Match = "union",
    context_words: int | None = None,
) -> tuple[float, bool]:
    """Mean best Recall@k, 0..1, over the answerable questions (at least one), and whether it is exact.

    When it is not, some question's value is an upper bound. With ``context_words`` the k chunks must fit into them.
    """
    required = requirements(chunks, documents, match)
    room = Room.of(chunks, documents, k, context_words)
    best = [
        _most_found([required(evidence) for evidence in question.evidence], room)
        for question in questions
        if question.answerable
    ]
    needed = [len(question.evidence) for question in questions if question.answerable]
    recalls = [found / size for (found, _), size in zip(best, needed, strict=True)]
    return fsum(recalls) / len(recalls), all(exact for _, exact in best)


def reachable(
    chunks: Chunks, documents: Mapping[str, Document], k: int, match: Match = "union", context_words: int | None = None
) -> Callable[[Evidence], bool]:
    """Whether any k chunks that fit into ``context_words`` find an evidence; asked again, it is not looked up again."""
    required = requirements(chunks, documents, match)
    room = Room.of(chunks, documents, k, context_words)
    return cache(lambda evidence: _most_found([required(evidence)], room)[0] == 1)


@dataclass(frozen=True)
class Room:
    """How many chunks there may be, and how many words together; ``sizes`` are the words of the chunks, by place."""

    chunks: int
    words: int | None = None
    sizes: Sequence[int] = ()

    @classmethod
    def of(cls, chunks: Chunks, documents: Mapping[str, Document], k: int, context_words: int | None) -> "Room":
        """The room for k chunks, which have to fit into ``context_words``."""
        if context_words is None:
            return cls(k)
        return cls(k, context_words, [count_words(text) for text in chunks.texts(documents)])

    def least(self, first: int, end: int) -> int:
        """The words of the smallest chunk of a range, as far as words count."""
        return min(self.sizes[first:end]) if self.words is not None else 0

    def fits(self, words: int) -> bool:
        """Whether there is room for so many words."""
        return self.words is None or words <= self.words


def _most_found(evidence: Sequence[Requirements], room: Room) -> tuple[int, bool]:
    """The most evidences that chunks in a room can find, and whether that is exact."""
    k = room.chunks
    costs = [min(map(fewest_chunks, alternatives), default=k + 1) for alternatives in evidence]
    reachable = [alternatives for alternatives, cost in zip(evidence, costs, strict=True) if cost <= k]
    if not reachable or (room.words is None and sum(cost for cost in costs if cost <= k) <= k):
        return len(reachable), True
    goals, masks = _as_bits(reachable, room)
    if max(masks).bit_length() <= SEARCHED:
        return _search(goals, masks, room), True
    most = max(sum(any(mask & goal for goal in goal_list) for goal_list in goals) for mask in masks)
    return min(len(reachable), k * most), False


def _as_bits(evidence: Sequence[Requirements], room: Room) -> tuple[list[list[int]], dict[int, int]]:
    """Goals: for each evidence the alternative sets of bits that find it; masks: the bits that one chunk can give, with the
    words of the smallest such chunk.

    A bit is one range, or all alternatives of an evidence whose alternatives are one range each. Between two neighbouring
    ends of ranges all chunks give the same bits.
    """
    bits: list[list[tuple[int, int]]] = []
    goals: list[list[int]] = []
    for alternatives in evidence:
        single = all(len(ranges) == 1 for ranges in alternatives)
        groups = (
            [[[ranges[0] for ranges in alternatives]]] if single else [[[span] for span in ranges] for ranges in alternatives]
        )
        goals.append([])
        for group in groups:
            goals[-1].append(((1 << len(group)) - 1) << len(bits))
            bits.extend(group)
    masks: dict[int, int] = {}
    for start, stop in pairwise(sorted({border for ranges in bits for span in ranges for border in span})):
        mask = sum(1 << bit for bit, ranges in enumerate(bits) if any(first <= start < end for first, end in ranges))
        masks[mask] = min(room.least(start, stop), masks.get(mask, sys.maxsize))
    return goals, masks


def _search(goals: Sequence[Sequence[int]], masks: Mapping[int, int], room: Room) -> int:
    """Maximum coverage: all unions of masks that there is room for, at most 2 ** SEARCHED of them, each at its fewest words."""
    useful = [
        (mask, words)
        for mask, words in masks.items()
        if not any(mask != other and mask & other == mask and fewer <= words for other, fewer in masks.items())
    ]
    unions = {0: 0}
    for _ in range(room.chunks):
        larger = dict(unions)
        for union, words in unions.items():
            for mask, more in useful:
                if room.fits(words + more) and words + more < larger.get(union | mask, sys.maxsize):
                    larger[union | mask] = words + more
        if larger == unions:
            break
        unions = larger
    return max(sum(any(union & goal == goal for goal in alternatives) for alternatives in goals) for union in unions)
