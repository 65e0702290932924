"""The three units of length, as rulers laid along the units (paragraphs, sentences ...) of a text."""

from collections.abc import Callable, Mapping, Sequence
from itertools import accumulate
from typing import Literal, TypeAlias

from ragsweep.text.wordpiece import SPECIAL_TOKENS, count_tokens
from ragsweep.text.words import count_words
from ragsweep.types import Span

Length: TypeAlias = Literal["words", "characters", "tokens"]
Ruler: TypeAlias = Callable[[str, Sequence[Span]], tuple[list[int], list[int]]]
"""(text, units) -> (starts, ends), both ascending: units i to j together are ``ends[j] - starts[i]`` long."""


def _end_to_end(lengths: Sequence[int]) -> tuple[list[int], list[int]]:
    ends = list(accumulate(lengths))
    return [end - length for end, length in zip(ends, lengths, strict=True)], ends


def _words(text: str, units: Sequence[Span]) -> tuple[list[int], list[int]]:
    return _end_to_end([count_words(text[start:end]) for start, end in units])


def _characters(text: str, units: Sequence[Span]) -> tuple[list[int], list[int]]:
    return [start for start, _ in units], [end for _, end in units]


def _tokens(text: str, units: Sequence[Span]) -> tuple[list[int], list[int]]:
    # Each unit is counted alone: cutting a word can add tokens, joining its parts cannot, so no sum is too small.
    starts, ends = _end_to_end(count_tokens([text[start:end] for start, end in units]))
    return starts, [end + SPECIAL_TOKENS for end in ends]


RULERS: Mapping[Length, Ruler] = {"words": _words, "characters": _characters, "tokens": _tokens}
"""Words as in ``words.py``; characters are code points, white space between units included; tokens are those of the bundled
WordPiece and its two special tokens."""
