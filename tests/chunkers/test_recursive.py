import json

import pytest

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


def test_keep_without_separators_would_do_nothing() -> None:
    with pytest.raises(InputError, match="keep=right is for separators of your own"):
        Recursive(keep="right")


def test_the_frozen_form_comes_back_from_json() -> None:
    chunker = Recursive(100, 10, "characters", ("\n", ""), "right")
    assert restore(json.loads(json.dumps(describe(chunker)))) == chunker
    assert hash(restore(json.loads(json.dumps(describe(chunker))))) == hash(chunker)  # type: ignore[arg-type]
