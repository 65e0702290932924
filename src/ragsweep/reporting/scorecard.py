"""The scorecard: one named metric a stage, 0 to 100, and their weighted mean. It is shown with its parts and sorts nothing."""

from collections.abc import Callable, Mapping, Sequence
from math import fsum
from typing import TypeAlias

from ragsweep.reporting.stages import Number, Stage, stages
from ragsweep.results import Report, Result

Score: TypeAlias = Callable[[Result], float | None]
METRICS: Mapping[str, Mapping[str, str]] = {
    "chunking": {"reachable_recall": "Reachable"},
    "retrieval": {"retrieved_recall": "Recall@top_k"},
    "reranking": {"after_reranking_recall": "Recall@top_n"},
    "context": {"context_precision": "Precision"},
    "answer": {"required_facts": "Required facts", "token_f1": "Token F1"},
}
"""The metrics that can stand for a stage, by their column, in words: the first that any setup of the report has."""


def scored_by(report: Report) -> dict[str, Number]:
    """The metric of each stage of ``METRICS`` that any setup has."""
    found: dict[str, Number] = {}
    for stage in stages(report):
        numbers = {number.key: number for number in stage.numbers}
        metrics = (numbers[key] for key in METRICS.get(stage.key, ()))
        had = next((metric for metric in metrics if any(metric.value(result) is not None for result in _ran(report))), None)
        found |= {stage.key: had} if had else {}
    return found


def scorecard(report: Report) -> Stage:
    """Its numbers: the overall score, then that of each stage."""
    parts = scored_by(report)
    scores = {stage: _score(metric) for stage, metric in parts.items()}
    weights = {stage: report.weights.get(stage, 1) for stage in parts}
    counted = {generates: _shared(report, generates, scores, weights) for generates in (True, False)}

    def overall(result: Result) -> float | None:
        stages = counted[result.setup.generates]
        if result.status == "failed" or not stages:
            return None
        weighed = fsum(weights[stage] * (scores[stage](result) or 0.0) for stage in stages)
        return weighed / fsum(weights[stage] for stage in stages)

    return Stage(
        "scorecard",
        "Scorecard, 0 to 100",
        [
            Number("score_overall", overall, "Overall", ".1f"),
            *(
                Number(f"score_{stage}", scores[stage], f"{stage.capitalize()}: {METRICS[stage][parts[stage].key]}", ".1f")
                for stage in parts
            ),
        ],
        note=_note(
            weights,
            lacking=any(not counted[result.setup.generates] for result in _ran(report)),
            idle=[stage for stage, weight in report.weights.items() if stage not in parts and weight not in (0, 1)],
        ),
    )


def _ran(report: Report) -> Sequence[Result]:
    """The setups that have numbers at all: one that failed takes the overall score from no other."""
    return [result for result in report.results if result.status != "failed"]


def _shared(report: Report, generates: bool, scores: Mapping[str, Score], weights: Mapping[str, float]) -> Sequence[str]:
    """The stages of all rows of a table; none where they are not the same, as the means would be of other things."""
    rows = [result for result in _ran(report) if result.setup.generates == generates]
    had = [[stage for stage, score in scores.items() if weights[stage] and score(result) is not None] for result in rows]
    return had[0] if had and all(stages == had[0] for stages in had) else ()


def _score(metric: Number) -> Score:
    def score(result: Result) -> float | None:
        value = metric.value(result) if result.status != "failed" else None
        return None if value is None else 100 * value

    return score


def _note(weights: Mapping[str, float], *, lacking: bool, idle: Sequence[str]) -> str:
    """The weights, where they are not equal, those that weigh nothing, and why some table has no overall score."""
    weighed = "weights: " + ", ".join(f"{stage} {weight:g}" for stage, weight in weights.items())
    why = "no overall score where the setups of a table have different stages, or none with a weight"
    unused = f"no setup has what these weights are of: {', '.join(idle)}"
    said = {weighed: len(set(weights.values())) > 1, unused: bool(idle), why: lacking}
    return "; ".join(note for note, is_so in said.items() if is_so)
