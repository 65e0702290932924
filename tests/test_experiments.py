"""Every committed experiment composes and plans, and has beside it what a reader needs."""

import os
import re
from pathlib import Path

import pytest

EXPERIMENTS = Path(__file__).parents[1] / "experiments"
NAMES = sorted(path.parent.name for path in EXPERIMENTS.glob("*/experiment.yaml"))
long = pytest.mark.skipif(not os.environ.get("RAGSWEEP_LONG"), reason="reads 263 pages of PDF; set RAGSWEEP_LONG=1")


@pytest.mark.parametrize("name", [pytest.param(name, marks=long) if name == "northwind" else name for name in NAMES])
def test_it_plans_and_its_accepted_report_has_a_row_for_each_setup(name, project):
    ran = project("plan", f"experiment={name}", "--experiments-dir", str(EXPERIMENTS))
    assert ran.code == 0, ran.err
    planned = set(re.findall(r"^  setup (.*)", ran.out, re.MULTILINE))
    report = (EXPERIMENTS / name / "report.md").read_text(encoding="utf-8")
    without_stages = re.sub(r"^### .*?(?=^## |\Z)", "", report, flags=re.MULTILINE | re.DOTALL)
    rows = re.findall(r"^\| ((?!setup |---|floor |ceiling ).*?) \|", without_stages, re.MULTILINE)
    assert planned
    assert set(rows) == planned


@pytest.mark.parametrize("name", NAMES)
def test_it_says_what_it_asks_and_answers(name):
    readme = (EXPERIMENTS / name / "README.md").read_text(encoding="utf-8")
    assert readme.startswith("# ")
    assert f"python run.py experiment={name}" in readme
    assert "## Verdict" in readme
