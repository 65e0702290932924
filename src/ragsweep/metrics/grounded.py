"""Grounded sentences: does what an answer says stand in what the generator was given?

Lexical, so a paraphrase in other words is missed, and a sentence that puts the words of one together in another way is not.
docs/decisions/metrics.md says how often that is, on sentences labelled by hand.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from ragsweep.text.keywords import Language, keywords
from ragsweep.text.sentences import sentence_spans

THRESHOLD = 0.8
"""The least share of a sentence's stems that one sentence of the chunks has to hold."""
_CITATION = re.compile(r"\s*\[(?:passages?\s+)?\d+(?:\s*[,;]\s*\d+)*\]", re.IGNORECASE)
_NEGATION = re.compile(
    r"\b(?:not|no|never|nor|neither|none|nobody|nothing|nowhere|without|cannot)\b|n['’]t\b|[不没未无非]", re.IGNORECASE
)
_NUMBER = re.compile(r"\d+(?:[.,:/]\d+)*")
_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
_WORDS = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen "
    "nineteen twenty"
)
_DIGITS = {word: str(number) for number, word in enumerate(_WORDS.split())} | {
    word: f"{number}0"
    for number, word in enumerate(["thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"], start=3)
}
_NUMBER_WORD = re.compile(rf"\b(?:{'|'.join(_DIGITS)})\b", re.IGNORECASE)


@dataclass(frozen=True)
class _Said:
    """What is compared of a sentence: its stems, its numbers, and whether it negates."""

    stems: frozenset[str]
    numbers: frozenset[str]
    negates: bool


def grounded(answer: str, given: Sequence[str], language: Language = "english") -> float:
    """The share of the answer's sentences that are grounded in the texts ``given``; 0 for an answer without any.

    A sentence is, when one sentence of one text holds at least ``THRESHOLD`` of its stems (``keywords``) and all its numbers,
    and both negate or neither does. English words for numbers count as digits; marks of citations are no part of a sentence.

    >>> chunk = "Staff get 25 paid leave days. They lapse on 31 March."
    >>> grounded("Staff get 25 paid days [1]. They do not lapse on 31 March. They lapse on 30 March.", [chunk])
    0.3333333333333333
    """
    plain = _CITATION.sub("", answer)
    sentences = [_said(plain[start:end], language) for start, end in sentence_spans(plain)]
    there = [said for text in dict.fromkeys(given) for said in _all_said(text, language)]
    return sum(any(_holds(said, each) for said in there) for each in sentences) / len(sentences) if sentences else 0.0


@lru_cache(maxsize=4096)
def _all_said(text: str, language: Language) -> tuple[_Said, ...]:
    """The same few chunks are given again and again."""
    return tuple(_said(text[start:end], language) for start, end in sentence_spans(text))


def _said(sentence: str, language: Language) -> _Said:
    text = _NUMBER_WORD.sub(lambda word: _DIGITS[word[0].lower()], _THOUSANDS.sub("", sentence))
    found = keywords(text, language) or text.casefold().split()
    return _Said(frozenset(found), frozenset(_NUMBER.findall(text)), _NEGATION.search(text) is not None)


def _holds(there: _Said, sentence: _Said) -> bool:
    held = len(sentence.stems & there.stems) >= THRESHOLD * len(sentence.stems)
    return held and sentence.numbers <= there.numbers and sentence.negates == there.negates
