"""SPEC 7 as it is written there: the shape of the tables and the rules behind every line of them."""

import csv
import json
from collections.abc import Sequence
from dataclasses import replace
from io import StringIO
from itertools import groupby
from pathlib import Path
from typing import Any

import pytest

from ragsweep.evaluation.result import result
from ragsweep.reporting.columns import RESULT_COLUMNS, RUN_COLUMNS
from ragsweep.reporting.csv import questions_csv, report_csv
from ragsweep.reporting.json import report_json
from ragsweep.reporting.markdown import markdown
from ragsweep.reporting.text import text
from ragsweep.reporting.write import write_reports
from ragsweep.results import (
    Bounds,
    Characters,
    Context,
    Description,
    Grades,
    Means,
    Report,
    Reranking,
    Result,
    Score,
    View,
)
from ragsweep.types import Status

FULL, NOTHING = View(1, 1, 1, 1, 1, 0.5, capped=False), View(0, 0, 0, 0, 0, 0, capped=False)
HALF = View(0.5, 1, 0.6131, 1, 0, 0.5, capped=False)


def scored(id: str = "q_1", status: Status = "answered", view: View | None = FULL, **values: Any) -> Score:
    row = Score(id, "Why?", None, status, "So.", view, view, (), (), words=50, steps=3, dropped=0, seconds=1.5)
    return replace(row, **values)


def setup(name: str, generates: bool = True, **options: Any) -> Description:
    return Description(name, name, options, k=5, generates=generates, chunking=options.get("chunker", "word"))


def a_result(name: str, means: Sequence[float], **values: Any) -> Result:
    """A setup with the given Recall, MRR, nDCG and Hit over six questions, of which five are answerable."""
    recall, mrr, ndcg, hit = means
    final = Means(recall, mrr, ndcg, hit, all=0, precision=0)
    description = setup(name, chunker=name.split(" + ")[-1], rag_type=name.split(" + ")[0])
    base = replace(result(description, [scored(str(number)) for number in range(6)]), final=final, refused=1, unanswerable=1)
    return replace(base, **values)


def a_report(*results: Result, **values: Any) -> Report:
    return replace(Report("policies", questions=6, answerable=5, fixed={}, axes={}, results=results), **values)


MISSED = scored("q_006", view=HALF, found=("remote_work.md",), missed=("expenses.md",))
FIXED = "chunk_size=60 chunk_overlap=10 embedder=minilm retriever=hybrid reranker=none generator=extractive top_k=5 top_n=2"
PERFECT = (1.0, 1.0, 1.0, 1.0)


def the_report_of_the_specification() -> Report:
    rows = [
        a_result(
            "adaptive + paragraph", (0.8,) * 4, answered=0.8, steps=7.3, words=63.0, p50_s=0.96, p95_s=2.91, looks=(MISSED,)
        ),
        a_result("simple + word", PERFECT, words=118.0, p50_s=0.92, p95_s=1.26),
        a_result("adaptive + word", PERFECT, steps=6.2, words=98.0, p50_s=1.67, p95_s=4.02),
        a_result("simple + paragraph", (0.9, 1, 0.923, 1), answered=0.8, words=95.0, p50_s=0.64, p95_s=0.81, looks=(MISSED,)),
    ]
    return a_report(
        *rows,
        fixed=dict(pair.split("=") for pair in FIXED.split()),
        axes={"rag_type": ["simple", "adaptive"], "chunker": ["word", "paragraph"]},
        bounds=[Bounds("word", 5, 0.213, 1.0, exact=True)],
    )


