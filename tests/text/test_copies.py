import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragsweep.text.copies import Words, first_equals, is_copy

TEN = "one two three four five six seven eight nine ten"  # 6 shingles


@pytest.mark.parametrize(
    ("a", "b", "jaccard"),
    [
        (TEN, TEN.upper() + "!", 1.0),
        (TEN, TEN.replace("ten", "eleven"), 5 / 7),
        (TEN, TEN.removesuffix(" ten"), 5 / 6),
        (TEN, TEN.replace("five", "5").replace("six", "6"), 0.0),
        ("Twenty days.", "twenty days", 1.0),  # shorter than five words: the whole text
        ("Twenty days.", "twenty", 0.0),
        ("***", "---", 0.0),  # no words: compared as they stand
        ("***", " *** ", 1.0),
        ("", "", 1.0),
    ],
)
def test_jaccard(a, b, jaccard):
    one, other = Words(a).shingles, Words(b).shingles
    assert len(one & other) / len(one | other) == jaccard
    for threshold in (0.5, 5 / 7, 5 / 6, 1.0):
        assert is_copy(one, other, threshold) == is_copy(other, one, threshold) == (jaccard >= threshold)


def test_a_threshold_that_is_met_exactly_is_met():
    a, b = frozenset((str(i),) for i in range(25)), frozenset((str(i),) for i in range(7))
    assert 0.28 * 25 > 7  # the product is rounded up: a test by multiplying would miss it
    assert is_copy(a, b, 0.28)


@given(st.text(st.characters(max_codepoint=0x180)))
def test_words_are_runs_of_letters_digits_and_underscores(text):
    folded = text.casefold()
    assert Words(text).distinct == set(re.findall(r"\w+", folded) or [folded.strip()])


@given(st.lists(st.lists(st.sampled_from(["a", "b", "c", "A", ".", "é"]), max_size=9).map(" ".join), max_size=9))
def test_the_first_equal_text_is_the_first_copy_at_a_threshold_of_1(texts):
    shingles = [Words(text).shingles for text in texts]
    firsts = [next(place for place, each in enumerate(shingles) if is_copy(each, one, 1.0)) for one in shingles]
    assert first_equals(texts).tolist() == firsts


def test_equal_are_the_shingles_not_the_words_nor_the_text():
    backwards = " ".join(reversed(TEN.split()))
    assert first_equals([TEN, backwards, TEN.upper()]).tolist() == [0, 1, 0]
    assert first_equals(["a b c d e f a b c d", "b c d e f a b c d e"]).tolist() == [0, 0]  # one circle, begun at two places
