"""Questions that ask the same, or almost: each counts in every mean, so what they have in common counts twice."""

from collections import defaultdict
from collections.abc import Sequence

from ragsweep.text.normalise import normalise
from ragsweep.text.words import word_spans
from ragsweep.types import Question

_LEAST_WORDS = 5
"""In shorter questions one word is often all that tells them apart."""


def equal(questions: Sequence[Question]) -> list[tuple[Question, ...]]:
    """The questions of the same words, each group in the order written; case and punctuation do not matter."""
    groups: dict[tuple[str, ...], list[Question]] = defaultdict(list)
    for question in questions:
        groups[_words(question.text)].append(question)
    return [tuple(group) for group in groups.values() if len(group) > 1]


def near(questions: Sequence[Question]) -> list[tuple[Question, ...]]:
    """The groups of at least five words that become equal when one word is left out of each or of some."""
    distinct = {words: question for question in reversed(questions) if len(words := _words(question.text)) >= _LEAST_WORDS}
    groups: dict[tuple[str, ...], list[Question]] = defaultdict(list)
    for words, question in reversed(distinct.items()):
        for left in dict.fromkeys((words, *(words[:place] + words[place + 1 :] for place in range(len(words))))):
            groups[left].append(question)
    found = {tuple(question.id for question in group): tuple(group) for group in groups.values() if len(group) > 1}
    return list(found.values())


def _words(text: str) -> tuple[str, ...]:
    folded = normalise(text).text
    words = ("".join(filter(str.isalnum, folded[start:end])) for start, end in word_spans(folded))
    return tuple(filter(None, words)) or (folded.strip(),)