def test_the_end_to_end_report_has_the_shape_of_the_specification() -> None:
    expected = f"""\
End-to-end report: 6 questions (5 answerable; evidence scored on the chunks given to the generator)
fixed: {FIXED}
setup                   Recall    MRR   nDCG    Hit  Answered  Refused  Steps  Words     n   p50 s   p95 s
----------------------------------------------------------------------------------------------------------
simple + word            1.000  1.000  1.000  1.000      100%      1/1    3.0    118   6/6    0.92    1.26
adaptive + word          1.000  1.000  1.000  1.000      100%      1/1    6.2     98   6/6    1.67    4.02
simple + paragraph       0.900  1.000  0.923  1.000       80%      1/1    3.0     95   6/6    0.64    0.81
adaptive + paragraph     0.800  0.800  0.800  0.800       80%      1/1    7.3     63   6/6    0.96    2.91
floor (word)             0.213
ceiling (word)           1.000
Best Recall 1.000: simple + word, adaptive + word (a tie: one question is worth 0.200)
Questions to look at:
  q_006 (2 of 4 setups) simple + paragraph: recall 0.50 found ['remote_work.md'] missed ['expenses.md']
"""
    assert text(the_report_of_the_specification()) == expected


def search(name: str = "search + word", **values: Any) -> Result:
    return replace(
        result(setup(name, generates=False, chunker="word"), [scored(status="searched", seconds=0.0071)] * 6), **values
    )


def test_the_retrieval_report_has_its_cut_in_the_headers_and_milliseconds() -> None:
    expected = """\
Retrieval report: 6 questions, top_n=5
setup                   Recall@5  MRR@5  nDCG@5  Hit@5  Words     n  p50 ms  p95 ms
-----------------------------------------------------------------------------------
search + word              1.000  1.000   1.000  1.000     50   6/6     7.1     7.1
"""
    assert text(a_report(search(), answerable=6)) == expected
    assert "6 questions (5 answerable), top_n=5\n" in text(a_report(search()))


def test_where_top_n_is_swept_no_cut_is_named() -> None:
    rows = [search(), search(setup=replace(setup("other", generates=False), k=3))]
    assert text(a_report(*rows)).startswith(
        "Retrieval report: 6 questions (5 answerable)\nsetup                   Recall@k  MRR@k"
    )
    assert json.loads(report_json(a_report(*rows)))["k"] is None
    assert json.loads(report_json(a_report(search())))["k"] == 5


def test_search_and_end_to_end_setups_have_tables_of_their_own() -> None:
    blocks = text(a_report(search(), a_result("simple + word", PERFECT))).split("\n\n")
    assert [block.split(":")[0] for block in blocks] == ["End-to-end report", "Retrieval report"]
    assert "search + word" not in blocks[0] and "simple + word" not in blocks[1]


@pytest.mark.parametrize(
    ("seconds", "unit"),
    [([0.3, 0.9994], "p50 ms   p95 ms"), ([0.3, 1.0], "p50 s   p95 s")],
    ids=["all under a second", "one is not"],
)
def test_milliseconds_in_both_when_all_are_under_a_second(seconds: list[float], unit: str) -> None:
    report = a_report(*(a_result(f"setup {p95}", PERFECT, p50_s=0.2, p95_s=p95) for p95 in seconds))
    assert unit.split() == text(report).splitlines()[1].split()[-4:]


def test_the_header_says_how_many_setups_ran_side_by_side() -> None:
    two, one = ({"jobs": jobs} for jobs in (2, 1))
    word, page = a_result("simple + word", PERFECT, run=two), a_result("simple + page", PERFECT, run=two)
    for rows, header in [
        ((word, page), "p50 s (2 side by side) p95 s"),
        ((word, replace(page, run=one)), "p50 s (1 to 2 side by side) p95 s"),  # runs that were collected
        ((replace(word, run=one), page), "p50 s (1 to 2 side by side) p95 s"),
        ((replace(word, run=one), replace(page, run=one)), "p50 s p95 s"),
    ]:
        assert " ".join(text(a_report(*rows)).splitlines()[1].split()).endswith(f" n {header}")


def test_refused_is_a_column_only_where_something_should_be_refused() -> None:
    assert "Refused" not in text(a_report(a_result("simple + word", PERFECT, refused=0, unanswerable=0), answerable=6))


