import pytest

from ragsweep.chunkers.packing import characters, pack
from ragsweep.chunkers.page import Page
from ragsweep.chunkers.paragraph import Paragraph
from ragsweep.chunkers.recursive import Recursive
from ragsweep.parts import Chunker
from ragsweep.text.lengths import RULERS, Length
from ragsweep.text.words import word_spans
from ragsweep.types import Document


def chunks(chunker: Chunker, text: str, **values: object) -> list[str]:
    return [text[start:end] for start, end in chunker.split(Document("a.md", text, "", **values))]  # type: ignore[arg-type]


def packed(text: str, size: int, overlap: int) -> list[str]:
    """Words packed by their characters."""
    return [text[a:b] for a, b in pack(text, (0, len(text)), {}, [word_spans], RULERS["characters"], size, overlap)]


@pytest.mark.parametrize(
    ("size", "overlap", "expected"),
    [
        (5, 0, ["aa bb", "cc dd", "ee"]),
        (5, 1, ["aa bb", "cc dd", "ee"]),  # only whole units overlap
        (5, 2, ["aa bb", "bb cc", "cc dd", "dd ee"]),
        (8, 5, ["aa bb cc", "bb cc dd", "cc dd ee"]),
        (8, 7, ["aa bb cc", "bb cc dd", "cc dd ee"]),
        (100, 99, ["aa bb cc dd ee"]),
    ],
)
def test_whole_units_up_to_the_size(size: int, overlap: int, expected: list[str]) -> None:
    assert packed("aa bb cc dd ee", size, overlap) == expected


def test_overlap_gives_way_to_the_next_unit() -> None:
    assert packed("a b cccc", 5, 2) == ["a b", "cccc"]  # "b" fits the overlap, but not beside "cccc"


def test_a_unit_without_a_finer_level_is_kept_whole() -> None:
    assert packed("aaaa b", 3, 0) == ["aaaa", "b"]


def test_pieces_of_an_oversized_unit_keep_apart_from_their_neighbours() -> None:
    text = "One.\n\nTwo three. Four five six. Seven.\n\nEight."
    assert chunks(Paragraph(4, 1), text) == ["One.", "Two three.", "Four five six. Seven.", "Eight."]
    assert chunks(Recursive(4, 1), text) == ["One.", "Two three.", "Four five six. Seven.", "Eight."]


def test_paragraphs_are_packed() -> None:
    assert chunks(Paragraph(4, 0), "a b\n \nc d\n\ne") == ["a b\n \nc d", "e"]


def test_paragraph_ignores_lines_and_recursive_does_not() -> None:
    text = "one two three\nfour five. six seven"
    assert chunks(Paragraph(5, 0), text) == ["one two three\nfour five.", "six seven"]
    assert chunks(Recursive(5, 0), text) == ["one two three", "four five. six seven"]


@pytest.mark.parametrize(
    ("text", "size", "expected"),
    [
        ("aa\n\nbb\ncc", 6, ["aa", "bb\ncc"]),
        ("aa\nbb cc", 5, ["aa", "bb cc"]),
        ("A b. C d e", 5, ["A b.", "C d e"]),
        ("aa bb", 4, ["aa", "bb"]),
        ("aaaaa", 2, ["aa", "aa", "a"]),
        ("aa\n \nbb\ncc", 5, ["aa", "bb\ncc"]),  # a line of spaces is a line: "\n\n" is taken by its letters
    ],
)
def test_recursive_takes_the_coarsest_separator_that_helps(text: str, size: int, expected: list[str]) -> None:
    assert chunks(Recursive(size, 0, "characters"), text) == expected


@pytest.mark.parametrize(
    ("length", "size", "expected"),
    [
        ("words", 3, ["dayoff b c", "dayoff e"]),
        ("characters", 17, ["dayoff b c dayoff", "e"]),
        ("tokens", 3 + 2, ["dayoff b", "c dayoff", "e"]),  # day ##off b, and two special tokens
    ],
)
def test_the_unit_of_length(length: Length, size: int, expected: list[str]) -> None:
    assert chunks(Paragraph(size, 0, length), "dayoff b c dayoff e") == expected


def test_the_finest_level() -> None:
    assert characters("a 年") == [(0, 1), (2, 3)]


def test_pages() -> None:
    text = "One \n\n two\n"
    assert chunks(Page(), text, pages=((0, 4), (4, 6), (6, 11))) == ["One", "two"]
    assert chunks(Page(), text) == ["One \n\n two"]
    assert chunks(Page(), " \n") == []
