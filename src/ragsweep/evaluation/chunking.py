"""What a chunking makes possible before anything is searched."""

from collections.abc import Callable, Mapping, Sequence
from math import fsum, sqrt

import numpy as np

from ragsweep.evaluation.requirements import requirements
from ragsweep.evaluation.stages import passages
from ragsweep.index.chunks import Chunks
from ragsweep.metrics.characters import Passage, precision_omega
from ragsweep.results import ChunkingScore
from ragsweep.types import Document, Question


def chunking_score(
    chunks: Chunks, words: Sequence[int], questions: Sequence[Question], documents: Mapping[str, Document]
) -> ChunkingScore:
    """The sizes of the chunks (``words`` of each), and how they fit the quotes and spans of the answerable questions."""
    asked = [question for question in questions if question.answerable]
    cut = [each for question in asked for each in question.evidence if each.kind in ("quote", "span")]
    required = requirements(chunks, documents, "single")
    omegas = precision_omegas(chunks, asked)
    mean = fsum(omegas) / len(omegas) if omegas else None
    return ChunkingScore(
        least_words=min(words),
        median_words=float(np.median(words)),
        most_words=max(words),
        whole=sum(bool(required(each)) for each in cut) / len(cut) if cut else None,
        precision_omega=mean,
        precision_omega_std=sqrt(fsum((omega - mean) ** 2 for omega in omegas) / len(omegas)) if mean is not None else None,
    )


def precision_omegas(chunks: Chunks, questions: Sequence[Question]) -> list[float]:
    """Precision-omega of each question whose evidence are quotes and spans.

    Of a quote that stands in several places the one counts that the chunks fit best, the first among equals.
    """
    around = _around(chunks)

    def fit(place: Passage) -> float:
        return precision_omega(around(place), [place])

    found = []
    for question in questions:
        if question.evidence and all(each.kind in ("quote", "span") for each in question.evidence):
            alternatives = (passages(each) for each in question.evidence)
            places = [options[0] if len(options) == 1 else max(options, key=fit) for options in alternatives]
            near = {chunk for place in places for chunk in around(place)}
            found.append(precision_omega(near, places))
    return found


def _around(chunks: Chunks) -> Callable[[Passage], list[Passage]]:
    """A function from a place to the chunks that touch it: neighbours, as starts and ends of chunks strictly increase."""
    order = {id: place for place, id in enumerate(chunks.documents)}
    firsts = np.searchsorted(chunks.spans[:, 0], np.arange(len(chunks.documents) + 1))

    def around(place: Passage) -> list[Passage]:
        id, start, end = place
        if id not in order:
            return []
        first, after = firsts[order[id]], firsts[order[id] + 1]
        own = chunks.spans[first:after]
        touching = own[np.searchsorted(own[:, 2], start, "left") : np.searchsorted(own[:, 1], end, "right"), 1:]
        return [(id, *span) for span in touching.tolist()]

    return around
