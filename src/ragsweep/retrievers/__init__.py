"""Ranking the chunks of an index for a query: one retriever a file, and the cut that they share."""

from collections.abc import Callable, Sequence

from ragsweep.index import Index
from ragsweep.parts import QueryVectors, Ranking, Reranker, Retriever
from ragsweep.retrievers.bm25 import Bm25
from ragsweep.retrievers.fusion import rrf
from ragsweep.text.copies import Kept
from ragsweep.types import Hit


def retrieve(
    retriever: Retriever, index: Index, queries: Sequence[str], vectors: QueryVectors, top_k: int, dedupe: float | None
) -> tuple[list[Hit], list[Hit]]:
    """The top_k hits of a query, or of the parts of a question, and the near-copies left out above the last of them.

    Several lists are fused by reciprocal rank (k 60). A chunk whose shingles reach a Jaccard index of ``dedupe`` (in (0, 1],
    None keeps all) with an earlier hit is left out; the list is asked for at greater depth until top_k are kept or it ends.
    """
    depth = top_k
    while True:
        lists = [retriever.rank(index, query, vectors, depth, top_k) for query in queries]
        ranking = lists[0] if len(lists) == 1 else rrf([part[:depth] for part in lists], [1.0] * len(lists))
        kept, dropped = _without_copies(index, ranking, top_k, dedupe)
        if len(kept) == top_k or all(len(part) < depth for part in lists):
            return [index.hit(place, score) for place, score in kept], [index.hit(place, score) for place, score in dropped]
        depth *= 2


def _without_copies(index: Index, ranking: Ranking, top_k: int, dedupe: float | None) -> tuple[Ranking, Ranking]:
    if dedupe is None:
        return ranking[:top_k], []
    kept: Ranking = []
    is_copy = _copies(index, dedupe)
    dropped: Ranking = []
    below: Ranking = []  # copies below the last kept hit so far
    for place, score in ranking:
        if len(kept) == top_k:
            break
        if is_copy(place):
            below.append((place, score))
            continue
        kept.append((place, score))
        dropped, below = dropped + below, []
    return kept, dropped


def _copies(index: Index, dedupe: float) -> Callable[[int], bool]:
    """Says of one place after another whether it holds a copy of an earlier one; at 1 that may be known of all chunks."""
    known, firsts, kept = index.first_equals if dedupe == 1 else None, set[int](), Kept(dedupe)

    def is_copy(place: int) -> bool:
        if known is not None:
            before = len(firsts)
            firsts.add(known.item(place))
            return len(firsts) == before
        words = index.words(place)
        found = kept.has_copy_of(words)
        if not found:
            kept.add(words)
        return found

    return is_copy


def keyword_settings(retriever: Retriever, reranker: Reranker) -> Bm25:
    """The settings of the keyword index that a setup builds: those of its retriever, else of its reranker's language."""
    settings = getattr(retriever, "bm25", retriever)
    return settings if isinstance(settings, Bm25) else Bm25(language=getattr(reranker, "language", Bm25.language))
