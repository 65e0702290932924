import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragsweep.index import ordered
from ragsweep.retrievers.fusion import convex, rrf

RANKINGS = st.lists(st.dictionaries(st.integers(0, 9), st.floats(-1, 1), max_size=8).map(ordered), min_size=2, max_size=2)


@given(RANKINGS, st.sampled_from([rrf, convex]))
def test_every_chunk_of_either_list_is_ranked_once_in_the_one_true_order(lists, fuse):
    fused = fuse(lists, [0.5, 0.5])
    assert {place for place, _ in fused} == {place for ranking in lists for place, _ in ranking}
    assert fused == ordered(dict(fused)) == fuse(lists[::-1], [0.5, 0.5])


@given(RANKINGS)
def test_convex_lies_in_0_to_1(lists):
    assert all(0 <= score <= 1 for _, score in convex(lists, [0.3, 0.7]))


@pytest.mark.parametrize("lists", [[[(4, 2.5)], []], [[(4, 2.5), (7, 2.5)], []]])
def test_a_list_without_spread_gives_its_chunks_1(lists):
    assert {score for _, score in convex(lists, [0.5, 0.5])} == {0.5}


def test_lists_of_weight_0_take_no_part():
    assert rrf([[(1, 1.0)], [(2, 1.0)]], [0.0, 1.0]) == [(2, round(1 / 61, 6))]
    assert convex([[(1, 1.0)], [(2, 1.0)]], [1.0, 0.0]) == [(1, 1.0)]
