"""What is left of a report without run columns and run lines, and how differences are told."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from ragsweep.errors import InputError
from ragsweep.reporting.compare import differences, strip_run
from ragsweep.reporting.write import write_reports
from ragsweep.results import Report, Result, Score

Scores = Callable[[Result], list[Score]]


def another_run(report: Report) -> Report:
    """The same results, measured on another machine, one at a time."""
    times = {"p50_s": 31.0, "p95_s": 60.0, "run": {"host": "there", "folder": "simple-word-2", "jobs": 1}}
    return replace(report, results=[replace(result, **times) for result in report.results], run_lines=["took 900 s"])


def changed(report: Report, name: str, recall: float) -> Report:
    def change(result: Result) -> Result:
        return (
            replace(result, final=replace(result.final, recall=recall))
            if result.setup.name == name and result.final
            else result
        )

    return replace(report, results=[change(result) for result in report.results])


@pytest.mark.parametrize("name", ["report.md", "report.csv", "questions.csv"])
def test_two_runs_are_equal_without_run_columns_and_run_lines(
    name: str, report: Report, scores: Scores, tmp_path: Path
) -> None:
    slow = [lambda result: [replace(score, seconds=9.0) for score in scores(result)], scores]
    for folder, of, given in [("a", report, scores), ("b", another_run(report), slow[0])]:
        write_reports(of, tmp_path / folder, given)
    texts = [(tmp_path / folder / name).read_text(encoding="utf-8") for folder in "ab"]
    assert texts[0] != texts[1]
    assert strip_run(texts[0]) == strip_run(texts[1])
    assert strip_run(strip_run(texts[0])) == strip_run(texts[0])


def test_only_run_columns_are_taken_out(report: Report, scores: Scores, tmp_path: Path) -> None:
    write_reports(report, tmp_path, scores)
    stripped = strip_run((tmp_path / "report.md").read_text(encoding="utf-8"))
    assert "| simple + word | 0.750 | 1.000 | 0.807 | 1.000 | 100% | 0/1 | 3.0 | 60 | 3/3 |\n" in stripped
    assert "note: " in stripped
    assert "run:" not in stripped and "p95" not in stripped
    assert strip_run((tmp_path / "report.csv").read_text(encoding="utf-8")).startswith(
        "rag_type,chunker,setup,status,n_ok,n,recall,"
    )


def test_a_setup_called_p95_is_no_column(report: Report, scores: Scores, tmp_path: Path) -> None:
    named = [replace(result, setup=replace(result.setup, name=f"p95 {result.setup.name}")) for result in report.results]
    write_reports(replace(report, results=named), tmp_path, scores)
    assert "| p95 simple + word | 0.750 |" in strip_run((tmp_path / "report.md").read_text(encoding="utf-8"))


@pytest.mark.parametrize(("only", "label"), [(None, "recall"), ("report.md", "Recall")])
def test_differences_in_words(only: str | None, label: str, report: Report, scores: Scores, tmp_path: Path) -> None:
    old, new = tmp_path / "old", tmp_path / "new"
    write_reports(report, old, scores)
    if only:
        (old / "report.csv").unlink()
    write_reports(another_run(changed(report, "simple + word", recall=0.9)), new, scores)
    near = " (adaptive + word 0.500 is within one question, 0.500)"
    said = [
        f"{how} said: Best Recall {best}: simple + word{near}" for how, best in [("no longer", "0.750"), ("newly", "0.900")]
    ]
    changes = [f"simple + word: {column}{label} 0.750 -> 0.900" for column in ("", *(("Context: ",) if only else ()))]
    assert differences(old, new) == [*changes, *(said if only else [])]


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("3 questions", "4 questions", "newly said: ## End-to-end report: 4 questions"),
        (" top_k=5", " top_k=50", "newly said: fixed: "),
        ("| floor (word) | 0.", "| floor (word) | 0.9", "floor (word): Recall 0."),
        ("\nrun: ", "\nrun: again ", None),
        (
            "| all (end-to-end) | 28.6%",
            "| all (end-to-end) | 38.6%",
            "all (end-to-end): Where the required evidence ended: question failed 28.6% ->",
        ),
        ("### Context", "### Given", "simple + word: Context: Precision"),
    ],
)
def test_all_that_report_md_says_is_compared(
    old: str, new: str, told: str | None, report: Report, scores: Scores, tmp_path: Path
) -> None:
    write_reports(report, tmp_path / "new", scores)
    text = (tmp_path / "new" / "report.md").read_text(encoding="utf-8")
    assert old in text
    (tmp_path / "report.md").write_text(text, encoding="utf-8")
    (tmp_path / "new" / "report.md").write_text(text.replace(old, new, 1), encoding="utf-8")
    found = differences(tmp_path, tmp_path / "new")
    assert any(line.startswith(told) for line in found) if told else not found


def rows(report: Report, names: Sequence[str]) -> Report:
    return replace(report, results=[result for result in report.results if result.setup.name in names])


def test_lost_and_new_rows(report: Report, scores: Scores, tmp_path: Path) -> None:
    write_reports(rows(report, ["simple + word", "search + word"]), tmp_path / "old", scores)
    write_reports(rows(report, ["simple + word", "search + page"]), tmp_path / "new", scores)
    assert differences(tmp_path / "old", tmp_path / "new") == ["search + word: no longer there", "search + page: new"]


def test_a_change_behind_the_third_decimal_is_told_with_all_decimals(report: Report, scores: Scores, tmp_path: Path) -> None:
    write_reports(report, tmp_path / "old", scores)
    write_reports(changed(report, "simple + word", recall=0.750004), tmp_path / "new", scores)
    assert differences(tmp_path / "old", tmp_path / "new") == ["simple + word: recall 0.75 -> 0.750004"]


def test_a_missing_report_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"report\.md: there is no such report"):
        differences(tmp_path, tmp_path)
