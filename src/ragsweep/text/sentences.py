"""Sentences by rule, made for prose and for the lower-cased or unpunctuated text that files often hold."""

import re
from collections.abc import Iterator
from functools import lru_cache

from ragsweep.text.paragraphs import BLANK_LINE
from ragsweep.text.spans import cut
from ragsweep.types import Span

_MARKS = "!?.…؟"
_STOPS = "。｡！？।॥۔။។"
_CLOSING = "\"'”’»)\\]」』）】〉》"
_END = re.compile(
    r"\.(?<=[^\W\d_]{7}\.)(?=\s)"  # after a word longer than any abbreviation: the most frequent end needs no second look
    rf"|[{_STOPS}][{_STOPS}!?.…]*[{_CLOSING}]*"  # these need no space after them
    rf"|(?P<mark>(?<![{_MARKS}])[{_MARKS}]++[{_CLOSING}]*+)(?=\s+(?P<next>\S)?)"  # once a run: no squared time
    rf"|{BLANK_LINE}"
)
_FIRST = {char: re.compile(re.escape(char)).finditer for char in f"\n{_STOPS}{_MARKS}"}
"""Every match of _END begins with one of these; one character is found many times quicker than a class of them."""


_TAIL = re.compile(r"[\w.'’]*")  # of a text that is read backwards
_TITLE = re.compile(  # abbreviations of at most six letters, see _END
    r"mr|mrs|ms|mx|dr|prof|rev|hon|gen|col|maj|capt|cmdr|lt|sgt|sen|rep|gov|pres|messrs|st|mt|vs|cf|viz|al|co"
    r"|(?:[^\W\d_]\.)*[^\W\d_]",  # initials, U.S., e.g.
    re.IGNORECASE,
)
_BEFORE_LOWER_CASE = re.compile(
    "inc|ltd|corp|plc|bros|jr|sr|etc|esp|incl|excl|resp|approx|ca|est|min|max|avg|spp?", re.IGNORECASE
)
_BEFORE_NUMBER = re.compile(
    "nos?|nr|figs?|eqs?|sect?|arts?|ch|chap|vols?|pp|para|approx|ca|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec",
    re.IGNORECASE,
)
_LIST_NUMBER = re.compile(r"(?:\A|\n)[^\S\n]*\d+\Z")
_LOOK_BACK = 16
"""Characters before a full stop that are looked at; longer than any abbreviation."""


def _is_end(text: str, match: re.Match[str]) -> bool:
    """Whether what looks like the end of a sentence is one."""
    mark, after = match["mark"], match["next"] or ""
    if mark is None:
        return True
    if mark != ".":  # '"Why?" he said' and "well... perhaps" go on
        return len(mark) == 1 or not after.islower()
    before = text[max(0, match.start() - _LOOK_BACK) : match.start()]
    if before[-1:].isdigit() and _LIST_NUMBER.search(before):
        return False
    tail = _TAIL.match(before[::-1])
    return not _goes_on(tail[0][::-1] if tail else "", after.islower(), after.isdigit())


@lru_cache(maxsize=1 << 14)
def _goes_on(word: str, lower: bool, number: bool) -> bool:
    """Whether a word is one that a full stop follows inside a sentence, before lower case or a number."""
    return bool(
        _TITLE.fullmatch(word) or (lower and _BEFORE_LOWER_CASE.fullmatch(word)) or (number and _BEFORE_NUMBER.fullmatch(word))
    )


def _ends(text: str) -> Iterator[int]:
    place = 0
    for start in sorted([match.start() for char, find in _FIRST.items() if char in text for match in find(text)]):
        if start >= place and (match := _END.match(text, start)):
            place = match.end()
            if _is_end(text, match):
                yield place


def sentence_spans(text: str) -> list[Span]:
    """The spans of the sentences, trimmed; together they hold every non-space character.

    A sentence ends after 。！？ and their kin, after ``. ! ?`` before white space, and at a blank line; a line end alone ends
    none. The full stop of an abbreviation, an initial, a decimal or a list number ends none.

    >>> text = "Dr. A. Li pays 2.5 days. Ask HR"
    >>> [text[start:end] for start, end in sentence_spans(text)]
    ['Dr. A. Li pays 2.5 days.', 'Ask HR']
    """
    return cut(text, _ends(text))