# ---- failures ----------------------------------------------------------------------------------------------------------


def failed(name: str, error: str = "worker died (signal 9)") -> Result:
    return result(setup(name), [scored(status="failed", view=NOTHING, error=error)] * 6)


def test_f20_a_setup_without_a_question_that_ran_shows_failed_and_why() -> None:
    lines = text(a_report(a_result("simple + word", PERFECT), failed("simple + page"))).splitlines()
    row = next(line for line in lines if line.startswith("simple + page"))
    assert row.split()[3:] == ["failed", "-", "-", "-", "-", "-", "-", "-", "0/6", "-", "-"]
    assert "failed: simple + page: worker died (signal 9)" in lines
    assert "Best Recall 1.000: simple + word" in lines


def test_f21_the_terminal_shows_40_rows_and_every_failed_one_the_files_all() -> None:
    rows = [a_result(f"setup {number:03}", PERFECT) for number in range(60)]
    rows[50] = failed("setup 050")
    report = a_report(*rows)
    shown = [line for line in text(report).splitlines() if line.startswith("setup 0")]
    assert [line[:9] for line in shown] == [*(f"setup {number:03}" for number in range(40)), "setup 050"]
    assert "... and 19 more in report.csv\n" in text(report)
    assert len(report_csv(report).splitlines()) == 61
    assert markdown(report).partition("\n### ")[0].count("\n| setup 0") == 60
    assert len(json.loads(report_json(report))["setups"]) == 60


# ---- best --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("means", "sort", "line"),
    [
        ([(0.9, 1, 1, 1), (1, 0.5, 0.6, 1)], None, "Best Recall 1.000: b (a 0.900 is within one question, 0.200)"),
        (
            [(0.9, 1, 0.7, 1), (1, 0.5, 0.6, 1), (0.9, 1, 0.8, 1)],
            None,
            "Best Recall 1.000: b (c, a 0.900 are within one question, 0.200)",
        ),
        (
            [(0.9, 1, 0.8, 0), (1, 0.5, 0.6, 1), (0.9, 1, 0.8, 1)],
            None,
            "Best Recall 1.000: b (a, c 0.900 are within one question, 0.200)",
        ),
        (
            [(0.9, 1, 0.8, 1), (0.9, 1, 0.9, 1), (1, 0, 0.1, 1)],
            "ndcg",
            "Best nDCG 0.900: b (a 0.800 is within one question, 0.200)",
        ),
        ([(0.7, 1, 1, 1), (1, 0.5, 0.6, 1)], None, "Best Recall 1.000: b"),
        (
            [(1, 1, 0.9, 1), (1, 1, 0.9, 1), (1, 1, 0.8, 1)],
            None,
            "Best Recall 1.000: a, b (nDCG 0.900 decides among 3 equals: c 0.800; a tie: one question is worth 0.200)",
        ),
        ([(1, 0.9, 0.8, 1), (1, 0.5, 0.9, 1)], None, "Best Recall 1.000: b (nDCG 0.900 decides among 2 equals: a 0.800)"),
        ([(1, 0.9, 0.8, 1), (1, 1, 0.8, 1)], None, "Best Recall 1.000: b (MRR 1.000 decides among 2 equals: a 0.900)"),
        ([(1, 1, 0.8, 1), (1, 1, 0.8, 0)], None, "Best Recall 1.000: a, b (a tie: one question is worth 0.200)"),
        ([(0.9996, 1, 1, 1), (0.9999, 1, 1, 1)], None, "Best Recall 1.000: a, b (a tie: one question is worth 0.200)"),
        ([(0.9996, 1, 0.9, 1), (0.9999, 1, 0.8, 1)], None, "Best Recall 1.000: a (nDCG 0.900 decides among 2 equals: b 0.800)"),
        ([(0.9, 1, 0.8, 1), (1, 1, 0.7, 1)], "ndcg", "Best nDCG 0.800: a (b 0.700 is within one question, 0.200)"),
    ],
)
def test_best(means: list[tuple[float, ...]], sort: str | None, line: str) -> None:
    rows = [a_result(name, values) for name, values in zip("abc", means, strict=False)]
    assert line in text(a_report(*rows, sort=sort)).splitlines()


