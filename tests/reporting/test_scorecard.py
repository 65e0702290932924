"""The scorecard: named parts, their weighted mean, and when there is none."""

from collections.abc import Mapping
from dataclasses import replace

import pytest

from ragsweep.reporting.scorecard import scorecard, scored_by
from ragsweep.reporting.tables import best_of
from ragsweep.results import Bounds, Context, Description, Grades, Means, Report, Reranking, Result

PARTS = ("chunking", "retrieval", "reranking", "context", "answer")


def means(recall: float) -> Means:
    return Means(recall, 0, 0, 0, 0, 0)


def row(name: str, *parts: float | None, facts: float | None = None) -> Result:
    """A setup by its five parts, 0..1; None where it has not that stage."""
    reachable, retrieved, reranked, context, f1 = parts
    setup = Description(name, name, {}, 5, f1 is not None, name)
    blank = Result(setup, "ok", 4, 4, means(0.5), None, 1.0, None, 0, 3.0, 9.0, 0.1, 0.1, 0, 0, 0, 0, (), ())
    return replace(
        blank,
        retrieved=None if retrieved is None else means(retrieved),
        reranking=None if reranked is None else Reranking(means(0.1), means(reranked), 0, 0),
        context=None if context is None else Context(context, 0, None),
        grades=None if f1 is None else Grades(0, f1, facts, 0, 0, 0),
        setup=replace(setup, chunking=name if reachable is None else f"{reachable}"),
    )


def of(*rows: Result, weights: Mapping[str, float] | None = None) -> Report:
    reachable = {row.setup.chunking for row in rows if row.setup.chunking[0].isdigit()}
    bounds = [Bounds(name, 5, 0.0, float(name), exact=True) for name in reachable]
    return Report("sample", 4, 4, {}, {}, rows, bounds, weights=weights or {})


def scores(report: Report, name: str) -> dict[str, float | None]:
    found = next(row for row in report.results if row.setup.name == name)
    return {number.key.removeprefix("score_"): number.value(found) for number in scorecard(report).numbers}


def test_a_stage_is_100_times_its_metric_and_overall_their_mean() -> None:
    found = scores(of(row("a", 1.0, 0.9, 0.8, 0.5, 0.3)), "a")
    assert found == pytest.approx({"overall": 70, **dict(zip(PARTS, (100, 90, 80, 50, 30), strict=True))})


@pytest.mark.parametrize(
    ("weights", "overall"),
    [({"answer": 5}, (320 + 150) / 9), ({"context": 0}, 75), (dict.fromkeys(PARTS[:4], 0), 30)],
)
def test_weights(weights: Mapping[str, float], overall: float) -> None:
    report = of(row("a", 1.0, 0.9, 0.8, 0.5, 0.3), weights=weights)
    assert scores(report, "a")["overall"] == pytest.approx(overall)
    assert scorecard(report).note.startswith("weights: chunking ")


@pytest.mark.parametrize(
    ("weights", "note"),
    [
        ({**dict.fromkeys(PARTS, 1), "answer": 3, "reranking": 0}, "no setup has what these weights are of: answer"),
        ({**dict.fromkeys(PARTS, 1), "answer": 0}, ""),
    ],
)
def test_a_weight_of_a_stage_that_no_setup_has_is_told(weights: Mapping[str, float], note: str) -> None:
    assert scorecard(of(row("a", 1.0, 0.9, None, 0.5, None), weights=weights)).note == note


def test_a_mean_of_what_is_there_crowns_the_setup_that_hides_its_weak_stage() -> None:
    """b is better or equal at every stage that both have; its mean of them would still be below that of a."""
    a, b = row("a", 1.0, 0.9, 0.9, None, 0.6), row("b", 1.0, 1.0, 1.0, 0.1, 0.7)
    assert sum((1, 0.9, 0.9, 0.6)) / 4 > sum((1, 1, 1, 0.1, 0.7)) / 5
    report = of(a, b)
    assert scores(report, "a")["overall"] is None and scores(report, "b")["overall"] is None
    assert scorecard(report).note.startswith("no overall score where the setups of a table have different stages")
    assert scores(report, "b")["context"] == 10 and scores(report, "a")["context"] is None
    assert scores(of(a, b, weights={"context": 0}), "b")["overall"] == pytest.approx(92.5)  # then all have what counts


def test_rows_of_another_table_and_setups_that_failed_take_it_from_none() -> None:
    search, failed = (
        row("search", 1.0, 1.0, 0.5, 0.5, None),
        replace(row("failed", 1.0, None, None, None, 0.0), status="failed"),
    )
    report = of(row("a", 1.0, 0.5, 0.5, 0.5, 0.0), search, failed)
    assert (scores(report, "a")["overall"], scores(report, "search")["overall"]) == (50, 75)
    assert set(scores(report, "failed").values()) == {None}


def test_required_facts_stand_for_the_answer_where_the_questions_have_them() -> None:
    report = of(row("a", 1.0, 1.0, 1.0, 1.0, 0.2, facts=0.8))
    assert scored_by(report)["answer"].key == "required_facts"
    assert scores(report, "a")["answer"] == 80


def test_it_sorts_nothing_and_chooses_nothing() -> None:
    """The Recall of a is the better one; its overall score is the worse."""
    a, b = row("a", 0.1, 0.9, 0.1, 0.1, 0.1), row("b", 1.0, 0.9, 1.0, 1.0, 1.0)
    report = of(replace(a, final=means(0.9)), b)
    best = best_of(report).chosen
    assert best and best.setup.name == "a"
