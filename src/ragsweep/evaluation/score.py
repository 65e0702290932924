"""What one recorded question is worth: a pure function of the record, the question and the documents."""

from collections.abc import Mapping

from ragsweep.contexts.outside import extended
from ragsweep.evaluation.ranked import ranker
from ragsweep.evaluation.stages import Lists, Rules, context, ends, grades, reranking, words_of
from ragsweep.evaluation.usage import usage
from ragsweep.results import Score
from ragsweep.types import Document, Hit, Match, Question, Record

USUAL = Rules()


def score(
    record: Record,
    question: Question,
    documents: Mapping[str, Document],
    top_k: int,
    top_n: int,
    match: Match = "union",
    rules: Rules = USUAL,
) -> Score:
    """Score the final hits at k = ``top_n`` and the retrieved ones at k = ``top_k``, whatever the number that came back.

    A failed question is 0 in every view and has found nothing, however far it got. An unanswerable one has no view.
    """

    documents = extended(documents, record.outside)

    def text(hit: Hit) -> str:
        return documents[hit.document].text[hit.start : hit.end]

    def words(hit: Hit) -> int:
        return words_of(text(hit)) if hit.words is None else hit.words

    lists = Lists.of(record, ranker(question, documents, match), top_k, top_n)
    final, retrieved, scored = lists.final, lists.retrieved, question.answerable
    given = [text(hit) for hit in final.hits]
    return Score(
        question_id=question.id,
        question=question.text,
        task_type=question.task_type,
        status=record.status,
        answer=record.answer.text if record.answer else None,
        final=final.view(top_n) if scored else None,
        retrieved=retrieved.view(top_k) if scored else None,
        found=tuple(each.label for each, found in zip(question.evidence, final.finds, strict=True) if found),
        missed=tuple(each.label for each, found in zip(question.evidence, final.finds, strict=True) if not found),
        words=sum(map(words, final.hits)),
        steps=len(record.steps),
        dropped=len(record.copies),
        seconds=record.seconds,
        error=record.error,
        repeat=record.repeat,
        retrieved_at={k: retrieved.view(k) for k in rules.score_at if k <= top_k} if scored else {},
        reranking=reranking(lists, top_n, words, rules.context_words) if scored else None,
        context=context(final, given, question) if scored else None,
        grades=grades(record, lists.cited, question, given, rules.language) if scored and rules.generates else None,
        ends=ends(record, question, lists, rules),
        usage=usage(record, rules.prices),
    )