def test_report_sort_sorts_every_output_and_the_least_time_is_best() -> None:
    rows = [a_result("slow", PERFECT, p50_s=2.0), a_result("quick", (0, 0, 0, 0), p50_s=1.0), failed("broken")]
    report = a_report(*rows, sort="p50")
    assert [row["setup"] for row in csv.DictReader(StringIO(report_csv(report)))] == ["quick", "slow", "broken"]
    assert [row["name"] for row in json.loads(report_json(report))["setups"]] == ["quick", "slow", "broken"]
    assert "run: Best p50 1.00 s: quick" in text(report).splitlines(), "a measured time may differ from run to run"


@pytest.mark.parametrize(
    ("times", "line"),
    [
        ({"a": (0.0053, 0.1), "b": (0.0041, 0.1)}, "run: Best p50 4.1 ms: b"),
        ({"a": (0.00531, 0.1), "b": (0.00529, 0.1)}, "run: Best p50 5.3 ms: a, b (a tie)"),
        ({"a": (0.0043, 1.0), "b": (0.0041, 0.1)}, "run: Best p50 0.00 s: b, a (a tie)"),
    ],
    ids=["apart in the table", "equal in the table", "equal in a table of seconds"],
)
def test_the_least_time_is_told_in_the_unit_of_the_table(times: dict[str, tuple[float, float]], line: str) -> None:
    rows = [a_result(name, PERFECT, p50_s=p50, p95_s=p95) for name, (p50, p95) in times.items()]
    assert line in text(a_report(*rows, sort="p50")).splitlines()


def test_a_lone_setup_is_not_called_the_best() -> None:
    assert "Best" not in text(a_report(a_result("simple + word", PERFECT)))


def test_a_setup_that_broke_is_not_the_best_whatever_its_numbers() -> None:
    rows = [a_result("a", PERFECT, status="failed", error="worker died (signal 9)"), a_result("b", (0.5,) * 4)]
    assert "Best Recall 0.500: b" in text(a_report(*rows)).splitlines()


def test_floors_and_ceilings_are_those_of_the_rows_above_them() -> None:
    bounds = [
        Bounds("word", 5, 0.1, 0.9, exact=False),
        Bounds("word", 3, 0.2, 1, exact=True),
        Bounds("page", 5, 0.3, 1, exact=True),
    ]
    lines = text(a_report(a_result("simple + word", PERFECT), bounds=bounds)).splitlines()
    assert [line.split() for line in lines if "(word)" in line or "(page)" in line] == [
        ["floor", "(word)", "0.100"],
        ["ceiling", "(word)", "<=0.900"],
    ]


# ---- questions to look at ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("score", "line"),
    [
        (scored(view=HALF, found=("a",), missed=("b",)), "recall 0.50 found ['a'] missed ['b']"),
        (scored(status="abstained"), "wrong refusal, recall 1.00"),
        (
            scored(status="abstained", view=HALF, found=("a",), missed=("b",)),
            "wrong refusal, recall 0.50 found ['a'] missed ['b']",
        ),
        (
            scored(status="abstained", view=NOTHING, retrieved=FULL, missed=("b",)),
            "refused without evidence, recall 0.00 found [] missed ['b'], retrieved recall 1.00",
        ),
        (scored(status="gave_up", view=NOTHING, retrieved=FULL), "gave up, retrieved recall 1.00"),
        (scored(status="failed", view=NOTHING, error="server said 500"), "failed: server said 500"),
        (scored(status="empty"), "empty answer, recall 1.00"),
        (scored(status="cut"), "answer cut off, recall 1.00"),
        (scored(view=None), "answered although unanswerable"),
    ],
)
def test_what_to_look_at(score: Score, line: str) -> None:
    report = a_report(result(setup("simple + word"), [scored("other"), score]))
    assert f"  q_1 (1 of 1 setups) simple + word: {line}" in text(report).splitlines()


