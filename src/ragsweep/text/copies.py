"""Near-copies: texts that share most of their word 5-grams."""

import re

LENGTH = 5


def shingles(text: str) -> frozenset[tuple[str, ...]]:
    """The 5-grams of the case-folded ``\\w+`` words; the whole text as one when it has fewer words.

    >>> sorted(shingles("One two three four five SIX"))
    [('one', 'two', 'three', 'four', 'five'), ('two', 'three', 'four', 'five', 'six')]
    """
    folded = text.casefold()
    words = re.findall(r"\w+", folded) or [folded.strip()]  # punctuation alone is compared as it stands
    return frozenset(zip(*(words[i:] for i in range(min(LENGTH, len(words)))), strict=False))


def is_copy(a: frozenset[tuple[str, ...]], b: frozenset[tuple[str, ...]], threshold: float) -> bool:
    """Whether the Jaccard index |a & b| / |a | b| of two shingle sets reaches the threshold, in (0, 1].

    >>> is_copy(shingles("Twenty days."), shingles("twenty days"), 1.0)
    True
    """
    if min(len(a), len(b)) / max(len(a), len(b)) < threshold:  # the sizes alone bound it: most pairs end here or are disjoint
        return False
    shared = len(a & b)
    return shared / (len(a) + len(b) - shared) >= threshold
