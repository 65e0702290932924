"""What a word is: a run of non-space, except in scripts that put no spaces between words."""

import re

from ragsweep.types import Span

UNSPACED = (
    "\u2e80-\u2fdf\u3005-\u3007\u3021-\u3029\u3038-\u303b\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U000323af"  # Han
    "\u3041-\u30ff\u31f0-\u31ff\uff66-\uff9f\U0001aff0-\U0001b16f"  # kana
    "\u0e01-\u0e3a\u0e40-\u0e7f"  # Thai without the currency sign
    "\u0e80-\u0eff"  # Lao
    "\u1780-\u17ff"  # Khmer
    "\u1000-\u109f\ua9e0-\ua9ff\uaa60-\uaa7f"  # Myanmar
)
_FOLLOWING = r"[^\w\s\u2e80-\u2fdf]*"  # punctuation and combining marks; radicals are symbols to Unicode, but stand for words
_WORD = re.compile(rf"[{UNSPACED}]{_FOLLOWING}|[^\s{UNSPACED}]+")


def word_spans(text: str) -> list[Span]:
    """The spans of the words: runs of non-space, but one each for a Han, kana, Thai, Lao, Khmer or Myanmar character.

    Such a character takes the punctuation (and combining marks) that follow it.

    >>> word_spans("Ask HR. 年休。"), count_words("Ask HR. 年休。")
    ([(0, 3), (4, 7), (8, 9), (9, 11)], 4)
    """
    return [match.span() for match in _WORD.finditer(text)]


def count_words(text: str) -> int:
    """The number of words."""
    return len(text.split() if text.isascii() else _WORD.findall(text))  # of ASCII the same, in a tenth of the time
