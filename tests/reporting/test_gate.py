"""A gate is held against the setup of the Best line, number by number, in the direction of each column, without rounding."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragsweep.errors import InputErrors
from ragsweep.reporting.columns import GATES, OF_JUDGE, RESULT_COLUMNS, RUN_COLUMNS
from ragsweep.reporting.gate import Checked, from_flags, gate_lines, is_least, mistakes, outcome
from ragsweep.reporting.stages import stages
from ragsweep.reporting.tables import best_of
from ragsweep.results import Gate


def held(report, setup=None, **limits):
    return outcome(replace(report, gate=Gate(limits, setup)))


def test_every_metric_is_a_column_of_the_reports(report):
    assert set(GATES) - set(OF_JUDGE) <= {*RESULT_COLUMNS, *RUN_COLUMNS}
    assert set(OF_JUDGE) <= {number.key for stage in stages(replace(report, judge="j")) for number in stage.numbers}


def test_what_is_a_least_and_what_a_most():
    """Written out, so that a new column has to be thought of."""
    most = {"steps", "words", "calls", "tokens", "cost", "p50_s", "p95_s"}
    least = {"recall", "mrr", "ndcg", "hit", "all", "precision", "answered", "refused"}
    least |= {"retrieved_recall", "retrieved_mrr", "retrieved_ndcg", "judge_correct", "judge_grounded"}
    assert {metric for metric in GATES if is_least(metric)} == least
    assert {metric for metric in GATES if not is_least(metric)} == most


def test_it_is_the_setup_of_the_first_best_line(report):
    """simple + word has Recall 0.75, adaptive + word 0.5; both search setups have 1, in a table of their own."""
    assert best_of(report).chosen.setup.name == "simple + word"
    assert held(report, recall=0.75).reached
    assert not held(report, recall=0.76).reached, "the best of the search table is not the best setup"
    assert not held(report, recall=0.7, refused=1.0).reached, "each number of one setup, not the best of each column"


def test_sort_chooses_the_setup_that_is_judged(report):
    """By Refused adaptive + word is best (1 of 1), though its Recall of 0.5 is below simple's and below the mean, 0.625."""
    by_refused = replace(report, sort="refused")
    assert best_of(by_refused).chosen.setup.name == "adaptive + word"
    assert held(by_refused, recall=0.5).reached
    assert not held(by_refused, recall=0.6).reached


def test_a_named_setup_is_judged_in_place_of_the_best(report):
    ids = {result.setup.name: result.setup.id for result in report.results}
    assert not held(report, ids["adaptive + word"], recall=0.6).reached
    assert held(report, ids["search + word"], recall=1.0).reached


def test_a_failed_setup_reaches_nothing(report):
    ids = {result.setup.name: result.setup.id for result in report.results}
    failed = replace(report, gate=Gate({"recall": 0.0, "p95_s": 1000.0}, ids["simple + page"]))
    assert [each.reached for each in outcome(failed).checked] == [False, False]
    assert gate_lines(failed) == ["gate: not reached: simple + page (gate.setup) failed"]
    broke = [replace(result, status="failed") for result in report.results]
    whole = replace(failed, results=broke, gate=Gate({"recall": 0.0}))
    assert not outcome(whole).reached
    assert gate_lines(whole) == ["gate: not reached: no setup is the best, as none ran to its end or no question is answerable"]


def test_search_does_not_stand_in_for_failed_end_to_end_setups(report):
    broke = [replace(each, status="failed" if each.setup.generates else each.status) for each in report.results]
    assert best_of(replace(report, results=broke)) is None
    assert not outcome(replace(report, results=broke, gate=Gate({"recall": 0.1}))).reached


def test_of_a_tie_the_first_in_the_table_is_judged_and_it_says_so(report):
    """Both search setups have 1 throughout, and word stands before page in the axes, though not in the results."""
    search = [result for result in report.results if not result.setup.generates]
    assert [result.setup.chunking for result in search] == ["page", "word"]
    tied = replace(report, results=search, gate=Gate({"recall": 1.0}))
    says = "the best setup, of 2 that tie on Recall, nDCG and MRR, the first in the table"
    assert gate_lines(tied) == [f"gate: reached by search + word ({says}): recall 1.000 (at least 1)"]
    assert "of 2 that tie on MRR and nDCG, the first" in gate_lines(replace(tied, sort="mrr"))[0]
    assert "of 2 that tie on Words, nDCG and MRR, the first" in gate_lines(replace(tied, sort="words"))[0]


