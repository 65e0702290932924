"""The defaults and limits of chunk_size and chunk_overlap, for every chunker that has them."""

from collections.abc import Mapping
from typing import Any, Protocol

from ragsweep.errors import InputError, nearest
from ragsweep.text import bpe
from ragsweep.text.lengths import Length
from ragsweep.text.wordpiece import SPECIAL_TOKENS

DEFAULT: Any = None
"""Stands for the value that ``settled`` puts in its place, so that a built chunker has effective numbers only."""
_SIZE: Mapping[Length, int] = {"words": 160, "tokens": 200, "characters": 1000, "tiktoken:cl100k_base": 200}
_LEAST: Mapping[Length, int] = {"words": 1, "tokens": SPECIAL_TOKENS + 1, "characters": 1, "tiktoken:cl100k_base": 1}


def settled(length: Length, chunk_size: int | None, chunk_overlap: int | None) -> tuple[int, int]:
    """The effective (size, overlap): 160 words, 200 tokens or 1000 characters, and an eighth of the size.

    Raises InputError for an unknown unit or one whose package is missing, a size that holds nothing or an overlap outside
    0 .. size - 1.

    >>> settled("words", None, None), settled("tokens", 100, None)
    ((160, 20), (100, 12))
    """
    if length not in _SIZE:
        raise InputError(f"length={length!r} is no unit of length: {nearest(length, list(_SIZE))}")
    if length.startswith("tiktoken"):
        bpe.require()
    size = _SIZE[length] if chunk_size is None else chunk_size
    overlap = size // 8 if chunk_overlap is None else chunk_overlap
    if size < (least := _LEAST[length]):
        raise InputError(f"chunk_size={size} must be {least} or more {length}: write chunk_size={_SIZE[length]}")
    if overlap < 0:
        raise InputError(f"chunk_overlap={overlap} must be 0 or more: write chunk_overlap=0")
    if overlap >= size:
        raise InputError(f"chunk_overlap={overlap} must be smaller than chunk_size={size}: write chunk_overlap={size // 8}")
    return size, overlap


class Sized(Protocol):
    """A chunker with a size and an overlap in one unit."""

    @property
    def length(self) -> Length:
        """The unit."""
        ...

    @property
    def chunk_size(self) -> int:
        """As written, then as settled."""
        ...

    @property
    def chunk_overlap(self) -> int:
        """As written, then as settled."""
        ...


def settle(chunker: Sized) -> None:
    """Put the effective size and overlap into a frozen chunker that is being made. Raises as ``settled`` does."""
    size, overlap = settled(chunker.length, chunker.chunk_size, chunker.chunk_overlap)
    object.__setattr__(chunker, "chunk_size", size)
    object.__setattr__(chunker, "chunk_overlap", overlap)
