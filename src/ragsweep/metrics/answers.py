"""Exact match, token F1 and required facts: does an answer say what it should?

The first two are those of SQuAD (Rajpurkar et al., 2016): both texts in lower case, without ASCII punctuation and the articles
a, an and the, white space folded; the best over several right answers. Tokens are words as in ragsweep.text.words, so that a
Chinese answer is compared by its characters; for text with spaces that is SQuAD's split at white space.
"""

import re
from collections import Counter
from collections.abc import Sequence
from string import punctuation

from ragsweep.text.normalise import normalise, occurrences
from ragsweep.text.words import word_spans

_WITHOUT_PUNCTUATION = str.maketrans("", "", punctuation)


def exact_match(answer: str, right: Sequence[str]) -> float:
    """1 when the normalised answer equals one of the ``right`` answers (at least one), else 0.

    >>> exact_match("The 20 days.", ["30 days", "20 days"])
    1.0
    """
    return float(any(_plain(answer) == _plain(each) for each in right))


def token_f1(answer: str, right: Sequence[str]) -> float:
    """The harmonic mean of the precision and recall of the answer's tokens, the best over the ``right`` answers (at least one).

    Where one side has no token it is 1 when both have none, else 0.

    >>> token_f1("You get 20 days.", ["20 days"])
    0.6666666666666666
    """
    return max(_f1(_tokens(answer), _tokens(each)) for each in right)


def facts_found(answer: str, facts: Sequence[str]) -> float:
    """The share of the ``facts`` (at least one) that stand in the answer, compared as quotes are, at whole words.

    >>> facts_found("Twenty-five\\u00a0days, or 125 hours.", ["twenty-five days", "25 hours"])
    0.5
    """
    text = normalise(answer).text
    found = (occurrences(normalise(fact).text.strip(), text) for fact in facts)
    return sum(bool(starts) and whole for starts, whole in found) / len(facts)


def _plain(text: str) -> str:
    return " ".join(re.sub(r"\b(a|an|the)\b", " ", text.lower().translate(_WITHOUT_PUNCTUATION)).split())


def _tokens(text: str) -> list[str]:
    plain = _plain(text)
    return [plain[start:end] for start, end in word_spans(plain)]


def _f1(answer: Sequence[str], right: Sequence[str]) -> float:
    if not answer or not right:
        return float(not answer and not right)
    shared = sum((Counter(answer) & Counter(right)).values())
    return 2 * shared / (len(answer) + len(right))
