"""Near-copies: texts that share most of their word 5-grams."""

import re
from collections.abc import Sequence
from functools import cached_property
from itertools import chain, groupby
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

LENGTH = 5
Shingles: TypeAlias = frozenset[tuple[str, ...]]
_NO_WORD = {place: " " for place in range(128) if not re.match(r"\w", chr(place))}


class Words:
    """The case-folded ``\\w+`` words of a text, in order; punctuation alone is compared as it stands.

    >>> sorted(Words("One two three four five SIX").shingles)
    [('one', 'two', 'three', 'four', 'five'), ('two', 'three', 'four', 'five', 'six')]
    """

    def __init__(self, text: str) -> None:
        folded = text.casefold()
        found = folded.translate(_NO_WORD).split() if folded.isascii() else re.findall(r"\w+", folded)  # the first is quicker
        self._words = found or [folded.strip()]
        self.distinct = frozenset(self._words)

    @cached_property
    def shingles(self) -> Shingles:
        """The 5-grams; all words as one where they are fewer."""
        return frozenset(zip(*(self._words[i:] for i in range(min(LENGTH, len(self._words)))), strict=False))


class Kept:
    """The texts that are kept so far, beside which later ones may be near-copies."""

    def __init__(self, threshold: float) -> None:
        self._threshold = threshold
        self._kept: dict[frozenset[str], list[Words]] = {}

    def has_copy_of(self, text: Words) -> bool:
        """Whether one of them is a near-copy. At a threshold of 1 it has the same words: most are never shingled."""
        like = self._kept.get(text.distinct, ()) if self._threshold == 1 else chain.from_iterable(self._kept.values())
        return any(is_copy(text.shingles, each.shingles, self._threshold) for each in like)

    def add(self, text: Words) -> None:
        """Keep one more."""
        self._kept.setdefault(text.distinct, []).append(text)


def first_equals(texts: Sequence[str]) -> npt.NDArray[np.int32]:
    """For each text the place of the first one with the same shingles, shape (n,): copies at a threshold of 1, all at once.

    >>> first_equals(["One, two.", "three", "one two"]).tolist()
    [0, 1, 0]
    """
    firsts = np.arange(len(texts), dtype=np.int32)
    hashes = [hash(Words(text).distinct) for text in texts]  # the words themselves are ten times the texts
    for _, group in groupby(np.argsort(hashes, kind="stable").tolist(), key=hashes.__getitem__):
        places = list(group)
        if len(places) > 1:
            seen: dict[Shingles, int] = {}
            firsts[places] = [seen.setdefault(Words(texts[place]).shingles, place) for place in places]
    return firsts


def is_copy(a: Shingles, b: Shingles, threshold: float) -> bool:
    """Whether the Jaccard index |a & b| / |a | b| of two shingle sets reaches the threshold, in (0, 1].

    >>> is_copy(Words("Twenty days.").shingles, Words("twenty days").shingles, 1.0)
    True
    """
    if min(len(a), len(b)) / max(len(a), len(b)) < threshold:  # the sizes alone bound it: most pairs end here or are disjoint
        return False
    shared = len(a & b)
    return shared / (len(a) + len(b) - shared) >= threshold
