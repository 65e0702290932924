import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragsweep.chunkers.character import Character
from ragsweep.chunkers.token import Token
from ragsweep.parts import Chunker
from ragsweep.text.wordpiece import token_spans
from ragsweep.types import Block, Document, Span


def split(chunker: Chunker, text: str) -> list[Span]:
    return list(chunker.split(Document("a.md", text, "")))


def chunks(chunker: Chunker, text: str) -> list[str]:
    return [text[start:end] for start, end in split(chunker, text)]


@pytest.mark.parametrize(
    ("text", "size", "overlap", "expected"),
    [
        ("abcdefghij", 4, 1, ["abcd", "defg", "ghij"]),
        ("abcdefghijk", 4, 1, ["abcd", "defg", "ghij", "jk"]),
        ("  abcdef \n", 4, 0, ["abcd", "ef"]),  # from the first to the last character that is no white space
        ("ab cd ef", 3, 0, ["ab", "cd", "ef"]),
        ("ab      cd", 3, 0, ["ab", "c", "d"]),  # the window of white space alone is none; the others keep their places
        ("abc    def", 5, 3, ["abc", "def"]),  # those of "c" and of "d" lie inside a neighbour
        ("a    bcdef", 5, 4, ["a", "bcdef"]),
        ("ab", 4, 1, ["ab"]),
    ],
)
def test_characters_by_hand(text: str, size: int, overlap: int, expected: list[str]) -> None:
    assert chunks(Character(size, overlap), text) == expected


@given(st.text("ab\n 年", max_size=60), st.integers(1, 9), st.data())
def test_every_chunk_is_a_window(text: str, size: int, data: st.DataObject) -> None:
    """Independent arithmetic: window n begins n * (size - overlap) after the first character and is trimmed."""
    overlap = data.draw(st.integers(0, size - 1))
    body = text.strip()
    first = text.find(body)
    windows = set()
    for place in range(0, max(len(body), 1), size - overlap):
        window = body[place : place + size]
        start = first + place + len(window) - len(window.lstrip())
        windows.add((start, start + len(window.strip())))
    found = split(Character(size, overlap), text)
    assert set(found) <= windows
    for start, end in windows - set(found):
        assert start == end or any(a <= start and end <= b for a, b in found), "only windows inside another are left out"


def test_tokens_are_those_of_the_whole_text() -> None:
    text = "Unpayable leave is granted."  # un ##pa ##ya ##ble leave is granted .
    assert chunks(Token(3, 1), text) == ["Unpaya", "yable leave", "leave is granted", "granted."]
    assert chunks(Token(8, 0), text) == [text]


def test_windows_do_not_count_special_tokens() -> None:
    assert chunks(Token(3, 0), "one two three four") == ["one two three", "four"]


def test_a_character_of_several_tokens_is_never_cut() -> None:
    text = "\ud55c\uae00 a"  # the tokenizer takes Hangul apart: three tokens a syllable
    assert [end - start for start, end in token_spans(text)] == [1] * 7
    assert chunks(Token(4, 0), text) == ["\ud55c", "\uae00 a"]
    assert chunks(Token(3, 0), text) == ["\ud55c", "\uae00", "a"]
    assert chunks(Token(2 + 1, 2), text) == ["\ud55c", "\uae00", "a"]


@pytest.mark.parametrize("text", ["a\u0301b", "\u0301", "a \u200b b", "\x00a\x00", "e\u0301\u0301 c"])
def test_what_is_in_no_token_is_in_a_chunk(text: str) -> None:
    covered = {place for start, end in split(Token(3, 0), text) for place in range(start, end)}
    assert all(text[place].isspace() for place in set(range(len(text))) - covered)


def test_windows_cut_tables_as_they_fall() -> None:
    table = "| a | b |\n|---|---|\n| 1 | 2 |"
    with_block = Document("a.md", table, "", blocks=(Block("table", 0, len(table), (0, 19)),))
    for chunker in (Character(7, 0), Token(4, 0)):
        assert list(chunker.split(with_block)) == split(chunker, table)
