"""report.csv, one row per setup; questions.csv, one row per setup and question; breakdown.csv, one per setup and group.

Floats are written to 6 decimals, a value that there is not as an empty cell.
"""

import csv
import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from io import StringIO
from typing import Any

from ragsweep.reporting.breakdown import breakdown
from ragsweep.reporting.columns import RESULT_COLUMNS, rounded, run_values
from ragsweep.reporting.escape import inert, visible
from ragsweep.reporting.scorecard import scorecard
from ragsweep.reporting.stages import ledger, stages
from ragsweep.reporting.tables import ordered
from ragsweep.results import Report, Result, Score, Verdict, View

_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
"""What a terminal may obey (categories C0 and C1), but for tabs and ends of lines."""
_TEXTS = ("context_precision", "context_copies", "character_recall", "character_precision", "character_iou")
_VIEW = ("recall", "rr", "ndcg", "hit", "all", "precision")
_OF_UNKNOWN: Mapping[str, Sequence[str]] = {
    "reranking": ("gained", "lost"),
    "steps": ("steps", "dropped_copies", "calls", "waited_s", "retries", "shared"),
    "contexts": (
        *_VIEW,
        *(f"retrieved_{metric}" for metric in _VIEW),
        "found",
        "missed",
        "ends",
        "capped",
        "grounded",
        *_TEXTS,
        "words",
    ),
    "words": (*_TEXTS, "words", "grounded"),
    "passages": (*_TEXTS, "grounded"),
    "citations": ("citation_precision", "citation_recall"),
    "seconds": ("seconds",),
}
"""The columns of questions.csv that have nothing to say where the records of a system do not tell."""


def report_csv(report: Report) -> str:
    """A column for each axis, then result columns, then run columns."""
    all_stages = [*stages(report), scorecard(report)]
    rows = [
        {
            **_axis_values(report, result),
            **{column: value(result) for column, value in RESULT_COLUMNS.items()},
            **{number.key: number.value(result) for stage in all_stages for number in stage.numbers},
            **{f"evidence_{end}": count for end, count in ledger([result]).items()},
            **_partial(report),
            **run_values(result),
        }
        for result in ordered(report)
    ]
    return _csv(rows)


def questions_csv(report: Report, scores: Callable[[Result], Iterable[Score]]) -> str:
    """A column for each axis, the setup, then what happened and what it is worth, then the seconds (a run column).

    ``scores`` is called once for each result and gives its scores in question order.
    """
    return _csv(
        {
            **_axis_values(report, result),
            "setup": result.setup.name,
            **_partial(report),
            **question_row(score),
            **dict.fromkeys(column for each in result.setup.unknown for column in _OF_UNKNOWN.get(each, ())),
            **(_verdict(score.verdict) if report.judge else {}),
        }
        for result in ordered(report)
        for score in scores(result)
    )


def breakdown_csv(report: Report) -> str:
    """A column for each axis, the setup, the key of the questions, its value (empty: those without the key), its scores."""
    return _csv(
        {
            **_axis_values(report, group.result),
            "setup": group.result.setup.name,
            "by": group.key,
            "value": group.value,
            **_partial(report),
            **{number.key: number.value(group.result) for number in group.numbers},
        }
        for group in breakdown(ordered(report))
    )


def _axis_values(report: Report, result: Result) -> dict[str, Any]:
    return {axis: result.setup.options.get(axis) for axis in report.axes}


def _partial(report: Report) -> dict[str, str]:
    """A column that only a report of some of the questions has."""
    return {"partial": f"{report.questions} of {report.whole} questions"} if report.whole else {}


def question_row(score: Score) -> dict[str, Any]:
    """What happened and what it is worth, by column; labels of evidence are joined to one text."""
    return {
        "question_id": score.question_id,
        "question": score.question,
        "task_type": score.task_type,
        "repeat": score.repeat,
        "status": score.status,
        **_view("", score.final),
        **_view("retrieved_", score.retrieved),
        "found": _labels(score.found),
        "missed": _labels(score.missed),
        "ends": _labels(score.ends),
        **_stages(score),
        "words": score.words,
        "steps": score.steps,
        "dropped_copies": score.dropped,
        "capped": int(score.final.capped) if score.final else None,
        "calls": score.usage.calls,
        "input_tokens": score.usage.input_tokens,
        "output_tokens": score.usage.output_tokens,
        "cost": score.usage.cost,
        "answer": score.answer,
        "error": score.error,
        "seconds": score.seconds,
        "waited_s": score.usage.waited,
        "retries": score.usage.retries,
        "shared": score.usage.shared,
    }


def _view(prefix: str, view: View | None) -> dict[str, float | None]:
    return {prefix + metric: getattr(view, metric) if view else None for metric in _VIEW}


def _stages(score: Score) -> dict[str, Any]:
    context, grades, reranking = score.context, score.grades, score.reranking
    characters = context.characters if context else None
    return {
        "gained": reranking.gained if reranking else None,
        "lost": reranking.lost if reranking else None,
        "context_precision": context.precision if context else None,
        "context_copies": context.copies if context else None,
        "character_recall": characters.recall if characters else None,
        "character_precision": characters.precision if characters else None,
        "character_iou": characters.iou if characters else None,
        "exact_match": grades.exact_match if grades else None,
        "token_f1": grades.f1 if grades else None,
        "required_facts": grades.facts if grades else None,
        "citation_precision": grades.citation_precision if grades else None,
        "citation_recall": grades.citation_recall if grades else None,
        "grounded": grades.grounded if grades else None,
    }


def _verdict(verdict: Verdict | None) -> dict[str, Any]:
    """Columns that only a report with a judge has."""
    truth = {None: None, True: 1, False: 0}
    return {
        "judge_correct": truth[verdict.correct] if verdict else None,
        "judge_grounded": truth[verdict.grounded] if verdict else None,
        "judge_reason": verdict.reason if verdict else None,
        "judge_unscored": verdict.unscored if verdict else None,
    }


def _labels(labels: Sequence[str]) -> str:
    return json.dumps(list(labels), ensure_ascii=False)


def _cell(value: Any) -> Any:
    if not isinstance(value, str):
        return rounded(value)
    # A line in a cell ends in "\n": the csv module does not quote a lone "\r", and then cannot read it back.
    lines = value.replace("\r\n", "\n").replace("\r", "\n")
    return inert(_CONTROLS.sub(lambda found: visible(found[0]), lines))


def _csv(rows: Iterable[Mapping[str, Any]]) -> str:
    out = StringIO()
    writer = csv.writer(out, lineterminator="\n")
    for place, row in enumerate(rows):
        if place == 0:
            writer.writerow(map(inert, row))
        writer.writerow(map(_cell, row.values()))
    return out.getvalue()
