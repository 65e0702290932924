"""What a setup is worth: the means over its questions."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import astuple
from math import fsum
from typing import Literal

import numpy as np

from ragsweep.evaluation.judged import judged
from ragsweep.evaluation.usage import total
from ragsweep.results import Characters, Context, Description, Grades, Means, Reranking, Result, Score, View
from ragsweep.types import Status

REFUSALS: frozenset[Status] = frozenset({"abstained", "gave_up"})


def result(
    setup: Description,
    scores: Sequence[Score],
    error: str | None = None,
    *,
    missing: int = 0,
    part: bool = False,
    seconds: Sequence[float] | None = None,
) -> Result:
    """The result of ``setup`` over the scores of all its questions, in question order.

    Retrieval means and Answered are over the answerable questions, failed ones as 0; Steps, Words, p50 and p95 over the
    questions that ran (percentiles by linear interpolation, seconds). ``error`` says that the setup itself broke: its questions
    that were never asked are failed scores. ``missing`` of the failed scores stand for questions without a record.
    ``seconds`` of questions that were timed apart take the place of those of ``scores``.
    ``part`` says that these are some of the questions of a setup that ran: where all of them failed the means are 0.
    """
    ran = [score for score in scores if score.status != "failed"]
    answerable = [score for score in scores if score.final is not None]
    unanswerable = [score for score in scores if score.final is None]
    seconds = [score.seconds for score in ran] if seconds is None else seconds
    means = bool(ran) or part
    return Result(
        setup=setup,
        status="unfinished" if missing else _status(len(ran), len(scores), error),
        n_ok=len(ran),
        n=len(scores),
        missing=missing,
        final=_means([score.final for score in answerable if score.final]) if means else None,
        retrieved=_means([score.retrieved for score in answerable if score.retrieved]) if means else None,
        answered=_mean([score.status == "answered" for score in answerable]) if means and setup.generates else None,
        refused=sum(score.status in REFUSALS for score in unanswerable) if means and setup.generates else None,
        unanswerable=len(unanswerable),
        steps=_mean([score.steps for score in ran]),
        words=_mean([score.words for score in ran]),
        p50_s=float(np.percentile(seconds, 50)) if seconds else None,
        p95_s=float(np.percentile(seconds, 95)) if seconds else None,
        capped=sum(score.final.capped for score in answerable if score.final),
        dropped=sum(score.dropped for score in scores),
        empty=sum(score.status == "empty" for score in scores),
        cut=sum(score.status == "cut" for score in scores),
        missed=tuple(score.question_id for score in answerable if score.final and not score.final.hit),
        looks=tuple(score for score in scores if needs_a_look(score)),
        usage=total(score.usage for score in scores),
        error=error or (None if ran else next((score.error for score in scores if score.error), None)),
        retrieved_at=_at_cuts(answerable) if means else {},
        reranking=_reranking([score.reranking for score in answerable if score.reranking]) if means else None,
        context=_context([score.context for score in answerable if score.context]) if means else None,
        grades=_grades([score.grades for score in answerable if score.grades]) if means else None,
        refused_wrongly=_mean([score.status in REFUSALS for score in answerable]) if means and setup.generates else None,
        ledger=Counter(end for score in scores for end in score.ends),
        judged=judged(scores) if means else None,
        counted=_counted(answerable) if ran else {},
    )


def needs_a_look(score: Score) -> bool:
    """Whether a person should look at the question: it failed, it is answerable and was not fully found or not answered, or it
    is unanswerable and was answered all the same. One without a record waits to be asked."""
    if score.status == "failed":
        return not score.missing
    if score.final is None:
        return score.status not in REFUSALS and score.status != "searched"
    return score.final.recall < 1 or score.status not in ("answered", "searched")


def _status(ran: int, asked: int, error: str | None) -> Literal["ok", "partial", "failed"]:
    if error or not ran:
        return "failed"
    return "ok" if ran == asked else "partial"


def _mean(values: Sequence[float]) -> float | None:
    # fsum: the mean does not depend on the order of the questions.
    return fsum(values) / len(values) if values else None


def _means(views: Sequence[View]) -> Means | None:
    if not views:
        return None

    def mean(metric: Callable[[View], float]) -> float:
        return fsum(map(metric, views)) / len(views)

    return Means(
        recall=mean(lambda view: view.recall),
        mrr=mean(lambda view: view.rr),
        ndcg=mean(lambda view: view.ndcg),
        hit=mean(lambda view: view.hit),
        all=mean(lambda view: view.all),
        precision=mean(lambda view: view.precision),
    )


def _at_cuts(answerable: Sequence[Score]) -> dict[int, Means]:
    cuts = answerable[0].retrieved_at if answerable else {}
    means = {k: _means([score.retrieved_at[k] for score in answerable]) for k in cuts}
    return {k: mean for k, mean in means.items() if mean}


def _reranking(found: Sequence[Reranking[View]]) -> Reranking[Means] | None:
    before, after = _means([each.before for each in found]), _means([each.after for each in found])
    if before is None or after is None:
        return None
    return Reranking(before, after, sum(each.gained for each in found), sum(each.lost for each in found))


def _context(found: Sequence[Context]) -> Context | None:
    precision = _mean([each.precision for each in found])
    if precision is None:
        return None
    columns = list(zip(*(astuple(each.characters) for each in found if each.characters), strict=True))
    means = Characters(*(fsum(column) / len(column) for column in columns)) if columns else None
    return Context(precision, sum(each.copies for each in found), means)


def _counted(answerable: Sequence[Score]) -> dict[str, int]:
    """How many questions have what not every question has."""
    contexts, graded = (
        [each.context for each in answerable if each.context],
        [each.grades for each in answerable if each.grades],
    )
    return {
        "characters": sum(each.characters is not None for each in contexts),
        "exact_match": sum(each.exact_match is not None for each in graded),
        "facts": sum(each.facts is not None for each in graded),
    }


def _grades(found: Sequence[Grades]) -> Grades | None:
    """Each mean over the questions that have it."""
    if not found:
        return None
    columns = [[value for value in column if value is not None] for column in zip(*map(astuple, found), strict=True)]
    return Grades(*map(_mean, columns))
