"""Which rank finds which evidence.

An evidence is found once, at the first rank at which the hits so far satisfy one of its places, so copies never help.
"""

from collections.abc import Mapping, Sequence

from ragsweep.types import Document, Evidence, Hit, Match, Place, Span


def found_ranks(
    hits: Sequence[Hit], evidence: Sequence[Evidence], documents: Mapping[str, Document], match: Match = "union"
) -> list[int | None]:
    """For each evidence the 1-based rank that finds it, None when no hit does.

    A quote or span is found when all its non-space characters lie in the hits up to that rank together (``union``), or in
    one hit (``single``).
    """
    return [_found_rank(hits, item, documents, match) for item in evidence]


def gains(ranks: Sequence[int | None], depth: int) -> list[int]:
    """The number of evidences found for the first time at ranks 1..depth.

    >>> gains([3, None, 1, 3], depth=4)
    [1, 0, 2, 0]
    """
    counts = [0] * depth
    for rank in ranks:
        if rank is not None and rank <= depth:
            counts[rank - 1] += 1
    return counts


def matches(hits: Sequence[Hit], evidence: Sequence[Evidence], documents: Mapping[str, Document]) -> list[bool]:
    """For each hit whether it belongs to any evidence: for quotes and spans, whether it shares a non-space character."""
    places = [(item, place) for item in evidence for place in item.places]
    return [
        any(hit.document == place.document and _touches(hit, item, place, documents) for item, place in places) for hit in hits
    ]


def _found_rank(hits: Sequence[Hit], evidence: Evidence, documents: Mapping[str, Document], match: Match) -> int | None:
    uncovered = [[(place.start, place.end)] for place in evidence.places]
    for rank, hit in enumerate(hits, start=1):
        for number, place in enumerate(evidence.places):
            if hit.document != place.document or not _touches(hit, evidence, place, documents):
                continue
            if evidence.kind not in ("quote", "span"):
                return rank
            left = _without(uncovered[number], hit)
            if not any(_has_text(documents[place.document].text, span) for span in left):
                return rank
            if match == "union":
                uncovered[number] = left
    return None


def _touches(hit: Hit, evidence: Evidence, place: Place, documents: Mapping[str, Document]) -> bool:
    """Of a hit and a place in one document."""
    if evidence.kind == "file":
        return True
    if evidence.kind == "chunk":
        return hit.number == place.chunk
    start = hit.start if hit.start > place.start else place.start
    end = hit.end if hit.end < place.end else place.end
    return start < end and _has_text(documents[place.document].text, (start, end))


def _without(spans: list[Span], hit: Hit) -> list[Span]:
    """The parts of ``spans`` that lie before or behind the hit."""
    parts = [part for start, end in spans for part in ((start, min(end, hit.start)), (max(start, hit.end), end))]
    return [(start, end) for start, end in parts if start < end]


def _has_text(text: str, span: Span) -> bool:
    return not (text[slice(*span)].isspace() or span[0] == span[1])
