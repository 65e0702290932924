"""For every column the smallest case in which a plausible wrong definition crowns the worse setup, and ours does not."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from math import log2
from statistics import fmean
from typing import get_args

import numpy as np
import pytest

from ragsweep.evaluation.ceiling import ceiling
from ragsweep.evaluation.floor import floor
from ragsweep.evaluation.result import result
from ragsweep.evaluation.score import score
from ragsweep.index.chunks import Chunks
from ragsweep.reporting.best import best_line
from ragsweep.reporting.columns import SORTS
from ragsweep.results import Description, Means, Result
from ragsweep.types import Document, Evidence, Hit, Match, Place, Question, Record, Status, Step

DOCUMENTS = {id: Document(id, "one", "") for id in "abcdx"}
K = 3


@dataclass(frozen=True)
class Asked:
    """A question with what it needs and the hits it got, a letter for each file; no needs: unanswerable."""

    needs: str = "a"
    hits: str = "a"
    status: Status = "answered"
    seconds: float = 1
    steps: int = 3


Setup = Sequence[Asked]


def worth(setup: Setup) -> Result:
    scores = []
    for asked in setup:
        evidence = tuple(Evidence("file", id, (Place(id, 0, 3),)) for id in asked.needs)
        hits = tuple(Hit(0, id, 1, 0, 3, score=1 - rank / 10) for rank, id in enumerate(asked.hits))
        steps = tuple(Step("step", asked.seconds / asked.steps, {}, {}) for _ in range(asked.steps))
        record = Record("?", 0, asked.status, hits, hits, steps=steps)
        question = Question("q", "?", evidence, answerable=bool(evidence))
        scores.append(score(record, question, DOCUMENTS, top_k=K, top_n=K))
    return result(Description("id", "name", {}, K, True, "word"), scores)


def ran(setup: Setup) -> list[Asked]:
    return [asked for asked in setup if asked.status != "failed"]


def matching(asked: Asked) -> list[int]:
    """The ranks whose hit is any evidence, copies included."""
    return [rank for rank, id in enumerate(asked.hits, 1) if id in asked.needs]


def found(asked: Asked) -> int:
    return len(set(asked.needs) & set(asked.hits))


# ---- wrong definitions -------------------------------------------------------------------------------------------------


def recall_that_counts_copies(setup: Setup) -> float:
    return fmean(min(1, len(matching(asked)) / len(asked.needs)) for asked in setup)


def recall_of_the_questions_that_ran(setup: Setup) -> float:
    return fmean(found(asked) / len(asked.needs) for asked in ran(setup))


def mrr_of_the_questions_with_a_hit(setup: Setup) -> float:
    return fmean(1 / matching(asked)[0] for asked in setup if matching(asked))


def ndcg_with_the_ideal_of_what_was_found(setup: Setup) -> float:
    def ideal(length: int) -> float:
        return sum(1 / log2(rank + 1) for rank in range(1, length + 1))

    return fmean(sum(1 / log2(rank + 1) for rank in matching(asked)) / ideal(found(asked)) for asked in setup)


def share_with_all(setup: Setup) -> float:
    return fmean(found(asked) == len(asked.needs) for asked in setup)


def share_with_any(setup: Setup) -> float:
    return fmean(found(asked) > 0 for asked in setup)


def precision_of_what_came_back(setup: Setup) -> float:
    return fmean(len(matching(asked)) / len(asked.hits) for asked in setup)


def answered_of_all_questions(setup: Setup) -> float:
    return fmean(asked.status == "answered" for asked in setup)


def refused_of_all_questions(setup: Setup) -> float:
    return fmean(asked.status in ("abstained", "gave_up") for asked in setup)


def refused_without_giving_up(setup: Setup) -> float:
    return fmean(asked.status == "abstained" for asked in setup if not asked.needs)


def steps_of_failed_questions_too(setup: Setup) -> float:
    return fmean(asked.steps for asked in setup)


def words_of_failed_questions_too(setup: Setup) -> float:
    return fmean(0 if asked.status == "failed" else len(asked.hits) for asked in setup)


def words_without_copies(setup: Setup) -> float:
    return fmean(len(set(asked.hits)) for asked in setup)


def mean_seconds(setup: Setup) -> float:
    return fmean(asked.seconds for asked in setup)


def median_of_failed_questions_too(setup: Setup) -> float:
    return float(np.percentile([asked.seconds for asked in setup], 50))


def slowest(setup: Setup) -> float:
    return max(asked.seconds for asked in setup)


def median(setup: Setup) -> float:
    return float(np.percentile([asked.seconds for asked in ran(setup)], 50))


WHOLE, NONE, FAILED = Asked(), Asked(hits="x"), Asked(status="failed", seconds=0.1, steps=1)
HALF = Asked("ab", "a")


@pytest.mark.parametrize(
    ("column", "better", "worse", "wrong"),
    [
        ("recall", [Asked("abc", "ab")], [Asked("abc", "aaa")], recall_that_counts_copies),
        ("recall", [WHOLE, WHOLE, NONE], [WHOLE, FAILED, FAILED], recall_of_the_questions_that_ran),
        ("mrr", [WHOLE, Asked(hits="xa")], [WHOLE, NONE], mrr_of_the_questions_with_a_hit),
        ("ndcg", [Asked("abc", "axb")], [Asked("abc", "a")], ndcg_with_the_ideal_of_what_was_found),
        ("hit", [HALF, HALF], [WHOLE, NONE], share_with_all),
        ("all", [WHOLE, NONE], [HALF, HALF], share_with_any),
        ("precision", [Asked(hits="aax")], [Asked(hits="a")], precision_of_what_came_back),
        (
            "answered",
            [WHOLE, WHOLE, Asked("", status="abstained"), Asked("", status="abstained")],
            [WHOLE, Asked(status="abstained"), Asked(""), Asked("")],
            answered_of_all_questions,
        ),
        (
            "refused",
            [WHOLE, WHOLE, Asked("", status="abstained")],
            [Asked(status="abstained"), Asked(status="abstained"), Asked("")],
            refused_of_all_questions,
        ),
        (
            "refused",
            [Asked("", status="gave_up"), Asked("", status="gave_up")],
            [Asked("", status="abstained"), Asked("")],
            refused_without_giving_up,
        ),
        ("steps", [Asked(steps=3), Asked(steps=3)], [Asked(steps=4), FAILED], steps_of_failed_questions_too),
        ("words", [Asked(hits="ab"), Asked(hits="ab")], [Asked(hits="abc"), FAILED], words_of_failed_questions_too),
        ("words", [Asked(hits="ab")], [Asked(hits="aaa")], words_without_copies),
        ("p50", [Asked(seconds=1), Asked(seconds=1), Asked(seconds=9)], [Asked(seconds=2)] * 3, mean_seconds),
        ("p50", [Asked(seconds=1)] * 3, [Asked(seconds=2), FAILED, FAILED], median_of_failed_questions_too),
        ("p95", [*[Asked(seconds=1)] * 39, Asked(seconds=9)], [Asked(seconds=2)] * 40, slowest),
        ("p95", [Asked(seconds=2)] * 10, [*[Asked(seconds=1)] * 9, Asked(seconds=9)], median),
    ],
)
def test_column(column: str, better: Setup, worse: Setup, wrong: Callable[[Setup], float]) -> None:
    measure = SORTS[column]
    ours, theirs = [measure.value(worth(setup)) for setup in (better, worse)], [wrong(setup) for setup in (better, worse)]
    assert ours[0] != ours[1] and measure.best(ours) == ours[0]
    assert theirs[0] != theirs[1] and measure.best(theirs) == theirs[1]


def test_n_counts_the_questions_that_were_asked() -> None:
    """n of the rows that came back shows 2/2 for a setup that lost half of its questions."""
    whole, half = worth([WHOLE, WHOLE, NONE, WHOLE]), worth([WHOLE, WHOLE, FAILED, FAILED])
    assert [(of.n_ok, of.n) for of in (whole, half)] == [(4, 4), (2, 4)]


def test_best_does_not_see_more_than_the_reader() -> None:
    """By raw floats b wins on a ten-thousandth; both show 1.000, and nDCG tells them apart."""
    numbers = {"a": Means(0.9996, 1, 0.9, 1, 1, 1), "b": Means(0.9999, 1, 0.5, 1, 1, 1)}
    rows = [
        replace(worth([WHOLE]), setup=Description(name, name, {}, K, True, "word"), final=final)
        for name, final in numbers.items()
    ]
    line = best_line(rows, None, answerable=9)
    assert line and line.startswith("Best Recall 1.000: a (nDCG")
    assert max(numbers, key=lambda name: numbers[name].recall) == "b"


def chunks(sizes: dict[str, int]) -> tuple[Chunks, dict[str, Document]]:
    """Documents cut into so many chunks of one letter each."""
    documents = {id: Document(id, " ".join("w" * size), "") for id, size in sizes.items()}
    spans = [(place, 2 * at, 2 * at + 1) for place, size in enumerate(sizes.values()) for at in range(size)]
    return Chunks(tuple(sizes), np.array(spans, dtype=np.int64)), documents


def test_the_floor_knows_how_many_chunks_are_evidence() -> None:
    """By k / chunks, a Recall of 0.9 looks well above chance where nine of ten chunks are; 0.8 with one of two is better."""
    question, k = Question("q", "?", (Evidence("file", "a", (Place("a", 0, 1),)),)), 1
    cases = {"many": (*chunks({"a": 9, "b": 1}), 0.9), "few": (*chunks({"a": 1, "b": 1}), 0.8)}
    ours = {name: recall - floor(cut, [question], documents, k) for name, (cut, documents, recall) in cases.items()}
    theirs = {name: recall - k / len(cut) for name, (cut, _, recall) in cases.items()}
    assert max(ours, key=ours.__getitem__) == "few"
    assert max(theirs, key=theirs.__getitem__) == "many"


def test_the_ceiling_knows_that_a_chunk_may_hold_two_evidences() -> None:
    """By min(k / R, 1), a Recall of 0.5 seems all that one chunk can reach; where a chunk holds both it is half of that."""
    documents = {"a": Document("a", "one two", "")}
    evidence = tuple(Evidence("quote", label, (Place("a", *span),)) for label, span in {"one": (0, 3), "two": (4, 7)}.items())
    question, k = Question("q", "?", evidence), 1
    cuts = {"together": [(0, 0, 7)], "apart": [(0, 0, 3), (0, 4, 7)]}
    recalls = {"together": 0.5, "apart": 0.45}
    ours = {
        name: recalls[name] / ceiling(Chunks(("a",), np.array(cut, dtype=np.int64)), [question], documents, k)[0]
        for name, cut in cuts.items()
    }
    theirs = {name: recall / min(k / len(question.evidence), 1) for name, recall in recalls.items()}
    assert max(ours, key=ours.__getitem__) == "apart"
    assert max(theirs, key=theirs.__getitem__) == "together"


def test_union_and_single_crown_different_setups() -> None:
    """A quote of two words. "small" brings its halves first and second, "large" the whole of it third: together small's
    halves are all that a reader needs, but no chunk of it holds the quote."""
    documents = {"a": Document("a", "one two", ""), "b": Document("b", "six", "")}
    question = Question("q", "?", (Evidence("quote", "one two", (Place("a", 0, 7),)),))
    setups = {
        "small": (Hit(0, "a", 1, 0, 3, 0.9), Hit(1, "a", 2, 4, 7, 0.8)),
        "large": (Hit(1, "b", 1, 0, 3, 0.9), Hit(1, "b", 1, 0, 3, 0.9), Hit(0, "a", 1, 0, 7, 0.8)),
    }
    means = {}
    for match in get_args(Match):
        for name, hits in setups.items():
            record = Record("?", 0, "searched", hits, hits)
            view = score(record, question, documents, top_k=K, top_n=K, match=match).final
            means[match, name] = (view.recall, view.rr) if view else None
    assert means["union", "small"] == (1, 1 / 2) and means["union", "large"] == (1, 1 / 3)
    assert means["single", "small"] == (0, 0) and means["single", "large"] == (1, 1 / 3)
