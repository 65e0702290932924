"""The units of length, as rulers laid along the units (paragraphs, sentences ...) of a text."""

from collections.abc import Callable, Mapping, Sequence
from itertools import accumulate, pairwise
from typing import Literal, TypeAlias

from ragsweep.text import bpe
from ragsweep.text.wordpiece import SPECIAL_TOKENS, count_tokens, token_spans
from ragsweep.text.words import count_words
from ragsweep.types import Span

Tokens: TypeAlias = Literal["tokens", "tiktoken:cl100k_base"]
Length: TypeAlias = Literal["words", "characters", "tokens", "tiktoken:cl100k_base"]
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
    # Each unit is counted alone. A sum is too small only where a word of mixed scripts is cut between them ("な" and "along").
    starts, ends = _end_to_end(count_tokens([text[start:end] for start, end in units]))
    return starts, [end + SPECIAL_TOKENS for end in ends]


def _bpe_tokens(text: str, units: Sequence[Span]) -> tuple[list[int], list[int]]:
    # White space is tokens here: each unit is counted with what stands before it.
    borders = [units[0][0] if units else 0, *(end for _, end in units)]
    return _end_to_end(bpe.count_tokens([text[start:end] for start, end in pairwise(borders)]))


RULERS: Mapping[Length, Ruler] = {
    "words": _words,
    "characters": _characters,
    "tokens": _tokens,
    "tiktoken:cl100k_base": _bpe_tokens,
}
"""Words as in ``words.py``; characters are code points, white space between units included; tokens are those of the bundled
WordPiece and its two special tokens, or those of tiktoken."""


def _summed(count: Callable[[Sequence[str]], list[int]], special: int = 0) -> Ruler:
    """Adds up texts that are counted alone, each with ``special`` tokens, and as many for the empty text that joins two."""

    def ruler(text: str, units: Sequence[Span]) -> tuple[list[int], list[int]]:
        lengths = [length + special for length in count([text[start:end] for start, end in units])]
        starts = list(accumulate((length + special for length in lengths), initial=0))
        return starts[:-1], [start + length for start, length in zip(starts[:-1], lengths, strict=True)]

    return ruler


SUMMED: Mapping[Length, Ruler] = {
    "words": _summed(lambda texts: [count_words(text) for text in texts]),
    "characters": _summed(lambda texts: [len(text) for text in texts]),
    "tokens": _summed(count_tokens, SPECIAL_TOKENS),
    "tiktoken:cl100k_base": _summed(bpe.count_tokens),
}
"""The lengths of units added up as text splitters do that join strings: each is counted alone, by the tokenizer's own word."""


def _wordpiece_starts(text: str) -> list[int]:
    return [start for start, _ in token_spans(text)]


TOKEN_STARTS: Mapping[Tokens, Callable[[str], list[int]]] = {
    "tokens": _wordpiece_starts,
    "tiktoken:cl100k_base": bpe.token_starts,
}
"""Where the tokens of a text begin, ascending, without special tokens; tokens of one character begin together."""
