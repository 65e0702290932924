"""Sentences by rule, made for prose and for the lower-cased or unpunctuated text that files often hold."""

import re

from ragsweep.text.paragraphs import BLANK_LINE
from ragsweep.text.spans import cut
from ragsweep.types import Span

_CLOSING = "\"'”’»)\\]」』）】〉》"
_END = re.compile(
    rf"[。｡！？।॥۔။។][。｡！？।॥۔။។!?.…]*[{_CLOSING}]*"  # these need no space after them
    rf"|(?P<mark>(?<![!?.…؟])[!?.…؟]++[{_CLOSING}]*+)(?=\s)"  # tried once a run, so that dotted lines cost no squared time
    rf"|{BLANK_LINE}"
)
_NEXT = re.compile(r"\s*(\S)")


def _ends_with(words: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![\w.'’])(?:{words})\Z", re.IGNORECASE)


_TITLE = _ends_with(
    r"mr|mrs|ms|mx|dr|prof|rev|hon|gen|col|maj|capt|cmdr|lt|sgt|sen|rep|gov|pres|messrs|st|mt|vs|cf|viz|al|co"
    r"|(?:[^\W\d_]\.)*[^\W\d_]"  # initials, U.S., e.g.
)
_BEFORE_LOWER_CASE = _ends_with("inc|ltd|corp|plc|bros|jr|sr|etc|esp|incl|excl|resp|approx|ca|est|min|max|avg|spp?")
_BEFORE_NUMBER = _ends_with(
    "nos?|nr|figs?|eqs?|sect?|arts?|ch|chap|vols?|pp|para|approx|ca|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec"
)
_LIST_NUMBER = re.compile(r"(?:\A|\n)[^\S\n]*\d+\Z")
_LOOK_BACK = 16
"""Characters before a full stop that are looked at; longer than any abbreviation."""


def _is_end(text: str, match: re.Match[str]) -> bool:
    """Whether what looks like the end of a sentence is one."""
    mark, start = match["mark"], match.start()
    if mark is None:
        return True
    following = _NEXT.match(text, match.end())
    after = following[1] if following else ""
    if mark != ".":  # '"Why?" he said' and "well... perhaps" go on
        return len(mark) == 1 or not after.islower()
    before = text[max(0, start - _LOOK_BACK) : start]
    return not (
        _TITLE.search(before)
        or _LIST_NUMBER.search(before)
        or (after.islower() and _BEFORE_LOWER_CASE.search(before))
        or (after.isdigit() and _BEFORE_NUMBER.search(before))
    )


def sentence_spans(text: str) -> list[Span]:
    """The spans of the sentences, trimmed; together they hold every non-space character.

    A sentence ends after 。！？ and their kin, after ``. ! ?`` before white space, and at a blank line; a line end alone ends
    none. The full stop of an abbreviation, an initial, a decimal or a list number ends none.

    >>> text = "Dr. A. Li pays 2.5 days. Ask HR"
    >>> [text[start:end] for start, end in sentence_spans(text)]
    ['Dr. A. Li pays 2.5 days.', 'Ask HR']
    """
    return cut(text, (match.end() for match in _END.finditer(text) if _is_end(text, match)))
