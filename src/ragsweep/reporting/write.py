"""The report files of a run folder."""

from collections.abc import Callable, Iterable
from pathlib import Path

from ragsweep.files import publish
from ragsweep.reporting.csv import breakdown_csv, questions_csv, report_csv
from ragsweep.reporting.json import report_json
from ragsweep.reporting.markdown import markdown
from ragsweep.results import Report, Result, Score


def write_reports(report: Report, folder: Path, scores: Callable[[Result], Iterable[Score]]) -> None:
    """Write report.md, report.csv, report.json and questions.csv into ``folder``, and breakdown.csv where there is one.

    ``scores`` gives the scores of a result in question order. It is called once for each, so that not all need be in memory.
    """
    files = {
        "report.md": markdown(report),
        "report.csv": report_csv(report),
        "report.json": report_json(report),
        "questions.csv": questions_csv(report, scores),
        **({"breakdown.csv": breakdown_csv(report)} if any(result.by for result in report.results) else {}),
    }
    for name, text in files.items():
        publish(folder / name, text.encode("utf-8", "backslashreplace"))
