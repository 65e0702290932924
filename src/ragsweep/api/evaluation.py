"""What an evaluation gives: a plain dict of numbers and rows, and the report that is made of several."""

import json
from collections.abc import Mapping, Sequence
from copy import deepcopy
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ragsweep.errors import InputError, RagsweepError
from ragsweep.evaluation.records import to_dict
from ragsweep.reporting.columns import rounded
from ragsweep.reporting.csv import question_row
from ragsweep.reporting.json import report_json
from ragsweep.reporting.text import text
from ragsweep.results import Report, Result, Score
from ragsweep.types import Record

if TYPE_CHECKING:
    import pandas


class Evaluation(dict[str, Any]):
    """One setup or retriever over all questions: a dict of what report.json says of it (docs/reading-a-report.md).

    ``recall``, ``mrr``, ``ndcg``, ``hit``, ``all``, ``precision``: means over the answerable questions, 0..1 to 6 decimals, a
    failed question as 0; None when none ran. ``answered`` and ``refused`` are shares, None without an answer step. ``p50_ms``
    and ``p95_ms``: service time per question that ran, in milliseconds. ``name``, ``options``, ``status``, ``n_ok`` of ``n``,
    ``stages``, ``notices``. ``rows`` has a dict for each question in the order written: the columns of questions.csv (``id``,
    ``task_type``, ``status``, ``recall`` and ``rr``, None for an unanswerable one, ``answer``, ``error``, ``seconds`` ...),
    ``found``, ``missed`` and ``ends`` of its evidence as lists; ``sources``, the documents given, by rank; ``log``, the steps.
    """

    report: Report
    result: Result

    def __repr__(self) -> str:
        """In one line: at the end of a notebook's cell nobody wants every step of every question."""
        shown = " ".join(f"{key}={self[key]}" for key in ("recall", "mrr", "ndcg", "p95_ms"))
        return f"<{self['name']}: {self['n_ok']} of {self['n']} questions, {shown}>"

    def to_pandas(self) -> "pandas.DataFrame":
        """The rows as a DataFrame, one question each. Raises RagsweepError where pandas is not installed."""
        try:
            import pandas
        except ImportError:
            raise RagsweepError('to_pandas needs pandas: pip install pandas; the rows are in result["rows"]') from None
        return pandas.DataFrame(self["rows"])


def evaluations(report: Report, rows: Mapping[str, Sequence[Mapping[str, Any]]]) -> list[Evaluation]:
    """An Evaluation for each result of ``report``, with its ``rows`` by setup id; a result that stands twice shares them."""
    numbers = {each["id"]: each for each in json.loads(report_json(report))["setups"]}
    found = []
    for result in report.results:
        made = Evaluation(deepcopy(numbers[result.setup.id]), name=result.setup.name)
        for key, seconds in (("p50_ms", result.p50_s), ("p95_ms", result.p95_s)):
            made[key] = None if seconds is None else rounded(1000 * seconds)
        made.update(notices=list(report.notices), rows=deepcopy(list(rows[result.setup.id])))
        made.report, made.result = report, result
        found.append(made)
    return found


def row(score: Score, record: Record | None) -> dict[str, Any]:
    """One question: the columns of questions.csv, its evidence as lists, what was given and every step."""
    happened = to_dict(record) if record is not None else {}
    values = {key: rounded(value) for key, value in question_row(score).items() if key != "question_id"}
    evidence = {"found": list(score.found), "missed": list(score.missed), "ends": list(score.ends)}
    sources = [hit["document"] for hit in happened.get("final", ())]
    return {"id": score.question_id, **values, **evidence, "sources": sources, "log": happened.get("steps", [])}


def format_report(results: Evaluation | Sequence[Evaluation]) -> str:
    """The table of what ``evaluate_retriever``, ``compare_retrievers`` or ``evaluate_retrieval`` gave, as ``ragsweep run``
    prints it. Results of several calls have a table each, as they may be of other questions."""
    return "\n".join(text(report) for report in _reports(results))


def format_rag_report(results: Evaluation | Sequence[Evaluation]) -> str:
    """The table of what ``RAG.evaluate`` or ``compare_setups`` gave, as ``ragsweep run`` prints it."""
    return format_report(results)


def _reports(results: Evaluation | Sequence[Evaluation]) -> list[Report]:
    found: dict[int, tuple[Report, list[Result]]] = {}
    for each in [results] if isinstance(results, Evaluation) else results:
        if not isinstance(each, Evaluation):
            raise InputError(f"{type(each).__name__}: no result of ragsweep: give them as evaluate and the others return them")
        found.setdefault(id(each.report), (each.report, []))[1].append(each.result)
    return [replace(report, results=several) for report, several in found.values()]
