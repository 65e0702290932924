"""Near-copies: texts that share most of their word 5-grams."""

import re
from typing import TypeAlias

LENGTH = 5
_SPACED = "".join(re.sub(r"\W", " ", chr(number)) for number in range(128))
"""What stands for each ASCII character where only words count."""
Shingles: TypeAlias = frozenset[tuple[str, ...]]


def shingles(text: str) -> Shingles:
    """The 5-grams of the case-folded ``\\w+`` words; the whole text as one when it has fewer words.

    >>> sorted(shingles("One two three four five SIX"))
    [('one', 'two', 'three', 'four', 'five'), ('two', 'three', 'four', 'five', 'six')]
    """
    folded = text.casefold()
    # Of ASCII the same in an eighth of the time.
    words = folded.translate(_SPACED).split() if folded.isascii() else re.findall(r"\w+", folded)
    words = words or [folded.strip()]  # punctuation alone is compared as it stands
    return frozenset(zip(*(words[i:] for i in range(min(LENGTH, len(words)))), strict=False))


class Kept:
    """The texts that are kept so far, beside which later ones may be near-copies."""

    def __init__(self, threshold: float) -> None:
        self._threshold = threshold
        self._kept: dict[Shingles, None] = {}

    def has_copy_of(self, text: Shingles) -> bool:
        """Whether one of them is a near-copy; at a threshold of 1 only an equal set of shingles is one."""
        return text in self._kept or (self._threshold < 1 and any(is_copy(text, each, self._threshold) for each in self._kept))

    def add(self, text: Shingles) -> None:
        """Keep one more."""
        self._kept[text] = None


def is_copy(a: Shingles, b: Shingles, threshold: float) -> bool:
    """Whether the Jaccard index |a & b| / |a | b| of two shingle sets reaches the threshold, in (0, 1].

    >>> is_copy(shingles("Twenty days."), shingles("twenty days"), 1.0)
    True
    """
    if min(len(a), len(b)) / max(len(a), len(b)) < threshold:  # the sizes alone bound it: most pairs end here or are disjoint
        return False
    shared = len(a & b)
    return shared / (len(a) + len(b) - shared) >= threshold
