"""report.json: strict JSON (no NaN) for scripts and gates."""

import json
from typing import Any

from ragsweep.reporting.breakdown import breakdown
from ragsweep.reporting.columns import RESULT_COLUMNS, SORTS, rounded, run_values, spread
from ragsweep.reporting.gate import is_least, outcome
from ragsweep.reporting.scorecard import scorecard, scored_by
from ragsweep.reporting.stages import Stage, ledger, stages
from ragsweep.reporting.tables import best_of, ordered
from ragsweep.results import Bounds, Report, Result, Usage

FORMAT = 1
NUMBERS = (
    "recall",
    "mrr",
    "ndcg",
    "hit",
    "all",
    "precision",
    "answered",
    "refused",
    "steps",
    "words",
    "calls",
    "tokens",
    "cost",
)


def report_json(report: Report) -> str:
    """One object; scores are 0..1 to 6 decimals, null where there is none. ``k`` is null where top_n is an axis."""
    results = ordered(report)
    cuts = {result.setup.k for result in results}
    bounds = [(bound, {"chunking": bound.chunking, "k": bound.k, **_room(bound)}) for bound in report.bounds]
    card = scorecard(report)
    value = {
        "format": FORMAT,
        "dataset": report.dataset,
        "partial": report.is_partial,
        "questions": report.questions,
        "all_questions": report.whole or report.questions,
        "answerable": report.answerable,
        "k": cuts.pop() if len(cuts) == 1 else None,
        "rule": report.rule,
        "fixed": dict(report.fixed),
        "gate": _gate(report),
        "best": _best(report),
        "notices": list(report.notices),
        "scorecard": {
            stage: {"metric": metric.key, "weight": report.weights.get(stage, 1)} for stage, metric in scored_by(report).items()
        },
        "setups": [_setup(report, result, card) for result in results],
        "floors": [{**of, "recall": rounded(bound.floor)} for bound, of in bounds],
        "ceilings": [{**of, "recall": rounded(bound.ceiling), "exact": bound.exact} for bound, of in bounds],
    }
    return json.dumps(value, ensure_ascii=False, allow_nan=False, indent=2) + "\n"


def _best(report: Report) -> dict[str, Any] | None:
    """What the Best line names; several setups tie. None of a run that is not finished, and where nothing ran."""
    found = best_of(report) if report.is_finished else None
    return {"by": found.first, "setups": [each.setup.id for each in found.winners]} if found else None


def _gate(report: Report) -> dict[str, Any] | None:
    found = outcome(report)
    if found is None:
        return None
    limits = {
        each.metric: {
            "at_least" if is_least(each.metric) else "at_most": each.limit,
            "value": rounded(each.value),
            "reached": each.reached,
        }
        for each in found.checked
    }
    return {"reached": found.reached, "setup": found.setup.setup.name if found.setup else None, "metrics": limits}


def _of_servers(usage: Usage) -> dict[str, Any]:
    """Seconds by step over all questions, without waiting; and the calls that failed, by kind."""
    return {
        "step_seconds": {name: rounded(seconds) for name, seconds in usage.step_seconds.items()},
        "failed_calls": dict(sorted(usage.failures.items())),
    }


def _room(bound: Bounds) -> dict[str, int]:
    return {} if bound.context_words is None else {"context_words": bound.context_words}


def _setup(report: Report, result: Result, card: Stage) -> dict[str, Any]:
    means = result.retrieved
    return {
        "id": result.setup.id,
        "name": result.setup.name,
        "options": dict(result.setup.options),
        **({"not_known": list(result.setup.unknown)} if result.setup.unknown else {}),
        "status": result.status,
        "error": result.error,
        "n_ok": result.n_ok,
        "n": result.n,
        **{key: rounded(RESULT_COLUMNS[key](result)) for key in NUMBERS},
        "retrieved": {key: rounded(getattr(means, key)) if means else None for key in ("recall", "mrr", "ndcg")},
        "spread": {
            key: [rounded(SORTS[key].value(least)), rounded(SORTS[key].value(most))]
            for key, (least, most) in spread(result).items()
        },
        "missed": list(dict.fromkeys(result.missed)),
        "stages": {
            stage.key: {number.key: rounded(number.value(result)) for number in stage.numbers} for stage in stages(report)
        },
        "scorecard": {number.key: rounded(number.value(result)) for number in card.numbers},
        "evidence": ledger([result]),
        "by": [
            {"key": group.key, "value": group.value, **{each.key: rounded(each.value(group.result)) for each in group.numbers}}
            for group in breakdown([result])
        ],
        "run": {**run_values(result), **_of_servers(result.usage)},
    }