@pytest.mark.parametrize(
    ("rerankers", "said"),
    [
        (["none", "none"], "cut at top_n"),
        (["blend", "mmr"], "lost in reranking"),
        (["blend", "none"], "lost in reranking, or cut at top_n"),
    ],
)
def test_without_a_reranker_evidence_is_cut_and_not_lost(rerankers: list[str], said: str) -> None:
    setups = [replace(setup(name), options={"reranker": name}) for name in rerankers]
    report = a_report(*(result(each, [scored(view=HALF, ends=("cited", "reranking"))]) for each in setups))
    assert f"  evidence of all setups: {said} 50.0%, cited 50.0%" in text(report).splitlines()
    assert f" | not retrieved | {said} | withheld | " in markdown(report)


def test_each_stage_says_how_many_questions_its_means_are_over() -> None:
    """Two answerable questions and one unanswerable; one has quotes and an answer to compare with, none has facts."""
    marks = {"reranking": Reranking(FULL, FULL, 0, 0), "retrieved_at": {1: FULL}}
    scores = [
        scored("a", context=Context(1, 0, Characters(1, 1, 1)), grades=Grades(1, 1, None, 1, 1, 1), **marks),
        scored("b", context=Context(1, 0, None), grades=Grades(None, None, None, 1, 1, 1), **marks),
        scored("c", "abstained", None),
    ]
    rows = markdown(a_report(result(setup("simple + word"), scores))).splitlines()
    cells = {}
    for header, row in zip(rows, rows[2:], strict=False):
        if header.startswith("| setup |") and "| n |" in f"{header.rstrip()}":
            cells |= dict(zip(header.split(" | ")[1:], row.removesuffix(" |").split(" | ")[1:], strict=False))
    assert {key: cells[key] for key in cells if key.startswith("n ")} == {
        "n (characters)": "1",
        "n (answers)": "1",
        "n (unanswerable)": "1",
        "n |": "2",
    }
    failed = markdown(a_report(result(setup("simple + word"), [scored("a", "failed", NOTHING, error="no")])))
    assert "| n |" not in failed.partition("### ")[2]


def test_ten_questions_that_most_setups_missed_and_how_many_more() -> None:
    rare = [scored(f"q_{number}", view=HALF) for number in range(20)]
    rows = [result(setup("a"), rare), result(setup("b"), [scored("q_0"), *rare[:16:-1]])]
    lines = text(a_report(*rows)).splitlines()
    looks = lines[lines.index("Questions to look at:") + 1 :]
    assert [look.split()[0] for look in looks[:4]] == ["q_17", "q_18", "q_19", "q_0"]
    assert looks[0].startswith("  q_17 (2 of 2 setups) a:")
    assert (len(looks), looks[-1]) == (11, "  ... and 10 more in questions.csv")


# ---- files -------------------------------------------------------------------------------------------------------------


def test_report_csv_has_axes_then_result_columns_then_run_columns() -> None:
    report = the_report_of_the_specification()
    header, *rows = list(csv.reader(StringIO(report_csv(report))))
    run = [column for column in RUN_COLUMNS if column != "seconds"]
    assert [*header[: 2 + len(RESULT_COLUMNS)], *header[-len(run) :]] == ["rag_type", "chunker", *RESULT_COLUMNS, *run]
    assert len(set(header)) == len(header)
    assert [row[:3] for row in rows][1] == ["adaptive", "word", "adaptive + word"]
    assert all(len(row) == len(header) for row in rows)


