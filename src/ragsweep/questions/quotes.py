"""Quotes -> the places in the documents where they stand, and the nearest passage when they stand nowhere."""

import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from math import log
from string import punctuation
from typing import TYPE_CHECKING

import numpy as np

from ragsweep.questions.pages import pages_of
from ragsweep.text.normalise import Normal, anywhere, loosened, normalise, occurrences
from ragsweep.text.words import word_spans
from ragsweep.types import Document, Place, Span

if TYPE_CHECKING:
    import numpy.typing as npt

_MOST_NEAREST = 20
"""Quotes for which the nearest passage is looked up."""
_SEARCHED_CHARACTERS = 5_000_000


class Quotes:
    """Finds quotes; every document is normalised once, when a quote first asks for it."""

    def __init__(self, documents: Mapping[str, Document]) -> None:
        self._documents = documents
        self._normals: dict[str, Normal] = {}
        self._looses: dict[str, Normal] = {}
        self._words: dict[str, tuple[npt.NDArray[np.int32], list[Span]]] = {}
        self._vocabulary: dict[str, int] = {}
        self._occurrences: Counter[int] = Counter()
        self._looked_up = 0

    def places(self, quote: str, ids: Sequence[str]) -> tuple[tuple[Place, ...], bool]:
        """Where a normalised quote stands in these documents, and whether its ends are whole words there.

        Places where it is part of longer words count only when there is no other; those of the loosened form only when the
        normal one is nowhere, or beside it where the end of a line stands in them.
        """
        places, whole = self._found(quote, ids, self.normal)
        if places and quote.isascii() and "-" not in quote:
            return places, whole  # the end of a line could not have changed it
        loose, loose_whole = self._found(loosened(normalise(quote)).text, ids, self._loose)
        if not places:
            return loose, loose_whole
        broken = [place for place in loose if loose_whole >= whole and "\n" in self._text(place)]
        return tuple(sorted({*places, *broken}, key=lambda place: (ids.index(place.document), place.start))), whole

    def passage(self, text: str, ids: Sequence[str]) -> tuple[Place, ...]:
        """Where a normalised text stands that somebody cut out of these documents anywhere: within a number, or at the hyphen
        of a word that goes on in the next line, which is no hyphen of the whole text. Such places count when there is no other.
        """
        begun = text.removeprefix("- ")
        cuts = [each for each in dict.fromkeys((text, text.removesuffix("-"), begun, begun.removesuffix("-"))) if each.strip()]
        found = (look(each, ids) for look in (self._whole, self._anywhere) for each in cuts)
        return next((places for places in found if places), ())

    def _whole(self, text: str, ids: Sequence[str]) -> tuple[Place, ...]:
        return self.places(text, ids)[0]

    def _anywhere(self, text: str, ids: Sequence[str]) -> tuple[Place, ...]:
        loose = loosened(normalise(text)).text
        forms: tuple[tuple[str, Callable[[str], Normal]], ...] = ((text, self.normal), (loose, self._loose))
        return next((found for part, form in forms if (found := _parts(part, ids, form))), ())

    def _text(self, place: Place) -> str:
        return self._documents[place.document].text[place.start : place.end]

    @staticmethod
    def _found(quote: str, ids: Sequence[str], form: Callable[[str], Normal]) -> tuple[tuple[Place, ...], bool]:
        found = {id: occurrences(quote, form(id).text) for id in ids}
        whole = any(starts for starts, complete in found.values() if complete)
        return tuple(
            Place(id, *form(id).original(start, start + len(quote)))
            for id, (starts, complete) in found.items()
            if complete or not whole
            for start in starts
        ), whole

    def nearest(self, quote: str, ids: Sequence[str]) -> str | None:
        """The passage nearest to a quote, as evidence to paste; None without a common word, or after too many look-ups.

        Of all passages as long as the quote it is the one whose words, weighted by log(words / occurrences), share most with
        it, moved to where the longest run of common words puts the quote's first word.
        """
        self._looked_up += 1
        words = [_bare(quote[start:end]) for start, end in word_spans(quote)]
        searched = list(self._searched(ids)) if self._looked_up <= _MOST_NEAREST else []
        weights = np.zeros(len(self._vocabulary))
        total = sum(self._occurrences.values())
        for number in {self._vocabulary[word] for word in words if word in self._vocabulary}:
            weights[number] = log((total + 1) / self._occurrences[number])
        best, passage = 0.0, None
        for id in searched:
            numbers, spans = self._words[id]
            sums = np.concatenate(([0.0], np.cumsum(weights[numbers])))
            shared = sums[len(words) :] - sums[: -len(words)] if len(words) < len(sums) else sums[-1:]
            shared = np.round(shared, 6)  # sums of floats: equal passages must be equal, so that the first is taken
            if len(spans) and shared.max() > best:
                first = self._aligned(words, id, int(shared.argmax()))
                last = min(len(spans), first + len(words)) - 1
                best = float(shared.max())
                passage = Place(id, *self.normal(id).original(spans[first][0], spans[last][1]))
        return self._to_paste(passage) if passage else None

    def _searched(self, ids: Sequence[str]) -> Iterator[str]:
        """The documents that are looked at, their words numbered."""
        left = _SEARCHED_CHARACTERS
        for id in ids:
            left -= len(self._documents[id].text)
            if left < 0:
                return
            if id not in self._words:
                text = self.normal(id).text
                spans = word_spans(text)
                words = (_bare(text[start:end]) for start, end in spans)
                numbers = [self._vocabulary.setdefault(word, len(self._vocabulary)) for word in words]
                self._words[id] = (np.array(numbers, dtype=np.int32), spans)
                self._occurrences.update(numbers)
            yield id

    def _aligned(self, words: Sequence[str], id: str, place: int) -> int:
        """The word of the document at which the quote begins, near ``place``."""
        start = max(0, place - len(words))
        around = self._words[id][0][start : place + 2 * len(words)].tolist()
        asked = [self._vocabulary.get(word, -1) for word in words]
        run = SequenceMatcher(None, asked, around, autojunk=False).find_longest_match()
        return max(start, start + run.b - run.a)

    def _to_paste(self, passage: Place) -> str:
        """JSON that is found again. White space is folded, but where a word is joined over a line's end."""
        document = self._documents[passage.document]
        text = document.text[passage.start : passage.end]
        folded = " ".join(text.split())
        quote = folded if normalise(folded).text == normalise(text).text else text
        pages = pages_of(document, passage)
        return _json({"source": document.id, "quote": quote}) + (f" ({pages})" if pages else "")

    def normal(self, id: str) -> Normal:
        """The normal form of a document, kept."""
        if id not in self._normals:
            self._normals[id] = normalise(self._documents[id].text)
        return self._normals[id]

    def _loose(self, id: str) -> Normal:
        if id not in self._looses:
            self._looses[id] = loosened(self.normal(id))
        return self._looses[id]


def _parts(part: str, ids: Sequence[str], form: Callable[[str], Normal]) -> tuple[Place, ...]:
    return tuple(
        Place(id, *form(id).original(start, start + len(part))) for id in ids for start in anywhere(part, form(id).text)
    )


def _bare(word: str) -> str:
    return word.strip(punctuation + "。、") or word


def _json(value: Mapping[str, str]) -> str:
    """JSON in which nothing is invisible: what a terminal would not show, such as a no-break space, is escaped."""
    text = json.dumps(value, ensure_ascii=False)
    return "".join(char if char.isprintable() else json.dumps(char)[1:-1] for char in text)
