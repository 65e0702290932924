"""Quotes -> the places in the documents where they stand, and the nearest passage when they stand nowhere."""

from collections.abc import Mapping, Sequence
from difflib import SequenceMatcher
from string import punctuation

from ragsweep.text.normalise import Normal, normalise, occurrences
from ragsweep.text.words import word_spans
from ragsweep.types import Document, Place, Span

_MOST_NEAREST = 20
"""Quotes for which the nearest passage is looked up."""
_SEARCHED_CHARACTERS = 5_000_000
_SHOWN_CHARACTERS = 200


class Quotes:
    """Finds quotes; every document is normalised once, when a quote first asks for it."""

    def __init__(self, documents: Mapping[str, Document]) -> None:
        self._documents = documents
        self._normals: dict[str, Normal] = {}
        self._words: dict[str, tuple[SequenceMatcher[str], list[Span]]] = {}
        self._looked_up = 0

    def places(self, quote: str, ids: Sequence[str]) -> tuple[tuple[Place, ...], bool]:
        """Where a normalised quote stands in these documents, and whether its ends are whole words there.

        Places where it is part of longer words count only when there is no other.
        """
        found = {id: occurrences(quote, self._normal(id).text) for id in ids}
        whole = any(starts for starts, complete in found.values() if complete)
        return tuple(
            Place(id, *self._normal(id).original(start, start + len(quote)))
            for id, (starts, complete) in found.items()
            if complete or not whole
            for start in starts
        ), whole

    def nearest(self, quote: str, ids: Sequence[str]) -> str | None:
        """The passage around the longest run of the quote's words, as written; None after too many look-ups."""
        self._looked_up += 1
        words = [_bare(quote[start:end]) for start, end in word_spans(quote)]
        if self._looked_up > _MOST_NEAREST:
            return None
        best, passage, left = 0, None, _SEARCHED_CHARACTERS
        for id in ids:
            left -= len(self._documents[id].text)
            if left < 0:
                break
            matcher, spans = self._matcher(id)
            matcher.set_seq1(words)
            run = matcher.find_longest_match()
            if run.size > best:
                first = max(0, run.b - run.a)
                last = min(len(spans), first + len(words)) - 1
                best, passage = run.size, self._original(id, spans[first][0], spans[last][1])
        return passage

    def _original(self, id: str, start: int, end: int) -> str:
        start, end = self._normal(id).original(start, end)
        text = " ".join(self._documents[id].text[start:end].split())
        return f"{id}: {text[:_SHOWN_CHARACTERS]!r}"

    def _normal(self, id: str) -> Normal:
        if id not in self._normals:
            self._normals[id] = normalise(self._documents[id].text)
        return self._normals[id]

    def _matcher(self, id: str) -> tuple[SequenceMatcher[str], list[Span]]:
        if id not in self._words:
            text = self._normal(id).text
            spans = word_spans(text)
            self._words[id] = SequenceMatcher(None, "", [_bare(text[start:end]) for start, end in spans]), spans
        return self._words[id]


def _bare(word: str) -> str:
    return word.strip(punctuation + "。、") or word