def test_report_json_has_the_keys_of_the_specification() -> None:
    report = json.loads(report_json(the_report_of_the_specification()))
    assert {"format", "dataset", "questions", "k", "rule", "fixed", "setups", "floors", "ceilings"} <= set(report)
    row = report["setups"][0]
    metrics = {"recall", "mrr", "ndcg", "hit", "all", "precision", "answered", "refused", "steps", "words"}
    assert {"id", "name", "options", "status", "n_ok", "n", "retrieved", "missed", "run"} | metrics <= set(row)
    assert set(row["retrieved"]) == {"recall", "mrr", "ndcg"}
    assert {"p50_s", "p95_s"} <= set(row["run"])
    assert not set(RUN_COLUMNS) & set(row), "what may differ from run to run stands under run"


def test_j3_json_is_strict_and_what_is_missing_is_null() -> None:
    row = json.loads(report_json(a_report(failed("simple + page"))))["setups"][0]
    assert (row["status"], row["recall"], row["run"]["p50_s"]) == ("failed", None, None)
    with pytest.raises(ValueError, match="JSON"):
        report_json(a_report(a_result("simple + word", (float("nan"),) * 4)))


def test_questions_csv_has_a_row_for_each_setup_and_question() -> None:
    report = the_report_of_the_specification()
    rows = list(csv.DictReader(StringIO(questions_csv(report, lambda _: [scored("q_1"), MISSED, scored("q_9", view=None)]))))
    assert [(row["setup"], row["question_id"]) for row in rows[:4]] == [
        *(("simple + word", id) for id in ("q_1", "q_006", "q_9")),
        ("adaptive + word", "q_1"),
    ]
    assert (rows[1]["recall"], json.loads(rows[1]["missed"])) == ("0.5", ["expenses.md"])
    assert rows[2]["recall"] == "", "an unanswerable question has no recall"


# ---- text that others wrote --------------------------------------------------------------------------------------------

EVIL = "\x1b[2J<img src=x> | `a` [b](http://c)\n# d\u202e"


@pytest.mark.parametrize("cell", ["=1+1", "+1", "-1", "@a", "\t=1", "\rx"])
def test_j4_cells_that_a_spreadsheet_would_run_are_made_inert(cell: str) -> None:
    row = next(
        csv.DictReader(StringIO(questions_csv(a_report(search()), lambda _: [scored(cell, question=cell, answer=cell)])))
    )
    assert [row[column] for column in ("question_id", "question", "answer")] == ["'" + cell.replace("\r", "\n")] * 3


def test_negative_numbers_are_numbers() -> None:
    report = a_report(replace(search(), setup=setup("search", chunk_overlap=-1)), axes={"chunk_overlap": [-1]})
    assert report_csv(report).splitlines()[1].startswith("-1,search,")


def test_terminal_codes_are_shown_and_markdown_is_escaped() -> None:
    score = scored(EVIL, view=HALF, missed=(EVIL,))
    report = a_report(result(setup(EVIL), [score]), failed("b", error=EVIL), dataset=EVIL, notices=[EVIL], run_lines=[EVIL])
    for output in (text(report), markdown(report)):
        assert all(character.isprintable() or character == "\n" for character in output)
    assert "\\x1b[2J" in text(report)
    for forbidden in ("<img", "[b](", " | `", "\n# d"):
        assert forbidden not in markdown(report).removeprefix("# ")
    lines = groupby(markdown(report).replace("\\|", "").splitlines(), lambda line: line.startswith("| "))
    tables = [list(block) for is_table, block in lines if is_table]
    assert all(len({line.count("|") for line in table}) == 1 for table in tables)
    assert tables


def test_j5_ids_become_no_paths(tmp_path: Path) -> None:
    report = a_report(replace(search(), setup=setup("../../x")))
    write_reports(report, tmp_path / "run", lambda _: [scored("../../y")])
    assert sorted(path.name for path in tmp_path.rglob("*") if path.is_file()) == [
        "questions.csv",
        "report.csv",
        "report.json",
        "report.md",
    ]
    assert "../../y" in (tmp_path / "run" / "questions.csv").read_text(encoding="utf-8")
