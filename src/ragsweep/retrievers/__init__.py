"""Ranking the chunks of an index for a query: one retriever a file, and the cut that they share."""

from collections.abc import Sequence

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
    seen = Kept(dedupe)
    dropped: Ranking = []
    below: Ranking = []  # copies below the last kept hit so far
    for place, score in ranking:
        if len(kept) == top_k:
            break
        here = index.words(place)
        if seen.has_copy_of(here):
            below.append((place, score))
            continue
        kept.append((place, score))
        seen.add(here)
        dropped, below = dropped + below, []
    return kept, dropped


def keyword_settings(retriever: Retriever, reranker: Reranker) -> Bm25:
    """The settings of the keyword index that a setup builds: those of its retriever, else of its reranker's language."""
    settings = getattr(retriever, "bm25", retriever)
    return settings if isinstance(settings, Bm25) else Bm25(language=getattr(reranker, "language", Bm25.language))
