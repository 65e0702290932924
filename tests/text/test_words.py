import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragsweep.text.words import count_words, word_spans


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", []),
        (" \n\t ", []),
        ("Ask HR, please.", ["Ask", "HR,", "please."]),
        ("no\u00a0break\u3000space", ["no", "break", "space"]),
        ("年休二十日。", ["年", "休", "二", "十", "日。"]),
        ("「はい」と。", ["「", "は", "い」", "と。"]),  # what stands before a character is a run of its own
        ("用GPT-4写。ok", ["用", "GPT-4", "写。", "ok"]),
        ("カー", ["カ", "ー"]),
        ("か\u3099", ["か\u3099"]),  # a combining mark stays with its character
        ("ไทย", ["ไ", "ท", "ย"]),
        ("ที่", ["ที่"]),
        ("ລາວ", ["ລ", "າ", "ວ"]),
        ("កខ", ["ក", "ខ"]),
        ("ကခ", ["က", "ခ"]),
        ("⼈⼈", ["⼈", "⼈"]),  # radicals, as PDF files hold them, are symbols to Unicode
        ("𠀀𠀀", ["𠀀", "𠀀"]),
        ("한국어 문장", ["한국어", "문장"]),  # Korean writes spaces
        ("฿500 ok", ["฿500", "ok"]),
    ],
)
def test_words(text: str, words: list[str]) -> None:
    assert [text[start:end] for start, end in word_spans(text)] == words
    assert count_words(text) == len(words)


@given(st.text(alphabet="ab 年。\n\u0e17\u0e35「"))
def test_words_hold_every_non_space_in_order(text: str) -> None:
    assert "".join(text[start:end] for start, end in word_spans(text)) == "".join(text.split())


@given(st.text(alphabet="ab年。").filter(bool), st.integers(0, 20))
def test_a_cut_never_lowers_the_count(text: str, place: int) -> None:
    assert count_words(text) <= count_words(text[:place]) + count_words(text[place:])


@given(st.text(st.characters(max_codepoint=0x3000)))
def test_their_number_is_that_of_their_spans(text):
    assert count_words(text) == len(word_spans(text))
