"""SPEC section 4 by example, and the rows on chunk boundaries of the fault tables."""

import pytest

from ragsweep.chunkers.character import Character
from ragsweep.chunkers.page import Page
from ragsweep.chunkers.paragraph import Paragraph
from ragsweep.chunkers.recursive import Recursive
from ragsweep.chunkers.section import Section
from ragsweep.chunkers.sentence import Sentence
from ragsweep.chunkers.token import Token
from ragsweep.chunkers.word import Word
from ragsweep.documents import parse
from ragsweep.errors import InputError
from ragsweep.parts import Chunker
from ragsweep.text.sentences import sentence_spans
from ragsweep.text.wordpiece import token_spans
from ragsweep.text.words import count_words
from ragsweep.types import Document, Span

TWELVE = " ".join(f"w{number:02}" for number in range(12))
PACKING = [Paragraph, Recursive, Sentence, Section]
WINDOWS = [Word, Character, Token]


def split(chunker: Chunker, text: str) -> list[Span]:
    return list(chunker.split(Document("a.md", text, "")))


def texts(chunker: Chunker, text: str) -> list[str]:
    return [text[start:end] for start, end in split(chunker, text)]


@pytest.mark.parametrize(
    ("chunker", "defaults"),
    [(Word(), (160, 20)), (Character(), (1000, 125)), (Token(), (200, 25))]
    + [(chunker(), (160, 20)) for chunker in PACKING]
    + [(chunker(length="tokens"), (200, 25)) for chunker in PACKING]
    + [(chunker(length="characters"), (1000, 125)) for chunker in PACKING],
)
def test_default_sizes_by_unit(chunker: Word, defaults: tuple[int, int]) -> None:
    assert (chunker.chunk_size, chunker.chunk_overlap) == defaults


def test_a4_twelve_words_in_windows() -> None:
    words = TWELVE.split()
    assert texts(Word(5, 1), TWELVE) == [" ".join(words[first:last]) for first, last in [(0, 5), (4, 9), (8, 12)]]


@pytest.mark.parametrize("chunker", [*WINDOWS, *PACKING])
@pytest.mark.parametrize("overlap", [10, 12])
def test_a1_overlap_at_or_over_the_size_is_refused(chunker: type[Word], overlap: int) -> None:
    with pytest.raises(ValueError, match=f"chunk_overlap={overlap} must be smaller than chunk_size=10") as error:
        chunker(10, overlap)
    assert isinstance(error.value, InputError)


def test_a3_the_last_window_ends_with_the_text() -> None:
    text = " ".join("x" * 25)
    assert [(start // 2, end // 2 + 1) for start, end in split(Word(10, 2), text)] == [(0, 10), (8, 18), (16, 25)]


def test_a3_the_last_window_of_characters_and_tokens() -> None:
    assert split(Character(10, 2), "x" * 25) == [(0, 10), (8, 18), (16, 25)]
    text = " ".join("x" * 25)
    assert [(start // 2, end // 2 + 1) for start, end in split(Token(10, 2), text)] == [(0, 10), (8, 18), (16, 25)]


def test_a3_no_window_is_only_overlap() -> None:
    assert texts(Word(5, 1), " ".join("abcdefghi")) == ["a b c d e", "e f g h i"]


@pytest.mark.parametrize("chunker", PACKING)
def test_a6_the_piece_that_opens_a_chunk_stays(chunker: type[Recursive]) -> None:
    text = "\n\n".join(letter * 60 for letter in "abc")
    assert texts(chunker(100, 0, "characters"), text) == ["a" * 60, "b" * 60, "c" * 60]


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("Leave is 20 days. Ask HR", ["Leave is 20 days.", "Ask HR"]),
        ("No punctuation here", ["No punctuation here"]),
    ],
)
def test_a7_text_without_a_final_stop(text: str, sentences: list[str]) -> None:
    assert [text[start:end] for start, end in sentence_spans(text)] == sentences
    for chunker in PACKING:
        assert texts(chunker(4, 0), text) == sentences


@pytest.mark.parametrize("chunker", PACKING)
def test_a8_an_over_long_sentence_is_split_and_kept(chunker: type[Recursive]) -> None:
    text = " ".join(f"word{number}" for number in range(300)) + "."
    found = texts(chunker(100, 0), text)
    assert [count_words(chunk) for chunk in found] == [100, 100, 100]
    assert " ".join(found) == text


def test_a10_equal_words_keep_their_own_places() -> None:
    assert [start for start, _ in split(Word(1, 0), "fee fee fee")] == [0, 4, 8]


def test_a11_windows_of_tokens_overlap_by_tokens() -> None:
    text = " ".join(f"unpayable{number}" for number in range(40))
    tokens = token_spans(text)
    windows = split(Token(20, 5), text)
    assert [
        (tokens[first][0], tokens[min(first + 20, len(tokens)) - 1][1]) for first in range(0, len(tokens) - 5, 15)
    ] == windows


@pytest.mark.parametrize("chunker", [Word(1, 0), Character(1, 0), Token(1 + 2, 2), *(chunker(1, 0) for chunker in PACKING)])
def test_a13_carriage_returns_are_white_space_and_move_nothing(chunker: Chunker) -> None:
    places = [(0, 1), (3, 4), (6, 7)]
    assert split(chunker, "a\r\nb\r\nc") == (places if not isinstance(chunker, Token) else [(0, 7)])


def test_a14_a_comment_in_a_code_fence_is_no_heading() -> None:
    text = "# T\n\n```py\n# not a head\n```\nend"
    assert list(Section(100, 0).split(parse(text.encode(), "a.md"))) == [(0, len(text))]


@pytest.mark.parametrize("chunker", PACKING)
@pytest.mark.parametrize("length", ["words", "characters", "tokens"])
def test_a16_chinese_is_cut_after_its_full_stops(chunker: type[Recursive], length: str) -> None:
    found = texts(chunker(100, 0, length), "年休二十日。" * 200)  # type: ignore[arg-type]
    assert "".join(found) == "年休二十日。" * 200
    assert max(map(len, found)) <= {"words": 120, "characters": 100, "tokens": 98}[length]
    assert all(chunk.endswith("。") for chunk in found)


def test_a16_windows_count_chinese_characters() -> None:
    found = texts(Word(100, 0), "年休二十日。" * 200)
    assert [count_words(chunk) for chunk in found] == [100] * 10


@pytest.mark.parametrize("chunker", [Character(100, 0), Token(100, 0)])
def test_a16_no_window_of_chinese_is_over_the_size(chunker: Chunker) -> None:
    found = texts(chunker, "年休二十日。" * 200)
    assert [len(chunk) for chunk in found] == [100] * 12


def test_one_chunk_a_page_and_one_for_a_file_without_pages() -> None:
    text = "One two.\n\nThree."
    assert list(Page().split(Document("a.pdf", text, "", pages=((0, 8), (10, 16))))) == [(0, 8), (10, 16)]
    assert list(Page().split(Document("a.md", text, ""))) == [(0, 16)]
