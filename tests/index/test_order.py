import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragsweep.index import best, ordered

SCORES = st.lists(st.sampled_from([-0.5, -0.0, 0.0, 0.1, 0.1000001, 0.3, 0.3 + 4e-7, 0.7]), max_size=12)


@given(SCORES, st.integers(0, 15))
def test_the_cut_is_the_prefix_of_the_whole_order(scores, depth):
    whole = sorted(((place, round(score, 6) + 0.0) for place, score in enumerate(scores)), key=lambda r: (-r[1], r[0]))
    assert best(np.array(scores, dtype=np.float64), depth) == whole[:depth]
    assert ordered(dict(enumerate(scores))) == whole
    assert "-0.0" not in f"{best(np.array(scores), depth)} {ordered(dict(enumerate(scores)))}"  # equal, but not as JSON


def test_ties_at_the_cut_keep_the_earlier_chunk_and_so_crown_the_right_setup():
    # Four equal chunks, the evidence is the first: an argpartition cut keeps any two of them.
    scores = np.array([0.5, 0.5, 0.5, 0.5], dtype=np.float32)
    assert [place for place, _ in best(scores, 2)] == [0, 1]
    evidence, k = 0, 2
    plausible = np.argsort(scores, kind="stable")[::-1][:k]  # what bm25s and many peers do: reversed ascending order
    assert evidence not in plausible.tolist()
    assert evidence in [place for place, _ in best(scores, k)]


def test_a_difference_below_six_decimals_is_none():
    assert best(np.array([0.5, 0.5000004]), 1) == [(0, 0.5)]
    assert best(np.array([0.5, 0.500002]), 1) == [(1, 0.500002)]


@pytest.mark.parametrize("depth", [4, 10])
def test_the_best_match_is_first_wherever_it_stands(depth):
    assert best(np.array([0.1, 0.2, 0.3, 0.9]), depth)[0] == (3, 0.9)
    assert len(best(np.array([0.1, 0.2, 0.3, 0.9]), depth)) == 4
