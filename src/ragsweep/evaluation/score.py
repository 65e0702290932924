"""What one recorded question is worth: a pure function of the record, the question and the documents."""

from collections.abc import Mapping, Sequence
from functools import lru_cache

from ragsweep.metrics.all import all_found
from ragsweep.metrics.gains import found_ranks, gains, matches
from ragsweep.metrics.hit import hit
from ragsweep.metrics.mrr import reciprocal_rank
from ragsweep.metrics.ndcg import ndcg, uncapped_ndcg
from ragsweep.metrics.precision import precision
from ragsweep.metrics.recall import recall
from ragsweep.text.words import count_words
from ragsweep.types import Document, Match, Question, Record, Score, View

words_of = lru_cache(maxsize=4096)(count_words)
"""The words of a chunk's text: the same few chunks are final hits again and again."""


def score(
    record: Record, question: Question, documents: Mapping[str, Document], top_k: int, top_n: int, match: Match = "union"
) -> Score:
    """Score the final hits at k = ``top_n`` and the retrieved ones at k = ``top_k``, whatever the number that came back.

    A failed question is 0 in both views and has found nothing, however far it got. An unanswerable one has no view.
    """
    failed = record.status == "failed"
    final, retrieved = ((), ()) if failed else (record.final[:top_n], record.retrieved[:top_k])
    final_ranks, retrieved_ranks = (found_ranks(hits, question.evidence, documents, match) for hits in (final, retrieved))
    labelled = [(evidence.label, rank) for evidence, rank in zip(question.evidence, final_ranks, strict=True)]
    return Score(
        question_id=question.id,
        question=question.text,
        task_type=question.task_type,
        status=record.status,
        answer=record.answer.text if record.answer else None,
        final=_view(final_ranks, matches(final, question.evidence, documents), top_n) if question.answerable else None,
        retrieved=_view(retrieved_ranks, matches(retrieved, question.evidence, documents), top_k)
        if question.answerable
        else None,
        found=tuple(label for label, rank in labelled if rank is not None),
        missed=tuple(label for label, rank in labelled if rank is None),
        words=sum(words_of(documents[chunk.document].text[chunk.start : chunk.end]) for chunk in final),
        steps=len(record.steps),
        dropped=record.dropped,
        seconds=record.seconds,
        error=record.error,
    )


def _view(ranks: Sequence[int | None], matching: Sequence[bool], k: int) -> View:
    gained, needed = gains(ranks, depth=min(k, len(matching))), len(ranks)
    return View(
        recall=recall(gained, needed, k),
        rr=reciprocal_rank(gained, k),
        ndcg=ndcg(gained, needed, k),
        hit=hit(gained, k),
        all=all_found(gained, needed, k),
        precision=precision(matching, k),
        capped=uncapped_ndcg(gained, needed, k) > 1,
    )
