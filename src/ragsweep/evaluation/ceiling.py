"""The ceiling: the best Recall that any ranking of the chunks could reach."""

from collections.abc import Mapping, Sequence
from math import fsum

from ragsweep.evaluation.requirements import Requirements, fewest_chunks, requirements
from ragsweep.index.chunks import Chunks
from ragsweep.types import Document, Match, Question

SEARCHED = 12
"""Largest number of requirements for which every choice of chunks is searched."""


def ceiling(
    chunks: Chunks, questions: Sequence[Question], documents: Mapping[str, Document], k: int, match: Match = "union"
) -> tuple[float, bool]:
    """Mean best Recall@k, 0..1, over the answerable questions (at least one), and whether it is exact.

    When it is not, some question's value is an upper bound.
    """
    required = requirements(chunks, documents, match)
    best = [
        _most_found([required(evidence) for evidence in question.evidence], k) for question in questions if question.answerable
    ]
    needed = [len(question.evidence) for question in questions if question.answerable]
    recalls = [found / size for (found, _), size in zip(best, needed, strict=True)]
    return fsum(recalls) / len(recalls), all(exact for _, exact in best)


def _most_found(evidence: Sequence[Requirements], k: int) -> tuple[int, bool]:
    """The most evidences that k chunks can find, and whether that is exact."""
    costs = [min(map(fewest_chunks, alternatives), default=k + 1) for alternatives in evidence]
    reachable = [alternatives for alternatives, cost in zip(evidence, costs, strict=True) if cost <= k]
    if sum(cost for cost in costs if cost <= k) <= k:
        return len(reachable), True
    goals, masks = _as_bits(reachable)
    if max(masks).bit_length() <= SEARCHED:
        return _search(goals, masks, k), True
    most = max(sum(any(mask & goal for goal in goal_list) for goal_list in goals) for mask in masks)
    return min(len(reachable), k * most), False


def _as_bits(evidence: Sequence[Requirements]) -> tuple[list[list[int]], set[int]]:
    """Goals: for each evidence the alternative sets of bits that find it; masks: the bits that one chunk can give.

    A bit is one range, or all alternatives of an evidence whose alternatives are one range each. Only the first chunk of each
    range is looked at: of the ranges that a chunk lies in, the one that begins last has its first chunk in all of them.
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
    places = {first for ranges in bits for first, _ in ranges}
    masks = {
        sum(1 << bit for bit, ranges in enumerate(bits) if any(first <= place < end for first, end in ranges))
        for place in places
    }
    return goals, masks


def _search(goals: Sequence[Sequence[int]], masks: set[int], k: int) -> int:
    """Maximum coverage: all unions of k masks, at most 2 ** SEARCHED of them."""
    useful = [mask for mask in masks if not any(mask != other and mask & other == mask for other in masks)]
    unions = {0}
    for _ in range(k):
        larger = unions | {union | mask for union in unions for mask in useful}
        if larger == unions:
            break
        unions = larger
    return max(sum(any(union & goal == goal for goal in alternatives) for alternatives in goals) for union in unions)