def test_each_number_that_falls_short_has_its_line(report):
    gated = replace(report, gate=Gate({"recall": 0.9, "mrr": 0.5, "p95_s": 0.5, "words": 60}))
    assert gate_lines(gated) == [
        "gate: not reached by simple + word (the best setup):",
        "  recall 0.750 is 0.150 under 0.9",
        "  p95_s 1.375 is 0.875 over 0.5",
    ]
    assert gate_lines(replace(gated, whole=20))[0] == (
        "gate (PARTIAL: 3 of 20 questions): not reached by simple + word (the best setup):"
    )
    assert gate_lines(replace(report, gate=Gate({"recall": 0.7, "words": 60}))) == [
        "gate: reached by simple + word (the best setup): recall 0.750 (at least 0.7), words 60.000 (at most 60)"
    ]
    assert gate_lines(report) == []


@pytest.mark.parametrize(
    ("checked", "shown"),
    [
        (Checked("recall", 0.9, 0.8999), "recall 0.8999 is 0.0001 under 0.9"),
        (Checked("recall", 0.9, 0.8995001), "recall 0.8995 is 0.0005 under 0.9"),
        (Checked("recall", 0.9, 0.8), "recall 0.800 is 0.100 under 0.9"),
        (Checked("p95_s", 2, 2.00004), "p95_s 2.00004 is 0.00004 over 2"),
        (Checked("p95_s", 0.05, 0.0624), "p95_s 0.062 is 0.012 over 0.05"),
        (Checked("words", 100, 160.5), "words 160.500 is 60.500 over 100"),
        (Checked("cost", 0.01, 0.0346), "cost 0.0346 is 0.0246 over 0.01"),
        (Checked("cost", 0.0002, 0.00021), "cost 0.00021 is 0.00001 over 0.0002"),
        (Checked("refused", 0.5, None), "refused has no value, and is to be at least 0.5"),
    ],
)
def test_a_number_that_falls_short_never_looks_as_if_it_did_not(checked, shown):
    assert not checked.reached
    assert str(checked) == shown


def test_a_cost_that_is_reached_has_the_decimals_of_its_column():
    assert str(Checked("cost", 0.001, 0.0004)) == "cost 0.0004 (at most 0.001)"


@given(st.sampled_from(sorted(GATES)), st.floats(0, 1), st.floats(0, 1))
def test_reached_is_by_the_number_and_shown_so(metric, limit, value):
    checked = Checked(metric, limit, value)
    short = limit - value if is_least(metric) else value - limit
    if abs(short) > 1e-8:
        assert checked.reached == (short < 0)
    if not checked.reached:
        _, shown, _, by, _, _ = str(checked).split()
        assert float(shown) < limit if is_least(metric) else float(shown) > limit
        assert float(by) > 0


def test_noise_of_the_last_bit_is_no_shortfall():
    """Three questions with recalls of 1, 1 and 0.7, added in floating point, have a mean just under 0.9."""
    mean = (1 / 3) + (1 / 3) + (0.7 / 3)
    assert mean < 0.9
    assert Checked("recall", 0.9, mean).reached
    assert not Checked("recall", 0.9, 0.9 - 1e-6).reached


@pytest.mark.parametrize(
    ("gate", "said"),
    [
        ({"recal": 0.9}, ["gate.recal: there is no such metric; did you mean 'recall'?"]),
        ({"p95": 2}, ["gate.p95: there is no such metric; did you mean 'p95_s'?"]),
        ({"recall": 90}, ["gate.recall=90: write a number from 0 to 1, 0.9 for 90 %"]),
        ({"recall": "0.9"}, ["gate.recall='0.9': write a number from 0 to 1"]),
        (
            {"recall": True, "steps": -1},
            ["gate.recall=True: write a number from 0 to 1", "gate.steps=-1: write a number of 0 or more"],
        ),
        ({"p95_s": float("inf")}, ["gate.p95_s=inf: write a number of 0 or more"]),
        ({"recall": float("nan")}, ["gate.recall=nan: write a number from 0 to 1"]),
        ({"setup": "word"}, ["gate: names no metric: write one, as in gate: {recall: 0.9}"]),
        ({"setup": 3, "hit": 1}, ["gate.setup=3: write the name of a setup"]),
        ({"setup": "word", "recall": 0.9, "p95_s": 2}, []),
        ({}, []),
    ],
)
def test_mistakes_in_a_gate(gate, said):
    assert mistakes(gate) == said


def test_flags():
    assert from_flags(["recall=0.9", "hit=1"], ["p95_s=2"]) == {"recall": 0.9, "hit": 1.0, "p95_s": 2.0}
    with pytest.raises(InputErrors) as error:
        from_flags(["recall", "p95_s=2", "recal=0.9", "hit=2"], ["mrr=0.5", "words="])
    assert error.value.messages == (
        "--fail-under recall: write METRIC=NUMBER, as in recall=0.90",
        "--fail-under p95_s=2: p95_s is better the lower: write --fail-over",
        "--fail-under recal=0.9: recal: there is no such metric; did you mean 'recall'?",
        "--fail-under hit=2: hit=2.0: write a number from 0 to 1",
        "--fail-over mrr=0.5: mrr is better the higher: write --fail-under",
        "--fail-over words=: write METRIC=NUMBER, as in p95_s=2",
    )
