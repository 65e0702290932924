"""Recall that chance reaches too, and a budget of words that chunkings fill unequally, are said; nothing else is."""

from dataclasses import replace

import pytest

from ragsweep.reporting.remarks import remarks
from ragsweep.results import Bounds


def with_floor(report, floor):
    return replace(report, bounds=[Bounds("word", 2, floor, 1.0, exact=True)])


@pytest.mark.parametrize(
    ("floor", "said"),
    [
        (0.4994, []),
        (0.4996, ["adaptive + word 0.500 (floor 0.500)"]),
        (0.5, ["adaptive + word 0.500 (floor 0.500)"]),
        (0.76, ["adaptive + word 0.500 (floor 0.760)", "simple + word 0.750 (floor 0.760)"]),
        (
            1.0,
            ["adaptive + word 0.500 (floor 1.000)", "search + word 1.000 (floor 1.000)", "simple + word 0.750 (floor 1.000)"],
        ),
    ],
)
def test_recall_not_over_the_floor_of_its_own_chunking(report, floor, said):
    """Adaptive has 0.5, simple 0.75, search 1; search + page has 1 too, and no floor here."""
    expected = "Recall no better than that of the same chunks in a random order: {}: it says nothing for the search"
    assert remarks(with_floor(report, floor)) == [expected.format(", ".join(said))] * bool(said)


def test_a_setup_that_did_not_run_to_its_end_is_not_judged(report):
    unfinished = [replace(result, status="unfinished") for result in report.results]
    assert remarks(replace(with_floor(report, 1.0), results=unfinished)) == []


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ({"word": 100, "page": 84}, False),
        ({"word": 100, "page": 83}, True),
        ({"word": 100, "page": 0}, True),
        ({"word": 100}, False),
    ],
)
def test_one_budget_filled_unequally(report, words, said):
    """The first setup of each chunking gave up half of its questions: what it was given is no sign of the chunks."""
    results = [
        replace(result, words=given, setup=replace(result.setup, chunking=chunking, context_words=120))
        for chunking, most in words.items()
        for result, given in zip(report.results[:2], (most / 2, most), strict=True)
    ]
    found = remarks(replace(report, results=[replace(result, status="ok") for result in results], bounds=[]))
    assert [
        each.startswith("context_words=120 is filled unequally: word gives 100 words a question, page") for each in found
    ] == [True] * said


@pytest.mark.parametrize(
    ("words", "recorded", "said"),
    [
        ((1489.0, 26.0), True, ["top_n=2 is no equal room: whole gives 1489 words a question, page 26: longer passages hold"]),
        ((30.0, 26.0), True, []),
        ((1489.0, None), True, []),  # what nobody knows is not few
        ((1489.0, 26.0), False, []),  # of chunks of ours the sizes are told
    ],
)
def test_a_system_that_gives_whole_files_is_told_from_one_that_finds_passages(report, words, recorded, said):
    first, second = report.results[:2]
    whole = replace(first.setup, chunking="whole", k=2, unknown=("chunking",) if recorded else ())
    results = [
        replace(first, status="ok", words=words[0], setup=whole),
        replace(second, status="ok", words=words[1], setup=replace(second.setup, chunking="page", k=2)),
    ]
    found = remarks(replace(report, results=results, bounds=[]))
    assert [each for each in found if "room" in each] == [each for each in found if said and each.startswith(said[0])]
    assert len([each for each in found if "room" in each]) == len(said)


def test_different_budgets_are_not_compared(report):
    results = [
        replace(result, status="ok", words=room, setup=replace(result.setup, context_words=room))
        for result, room in zip(report.results, (60, 120), strict=False)
    ]
    assert remarks(replace(report, results=results, bounds=[])) == []


@pytest.mark.parametrize(("ran", "status"), [(3, "ok"), (2, "partial"), (0, "failed"), (2, "unfinished")])
def test_rows_that_failed_questions_made_lower_are_named(report, ran, status):
    """A server that went away in the middle of a setup costs it scores; the best of the others is then no finding."""
    first, *others = [replace(each, status="ok", n_ok=3) for each in report.results]
    found = remarks(replace(report, results=[replace(first, status=status, n_ok=ran), *others], bounds=[]))
    name = first.setup.name
    said = f"questions that failed count 0: {name} 1 of 3: lower numbers there may be the fault's, and not the setup's"
    assert found == [said] * (status == "partial")


@pytest.mark.parametrize(
    ("answered", "sort", "said"),
    [
        ((0.5, 0.5), None, None),
        ((0.5, 1.0), None, "a 50%, b 100%: report.sort=answered chooses by it"),
        ((0.5, 1.0), "answered", None),
        ((0.5, 1.0), "words", "a 50%, b 100%: report.sort=answered chooses by it"),
        ((None, None), None, None),
        ((0.5, 1.0), "p50", None),
    ],
)
def test_a_tie_of_two_generators_over_one_search_is_no_tie_of_their_answers(report, answered, sort, said):
    """The first in the table is taken for best.yaml and the gate, however badly it answers."""
    one = next(each for each in report.results if each.setup.generates and each.status == "ok")
    results = [
        replace(one, setup=replace(one.setup, name=name, generates=share is not None), answered=share)
        for name, share in zip("ab", answered, strict=True)
    ]
    found = remarks(replace(report, results=results, bounds=[], sort=sort, axes={}))
    assert found == ([f"setups that tie for the best differ in Answered: {said}"] if said else [])


@pytest.mark.parametrize(("words", "said"), [((100, 84), False), ((100, 83), True)])
def test_rows_cut_at_different_top_n(report, words, said):
    chosen = [each for each in report.results if each.status == "ok"][:2]
    results = [
        replace(each, words=given, setup=replace(each.setup, k=k)) for each, given, k in zip(chosen, words, (5, 2), strict=True)
    ]
    cut = replace(report, results=results, axes={**report.axes, "top_n": [5, 2]})
    first, second = (each.setup.name for each in chosen)
    expected = (
        f"rows are cut at different top_n: {first} gives 100 words a question, {second} {words[1]}: "
        "more hits hold evidence more easily, and each row's metrics are at its own k"
    )
    assert (expected in remarks(cut)) is said
    assert expected not in remarks(replace(cut, axes=report.axes)), "only where it is swept"
