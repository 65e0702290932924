"""What the vectors of a chunking are worth by themselves, whatever a setup makes of them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import fsum
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import numpy.typing as npt

from ragsweep.evaluation.ranked import ranker
from ragsweep.evaluation.requirements import touching
from ragsweep.index import Dense, Index, best
from ragsweep.parts import Need, QueryVectors, Ranking
from ragsweep.results import EmbeddingScore, View
from ragsweep.retrievers import retrieve
from ragsweep.types import Match, Question

if TYPE_CHECKING:
    from ragsweep.types import Matrix

NONE: Any = None
"""No vectors of queries: their scores are already there."""
BLOCK = 64
"""Questions whose scores are computed at once: one product for all of them costs a tenth of one for each."""


def embedding_score(
    index: Index,
    questions: Sequence[Question],
    vectors: "Matrix",
    top_k: int,
    dedupe: float | None,
    match: Match = "union",
    searched: Sequence[View] | None = None,
) -> EmbeddingScore:
    """Recall and MRR at ``top_k`` of searching by the vectors alone, copies left out by ``dedupe``, and the margin.

    ``questions`` are answerable, at least one; ``vectors`` has shape (q, d), a row each. See ``margin``. ``searched`` are the
    views of the questions, in their order, where somebody has searched so already.
    """
    margins, views = list[float | None](), list(searched or ())
    evidence_of = touching(index.chunks, index.documents)
    for question, scores in zip(questions, _scores(index.dense, vectors), strict=True):
        if searched is None:
            hits, _ = retrieve(_Scored(scores[index.dense.rows]), index, [question.text], NONE, top_k, dedupe)
            views.append(ranker(question, index.documents, match)(hits).view(top_k))
        places = [place for evidence in question.evidence for span in evidence_of(evidence) for place in range(*span)]
        margins.append(margin(scores, index.dense.rows[places]))
    known = [each for each in margins if each is not None]
    return EmbeddingScore(
        recall=fsum(view.recall for view in views) / len(views),
        mrr=fsum(view.rr for view in views) / len(views),
        margin=fsum(known) / len(known) if known else None,
        margin_questions=len(known),
    )


def margin(scores: npt.NDArray[Any], evidence: npt.NDArray[np.int64]) -> float | None:
    """The best of the ``scores`` that belong to ``evidence`` less the best of the others; None where there are none of either.

    ``scores`` are those of distinct texts, so that a copy of an evidence, which no embedder could tell from it, is no other.

    >>> round(margin(np.array([0.5, 0.75, 0.25]), np.array([0])), 6)
    -0.25
    """
    others = np.ones(len(scores), np.bool_)
    others[evidence] = False
    if not len(evidence) or not others.any():
        return None
    return float(scores[evidence].max()) - float(scores[others].max())


def _scores(dense: Dense, vectors: "Matrix") -> Iterator[npt.NDArray[Any]]:
    """For each question the cosine of each distinct text, shape (u,)."""
    for start in range(0, len(vectors), BLOCK):
        yield from vectors[start : start + BLOCK] @ dense.vectors.T


@dataclass(frozen=True, eq=False)
class _Scored:
    """Ranks by scores of the chunks, shape (n,), as retriever=dense does."""

    scores: npt.NDArray[Any]

    version: ClassVar[int] = 1
    needs: ClassVar[frozenset[Need]] = frozenset()

    def rank(self, index: Index, query: str, vectors: QueryVectors, depth: int, top_k: int) -> Ranking:
        return best(self.scores, depth)
