"""Quotes -> the places in the documents where they stand, and the nearest passage when they stand nowhere."""

import json
from collections.abc import Mapping, Sequence
from difflib import SequenceMatcher
from string import punctuation

from ragsweep.questions.pages import pages_of
from ragsweep.text.normalise import Normal, normalise, occurrences
from ragsweep.text.words import word_spans
from ragsweep.types import Document, Place, Span

_MOST_NEAREST = 20
"""Quotes for which the nearest passage is looked up."""
_SEARCHED_CHARACTERS = 5_000_000


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
        """The passage around the longest run of the quote's words, as evidence to paste; None after too many look-ups."""
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
                best, passage = run.size, Place(id, *self._normal(id).original(spans[first][0], spans[last][1]))
        return self._to_paste(passage) if passage else None

    def _to_paste(self, passage: Place) -> str:
        """JSON that is found again. White space is folded, but where a word is joined over a line's end."""
        document = self._documents[passage.document]
        text = document.text[passage.start : passage.end]
        folded = " ".join(text.split())
        quote = folded if normalise(folded).text == normalise(text).text else text
        pages = pages_of(document, passage)
        return _json({"source": document.id, "quote": quote}) + (f" ({pages})" if pages else "")

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


def _json(value: Mapping[str, str]) -> str:
    """JSON in which nothing is invisible: what a terminal would not show, such as a no-break space, is escaped."""
    text = json.dumps(value, ensure_ascii=False)
    return "".join(char if char.isprintable() else json.dumps(char)[1:-1] for char in text)
