"""The floor: the Recall of ranking the chunks at random."""

from collections.abc import Mapping, Sequence
from functools import cache
from math import fsum

import numpy as np
import numpy.typing as npt

from ragsweep.evaluation.requirements import requirements
from ragsweep.index.chunks import Chunks
from ragsweep.text.words import count_words
from ragsweep.types import Document, Evidence, Match, Question

SHUFFLES = 200


def floor(
    chunks: Chunks,
    questions: Sequence[Question],
    documents: Mapping[str, Document],
    k: int,
    match: Match = "union",
    context_words: int | None = None,
) -> float:
    """Mean Recall@k, 0..1, of ``SHUFFLES`` seeded shuffles of the chunks over the answerable questions (at least one).

    With ``context_words`` each shuffle ends before the chunk that would go over them.
    """
    # RandomState is frozen (NEP 19): the same shuffles with every version of numpy.
    random = np.random.RandomState(0)
    drawn = np.array([random.permutation(len(chunks))[:k] for _ in range(SHUFFLES)])
    if context_words is not None:
        words = np.array([count_words(text) for text in chunks.texts(documents)])
        drawn[words[drawn].cumsum(axis=1) > context_words] = -1
    required = requirements(chunks, documents, match)

    @cache
    def found(evidence: Evidence) -> float:
        """The share of the shuffles that find it."""
        alternatives = [np.all([_any_of(drawn, *span) for span in spans], axis=0) for spans in required(evidence)]
        return float(np.mean(np.any(alternatives, axis=0))) if alternatives else 0.0

    recalls = [fsum(map(found, question.evidence)) / len(question.evidence) for question in questions if question.answerable]
    return fsum(recalls) / len(recalls)


def _any_of(drawn: npt.NDArray[np.int64], first: int, end: int) -> npt.NDArray[np.bool_]:
    """For each shuffle whether it drew a chunk in first..end."""
    return np.asarray(((drawn >= first) & (drawn < end)).any(axis=1))
