import json
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragsweep.chunkers.recursive import Recursive
from ragsweep.errors import InputError
from ragsweep.setups import describe, restore
from ragsweep.types import Document


def chunks(text: str, size: int, *separators: str, keep: str = "left") -> list[str]:
    chunker = Recursive(size, 0, "characters", separators, keep)  # type: ignore[arg-type]
    return [text[start:end] for start, end in chunker.split(Document("a.md", text, ""))]


@pytest.mark.parametrize(
    ("text", "size", "separators", "keep", "expected"),
    [
        ("a; b; c", 3, (";",), "left", ["a;", "b;", "c"]),
        ("a; b; c", 3, (";",), "right", ["a", "; b", "; c"]),
        ("aa;bb|cc;dd", 6, ("|", ";"), "left", ["aa;bb|", "cc;dd"]),
        ("aa;bb|cc;dd", 4, ("|", ";"), "left", ["aa;", "bb|", "cc;", "dd"]),
        ("aaaa;b", 3, (";",), "left", ["aaaa;", "b"]),  # nothing finer is allowed: over the size
        ("aaaa;b", 3, (";", ""), "left", ["aaa", "a;", "b"]),
        ("aaaa", 3, ("",), "left", ["aaa", "a"]),
        ("a.b.c", 2, (".",), "left", ["a.", "b.", "c"]),  # by its letters, not as a pattern
        ("A b. c", 4, ("\n",), "left", ["A b. c"]),  # own separators take the place of the built-in ones
    ],
)
def test_own_separators(text: str, size: int, separators: tuple[str, ...], keep: str, expected: list[str]) -> None:
    assert chunks(text, size, *separators, keep=keep) == expected


@pytest.mark.parametrize(("length", "size"), [("words", 3), ("tokens", 3 + 2)])
def test_anywhere_is_between_words_where_words_or_tokens_count(length: str, size: int) -> None:
    text = "one two three four"
    chunker = Recursive(size, 0, length, ("",))  # type: ignore[arg-type]
    assert [text[start:end] for start, end in chunker.split(Document("a.md", text, ""))] == ["one two three", "four"]


@pytest.mark.parametrize("separators", [(), ("", " "), ("\n", "", "")])
def test_empty_separators_are_refused(separators: tuple[str, ...]) -> None:
    with pytest.raises(InputError, match="from coarse to fine, and '' only as the last"):
        Recursive(separators=separators)


@pytest.mark.parametrize(("key", "value"), [("keep", "right"), ("count", "pieces")])
def test_keep_and_count_without_separators_would_do_nothing(key: str, value: str) -> None:
    with pytest.raises(InputError, match=f"{key}={value} is for separators of your own"):
        Recursive(**{key: value})  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "length", "size", "overlap", "expected"),
    [
        # the pieces "aa", " ", " bb", " ", " cc": 2, 1, 3, 1 and 3
        ("aa  bb  cc", "characters", 6, 0, ["aa  bb", "cc"]),
        ("aa  bb  cc", "characters", 7, 4, ["aa  bb", "bb  cc"]),
        ("aa  bb", "characters", 5, 0, ["aa", "bb"]),
        # "one" is 3 tokens with its two special ones, and joining costs two more: 3, 8, 13
        ("one two  three", "tokens", 8, 0, ["one two", "three"]),
        ("one two  three", "tokens", 7, 0, ["one", "two", "three"]),
        ("one two three", "tokens", 13, 0, ["one two three"]),
        # the white space alone between two separators is a piece: 3 + (2 + 2) + (2 + 3) = 12
        ("one  two", "tokens", 11, 0, ["one", "two"]),
        ("one  two", "tokens", 12, 0, ["one  two"]),
        ("one two three four", "tokens", 8, 3, ["one two", "two three", "three four"]),
    ],
)
def test_pieces_are_counted_one_by_one(text: str, length: str, size: int, overlap: int, expected: list[str]) -> None:
    chunker = Recursive(size, overlap, length, (" ",), "right", "pieces")  # type: ignore[arg-type]
    assert [text[start:end] for start, end in chunker.split(Document("a.md", text, ""))] == expected


def packed(text: str, size: int, separators: str) -> list[str]:
    """A second reading for characters without overlap: strings, joined while they fit, then stripped."""
    separator, *finer = separators
    parts = [separator + part for part in text.split(separator)]
    pieces = [part for part in (parts[0][1:], *parts[1:]) if part]
    chunks = [""]
    for piece in pieces:
        if len(piece) > size and finer:
            chunks += [*packed(piece, size, "".join(finer)), ""]
        elif len(chunks[-1] + piece) <= size:
            chunks[-1] += piece
        else:
            chunks.append(piece)
    return [chunk.strip() for chunk in chunks if chunk.strip()]


@given(st.text(alphabet="ab.\n  ", max_size=40), st.integers(1, 12))
def test_pieces_as_strings_that_are_joined(text: str, size: int) -> None:
    chunker = Recursive(size, 0, "characters", ("\n", ".", " "), "right", "pieces")
    assert [text[start:end] for start, end in chunker.split(Document("a.md", text, ""))] == packed(text, size, "\n. ")


@given(st.text(alphabet="ab年.\n  ", max_size=40), st.integers(3, 12), st.integers(0, 8), st.sampled_from(["words", "tokens"]))
def test_pieces_keep_the_promises_of_chunks(text: str, size: int, overlap: int, length: str) -> None:
    chunker = Recursive(size, min(overlap, size - 1), length, ("\n", " ", ""), "right", "pieces")  # type: ignore[arg-type]
    spans = list(chunker.split(Document("a.md", text, "")))
    assert all(text[start:end] == text[start:end].strip() != "" for start, end in spans)
    assert all(one[0] < other[0] and one[1] < other[1] for one, other in pairwise(spans))
    assert not "".join(char for place, char in enumerate(text) if not any(a <= place < b for a, b in spans)).strip()


def test_the_frozen_form_comes_back_from_json() -> None:
    chunker = Recursive(100, 10, "characters", ("\n", ""), "right", "pieces")
    assert restore(json.loads(json.dumps(describe(chunker)))) == chunker
    assert hash(restore(json.loads(json.dumps(describe(chunker))))) == hash(chunker)  # type: ignore[arg-type]
