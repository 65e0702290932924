"""Character recall, precision, IoU and precision-omega: how much of what is given is evidence, and how much could be?

As defined by Smith and Troynikov, "Evaluating Chunking Strategies for Retrieval" (Chroma, 2024), and computed by their program;
all characters count, white space too. Evidence here are quotes and spans, one place each.
"""

from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import TypeAlias

from ragsweep.results import Characters
from ragsweep.types import Span

Passage: TypeAlias = tuple[str, int, int]
"""A span of a document: its id, start and end."""


def characters(given: Sequence[Passage], evidence: Sequence[Passage]) -> Characters:
    """The characters of ``evidence`` in what is ``given``, as a share of the evidence, of all that is given, and of both.

    What several chunks hold counts once as evidence, and in each chunk as given. Nothing given is 0 throughout.

    >>> characters([("a", 0, 10), ("a", 5, 15)], [("a", 8, 20)])
    Characters(recall=0.5833333333333334, precision=0.35, iou=0.28)
    """
    covered, needed = _length(_shared(given, evidence)), _length(evidence)
    size = sum(end - start for _, start, end in given)
    return Characters(covered / needed, covered / size if size else 0.0, covered / (size + needed - covered))


def precision_omega(chunks: Iterable[Passage], evidence: Sequence[Passage]) -> float:
    """The precision of a search that returns just the chunks which touch the evidence: their share of it, each character once.

    A chunk that only borders on the evidence touches it. Evidence in no chunk counts as given.

    >>> precision_omega([("a", 0, 10), ("a", 10, 30), ("a", 31, 50)], [("a", 12, 22)])
    0.5
    """
    touching = [chunk for chunk in chunks if any(_touch(chunk, place) for place in evidence)]
    return _length(_shared(touching, evidence)) / _length([*touching, *evidence])


def _touch(one: Passage, other: Passage) -> bool:
    return one[0] == other[0] and one[1] <= other[2] and other[1] <= one[2]


def _shared(passages: Iterable[Passage], others: Sequence[Passage]) -> list[Passage]:
    """What each pair has in common."""
    pairs = [(one, other) for one in passages for other in others if _touch(one, other)]
    return [(one[0], max(one[1], other[1]), min(one[2], other[2])) for one, other in pairs]


def _length(passages: Iterable[Passage]) -> int:
    """Characters in any of them."""
    return sum(_united((start, end) for _, start, end in each) for _, each in groupby(sorted(passages), lambda one: one[0]))


def _united(spans: Iterable[Span]) -> int:
    """Characters in any of the spans, which ascend."""
    length = reached = 0
    for start, end in spans:
        length += max(0, end - max(start, reached))
        reached = max(reached, end)
    return length
