"""Character metrics: by hand, and against sets of characters."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragsweep.metrics.characters import Passage, characters, precision_omega

spans = st.tuples(st.integers(0, 12), st.integers(1, 5)).map(lambda found: (found[0], sum(found)))
passages = st.lists(st.builds(lambda id, span: (id, *span), st.sampled_from("ab"), spans), max_size=5)


def places(found: Sequence[Passage]) -> set[tuple[str, int]]:
    return {(id, place) for id, start, end in found for place in range(start, end)}


@given(passages, passages.filter(bool))
def test_characters_are_those_of_sets(given_: list[Passage], evidence: list[Passage]) -> None:
    covered, size = len(places(given_) & places(evidence)), sum(end - start for _, start, end in given_)
    score = characters(given_, evidence)
    assert score.recall == covered / len(places(evidence))
    assert score.precision == (covered / size if size else 0)
    assert score.iou == covered / (size + len(places(evidence) - places(given_)))


@given(passages, passages.filter(bool))
def test_precision_omega_is_that_of_sets(chunks: list[Passage], evidence: list[Passage]) -> None:
    touching = [
        (id, start, end)
        for id, start, end in chunks
        if any(id == other and start <= last and first <= end for other, first, last in evidence)
    ]
    covered = places(touching) & places(evidence)
    assert precision_omega(chunks, evidence) == len(covered) / len(places(touching) | places(evidence))


@pytest.mark.parametrize(
    ("chunks", "evidence", "expected"),
    [
        ([(0, 10)], [(0, 10)], 1.0),
        ([(0, 10), (10, 20)], [(0, 10)], 0.5),  # the second borders on it: it counts, as in the program of the report
        ([(0, 10), (11, 20)], [(0, 10)], 1.0),
        ([(0, 10), (5, 15)], [(5, 10)], 1 / 3),  # each character once, however many chunks hold it
        ([(0, 10)], [(0, 10), (20, 30)], 0.5),  # what no chunk holds counts as given
        ([], [(0, 10)], 0.0),
    ],
)
def test_precision_omega_by_hand(chunks: list[tuple[int, int]], evidence: list[tuple[int, int]], expected: float) -> None:
    assert precision_omega([("a", *span) for span in chunks], [("a", *span) for span in evidence]) == pytest.approx(expected)


def test_another_document_only_adds_to_what_is_given() -> None:
    score = characters([("a", 0, 10), ("b", 0, 10)], [("a", 0, 5)])
    assert (score.recall, score.precision, score.iou) == (1.0, 0.25, 0.25)
    assert precision_omega([("a", 0, 10), ("b", 0, 10)], [("a", 0, 5)]) == 0.5
