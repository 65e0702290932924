import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ragsweep.text.lengths import RULERS, SUMMED, Length
from ragsweep.text.wordpiece import count_tokens
from ragsweep.text.words import count_words, word_spans


@pytest.mark.parametrize(
    ("length", "first", "both"),
    [
        ("words", 2, 3),
        ("characters", 8, 16),
        ("tokens", 3 + 2, 5 + 2),  # one two . day ##off, and the two special tokens once
    ],
)
def test_units_are_measured_alone_and_together(length: Length, first: int, both: int) -> None:
    starts, ends = RULERS[length]("one two.  dayoff", [(0, 8), (10, 16)])
    assert (ends[0] - starts[0], ends[1] - starts[0]) == (first, both)


@given(st.text(alphabet="ab 年。-é\n") | st.text(alphabet="ไท 年。-\n"))
@example("ไท 年ab")
def test_the_ruler_never_shows_less_than_the_whole_text_measures(text: str) -> None:
    """But for a word of Thai and Latin letters, which WordPiece takes for one word and which is cut between them."""
    units = word_spans(text)
    for length, measure in {
        "words": count_words,
        "characters": len,
        "tokens": lambda whole: count_tokens([whole])[0] + 2,
    }.items():
        starts, ends = RULERS[length](text, units)
        assert starts == sorted(starts)
        assert ends == sorted(ends)
        if units:
            assert ends[-1] - starts[0] >= measure(text.strip())


@pytest.mark.parametrize(
    ("length", "first", "both"),
    [
        ("words", 2, 3),
        ("characters", 9, 16),
        ("tokens", 3 + 2, 3 + 2 + 2 + 2 + 2),  # special tokens of each unit, and of the empty text that joins them
    ],
)
def test_units_are_added_up_with_their_white_space(length: Length, first: int, both: int) -> None:
    starts, ends = SUMMED[length]("one two.  dayoff", [(0, 9), (9, 16)])
    assert (ends[0] - starts[0], ends[1] - starts[0]) == (first, both)
    assert SUMMED[length]("", []) == ([], [])
