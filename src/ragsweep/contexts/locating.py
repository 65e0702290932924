"""Contexts -> hits: the spans of documents that a system returned.

A context is what it tells and no more: a text is where it stands; a page without text is the whole page, and one whose text is
another is as little of the page as a passage on it must hold; a file alone is that file, of which nobody knows the passage: an
empty span, which only a label of the file matches.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Literal, TypeAlias
from unicodedata import normalize

from ragsweep.contexts.reading import Context
from ragsweep.contexts.wording import Wording
from ragsweep.errors import InputError
from ragsweep.questions.names import Names
from ragsweep.questions.quotes import Quotes
from ragsweep.text.normalise import normalise
from ragsweep.text.words import count_words
from ragsweep.types import Document, Hit, Place, Question, Span

NOWHERE = ""
"""The id of the document of texts that are in none."""
How: TypeAlias = Literal[
    "path",
    "offsets",
    "words",
    "several",
    "other_page",
    "page",
    "page_text",
    "nowhere",
    "file",
    "unknown",
    "unknown_file",
    "same_name",
]
SAID: Mapping[How, str] = {
    "unknown": "name a file that is not among these, by id or path: each keeps its rank, and matches nothing",
    "unknown_file": "name a file alone that is not among these: they match nothing, and nobody knows their words",
    "same_name": "name a file by a name that several have: write its path: each keeps its rank, and matches nothing",
    "nowhere": (
        "are nowhere in the documents: each keeps its rank, and matches at most a label of the file that it names; where the "
        "system changes its texts, have it tell source, start and end"
    ),
    "several": "stand in several places, of which the first counts: write the source, or start and end",
    "words": "were found by their words, of which at least three in four stand there in a row; the rest matches nothing",
    "offsets": (
        "do not stand at their start and end, in characters of the document's text, start before end: they were looked for by "
        "their text"
    ),
    "path": "name a path that ends with the id of a document, which is taken for it",
    "other_page": "stand on another page than they name, or in a file without pages; pages begin at 1",
    "page": "are a page without a text: the whole page counts",
    "page_text": "name a page that does not have their text: they match labels of page and file only",
    "file": "name a file alone: they match labels of that file only, and nobody knows their words",
}


def said_of(counts: Mapping[str, int], total: int) -> Iterator[str]:
    """What is to be known of contexts, of ``total`` in all, that were not simply where they say."""
    yield from (f"{counts[how]} of {total} contexts {what}" for how, what in SAID.items() if counts.get(how))


def not_known(counts: Mapping[str, int]) -> tuple[str, ...]:
    """What nobody knows of contexts: of some their "words", of which an average would read as few, or their "passages", as they
    are told and stand nowhere on the page that they name."""
    known = {"words": not counts.get("no_words"), "passages": not counts.get("page_text")}
    return tuple(what for what, is_known in known.items() if not is_known)


def without_places(counts: Mapping[str, int], total: int, questions: Sequence[Question]) -> bool:
    """Whether more than half of ``total`` contexts are nowhere. Their system may be better than it looks."""
    return 2 * nowhere(counts, questions) > total


def nowhere(counts: Mapping[str, int], questions: Sequence[Question]) -> int:
    """How many contexts are nowhere by the labels of ``questions``: a file is enough for one of a file, a page for one of a
    page."""
    kinds = {evidence.kind for question in questions for evidence in question.evidence}
    if not kinds - {"file"}:
        return counts.get("no_file", 0)
    lost = ("nowhere", "unknown", "unknown_file", "same_name", *(["page_text"] if kinds & {"quote", "span"} else []))
    return sum(counts.get(how, 0) for how in lost)


@dataclass(frozen=True, slots=True)
class Located:
    """Where a context is, and ``how`` that is known. ``span`` None: nowhere in that document."""

    document: str
    span: Span | None
    how: tuple[How, ...] = ()


class Locator:
    """Finds contexts in documents, which are normalised once, when the first text asks for it."""

    def __init__(self, documents: Mapping[str, Document]) -> None:
        self.documents, self._ids = documents, sorted(documents)
        self._names, self._quotes = Names(documents), Quotes(documents)
        self._wording = Wording(self._quotes.normal)

    def locate(self, context: Context) -> Located:
        """Where a context is by what it tells; what is wrong in that tells nothing."""
        document, path = self._named(context.source) if context.source is not None else (None, ())
        if document is None and context.source is not None:
            return Located(NOWHERE, None, path or ("unknown" if context.text is not None else "unknown_file",))
        if document and context.span is not None:
            if _holds(document, context.span, context.text):
                return Located(document.id, context.span, path)
            path += ("offsets",)
        if context.text is not None:
            found = self._of_text(context.text, context.pages, document)
        else:
            pages = _of_pages(document, context.pages) if document else None
            found = Located(document.id if document else NOWHERE, pages, ("page" if pages else "file",))
        return Located(found.document, found.span, (*path, *found.how))

    def _named(self, source: str) -> tuple[Document | None, tuple[How, ...]]:
        """The document of a name, or of a path that ends with the id of one: other systems keep paths as they opened them."""
        of_several: tuple[How, ...] = ()
        try:
            if found := self._names.get(source):
                return found, ()
        except InputError:
            of_several = ("same_name",)
        parts = normalize("NFC", source).replace("\\", "/").split("/")
        ends = ("/".join(parts[start:]) for start in range(1, len(parts)))
        return next(((self.documents[end], ("path",)) for end in ends if end in self.documents), (None, of_several))

    def _of_text(self, text: str, pages: Sequence[int], document: Document | None) -> Located:
        ids = [document.id] if document else self._ids
        if found := self._quotes.passage(_normal(text), ids):
            return self._first(found, pages)
        alike = self._wording.places(text, ids)
        if len(self._on(pages, alike) or alike) == 1:  # by its words alone it is not known which of several is meant
            located = self._first(alike, pages)
            return replace(located, how=("words", *located.how))
        if document and _of_pages(document, pages):
            return Located(document.id, _least(document, pages), ("page_text",))
        return Located(document.id if document else NOWHERE, None, ("nowhere",))

    def _first(self, places: Sequence[Place], pages: Sequence[int]) -> Located:
        on_page = self._on(pages, places)
        how: tuple[How, ...] = ("other_page",) if pages and not on_page else ()
        first, *others = on_page or places
        return Located(first.document, (first.start, first.end), (*how, "several") if others else how)

    def _on(self, pages: Sequence[int], places: Sequence[Place]) -> list[Place]:
        """Those of the places that touch these pages."""
        of_pages = [(place, _of_pages(self.documents[place.document], pages)) for place in places]
        return [place for place, whole in of_pages if whole and place.start < whole[1] and whole[0] < place.end]


class Returned:
    """The contexts of one question as hits. ``outside`` is what ``Record.outside`` is, ``counts`` how they were located, and of
    how many no file ("no_file") and no words ("no_words") are known."""

    def __init__(self, locator: Locator) -> None:
        self.locator = locator
        self.outside: dict[str, str] = {}
        self.counts: Counter[str] = Counter()

    def hit(self, context: Context, place: int) -> Hit:
        """The hit of a context, as chunk ``place``."""
        located = self.locator.locate(context)
        known = {"no_file": located.document != NOWHERE, "no_words": context.text is not None or located.span is not None}
        self.counts.update((*located.how, *(what for what, is_known in known.items() if not is_known)))
        start, end = located.span or self._keep(context.text, located.document)
        score = context.score if context.score is not None else 0.0
        words = count_words(context.text) if context.text is not None else None
        return Hit(place, located.document, context.number, start, end, score, words)

    def _keep(self, text: str | None, id: str) -> Span:
        before = self.outside.setdefault(id, "") if text is not None or id == NOWHERE else ""
        if text is None:
            return 0, 0
        start = (len(self.locator.documents[id].text) if id != NOWHERE else 0) + len(before) + 1
        self.outside[id] = f"{before}\n{text}"
        return start, start + len(text)


def _holds(document: Document, span: Span, text: str | None) -> bool:
    return _is_of(document, span) and (text is None or _normal(document.text[slice(*span)]) == _normal(text))


def _is_of(document: Document, span: Span) -> bool:
    return span[0] < span[1] <= len(document.text)


def _of_pages(document: Document, pages: Sequence[int]) -> Span | None:
    """Pages whole; None without any, for those that there are not, and for some that are not in a row."""
    if not pages or pages[-1] > len(document.pages) or pages[-1] - pages[0] >= len(pages):
        return None
    return document.pages[pages[0] - 1][0], document.pages[pages[-1] - 1][1]


def _least(document: Document, pages: Sequence[int]) -> Span:
    """As little of pages as a passage on all of them must hold: two characters at the border of two pages."""
    (start, first_end), (last_start, end) = document.pages[pages[0] - 1], document.pages[pages[-1] - 1]
    last = document.text[last_start:end]
    begin = last_start + len(last) - len(last.lstrip())
    return min(begin, start + len(document.text[start:first_end].rstrip()) - 1), min(begin + 1, end)


@lru_cache(maxsize=4096)
def _normal(text: str) -> str:
    return normalise(text).text.strip()
