"""Prices that are edited after a run: the report is made again, and no model is asked."""

import pytest

from ragsweep.config.edited_prices import prices_now
from ragsweep.errors import InputError, InputErrors
from ragsweep.results import Price

from .test_language_model import rows

EXPERIMENT = "dataset: {files: docs, questions: questions.json}\n"
COST = (900 * 3 + 60 * 20) / 1e6


def edit(project, prices):
    (project.root / "experiments/mine/experiment.yaml").write_text(f"{EXPERIMENT}{prices}\n", "utf-8")


@pytest.fixture
def run(ask_all, project):
    """A run without prices, whose file has some now."""
    project.experiment(EXPERIMENT)
    ran = ask_all("experiment=mine")
    assert rows(ran, "report.csv")[0]["cost"] == ""
    edit(project, "prices: {'m': {input: 3, output: 20.0}}")
    return ran


@pytest.mark.parametrize("command", ["collect", "resume"])
def test_the_report_is_made_again_by_the_prices_of_now(run, project, model, command):
    asked = len(model.chats)
    again = project(command, str(run.runs[0]))
    assert again.code == 0, again.err
    assert len(model.chats) == asked
    (row,) = rows(again, "report.csv")
    assert float(row["cost"]) == pytest.approx(COST)
    assert sum(float(each["cost"]) for each in rows(again, "questions.csv")) == pytest.approx(COST)


def test_collect_says_so_once_and_the_best_setup_keeps_them(run, project):
    folder = str(run.runs[0])
    assert "run: cost by edited prices" in project("collect", folder).out
    assert 'prices: {"m": {"input": 3.0, "output": 20.0}}' in (run.runs[0] / "best.yaml").read_text("utf-8")
    planned = project("plan", str(run.runs[0] / "best.yaml"))
    assert planned.code == 0 and "by its price" in planned.out
    edit(project, "")
    again = project("collect", folder)
    assert "edited prices" not in again.out, "a file that says nothing of prices changes none: those of the run hold"


def test_a_resume_has_nothing_to_do_when_they_are_as_they_were(run, project):
    folder = str(run.runs[0])
    project("resume", folder)
    assert "there is nothing to resume" in project("resume", folder).err


def test_the_plan_names_the_models_without_a_price(ask_all, project):
    project.experiment(f"{EXPERIMENT}prices: {{other: {{input: 1}}}}\n")
    said = "notice: prices: none of m, so cost is not known: write {input: 0} for what costs nothing"
    assert said in ask_all("experiment=mine", command="plan").out
    edit(project, "prices: {m: {input: 0}}")
    assert "notice: prices" not in ask_all("experiment=mine", command="plan").out


def test_prices_of_the_command_line_stay(ask_all, project):
    project.experiment(EXPERIMENT)
    ran = ask_all("experiment=mine", "prices={m:{input:1}}")
    assert ran.code == 0, ran.err
    edit(project, "prices: {m: {input: 3}}")
    project("collect", str(ran.runs[0]))
    assert float(rows(ran, "report.csv")[0]["cost"]) == pytest.approx(900 / 1e6)


@pytest.mark.parametrize(
    ("written", "prices"),
    [
        ("top_k: 3\nmodel: ${oc.env:NOT_THERE}", None),
        ("", None),
        ("prices: {}", {}),
        ("prices: null", {}),
        ("prices: {'gemma3:4b': {input: 0}}", {"gemma3:4b": Price(0.0, 0.0)}),
        ("of: 2\nprices: {m: {input: '${of}'}}", InputError),
        ("prices: {m: 3}", InputErrors),
        ("prices: {m: {in: 3}}", InputErrors),
        ("prices: [m", InputError),
    ],
)
def test_what_a_file_says(tmp_path, written, prices):
    file = tmp_path / "experiment.yaml"
    file.write_text(written, "utf-8")
    if isinstance(prices, type):
        with pytest.raises(prices, match=r"prices|YAML"):
            prices_now(file)
    else:
        assert prices_now(file) == prices


def test_a_file_that_is_gone_says_nothing(tmp_path):
    assert prices_now(tmp_path / "experiment.yaml") is None
