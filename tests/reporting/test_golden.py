"""The six outputs for the sweep of conftest.py, byte for byte. To accept a change, read the new file and copy it there."""

from collections.abc import Callable
from pathlib import Path

import pytest

from ragsweep.reporting.text import text
from ragsweep.reporting.write import write_reports
from ragsweep.results import Report, Result, Score

GOLDEN = Path(__file__).parent / "golden"


@pytest.mark.parametrize("name", ["report.txt", "report.md", "report.csv", "report.json", "questions.csv", "breakdown.csv"])
def test_golden(name: str, report: Report, scores: Callable[[Result], list[Score]], tmp_path: Path) -> None:
    write_reports(report, tmp_path, scores)
    (tmp_path / "report.txt").write_text(text(report), encoding="utf-8")
    assert (tmp_path / name).read_text(encoding="utf-8") == (GOLDEN / name).read_text(encoding="utf-8")
