"""Contexts -> hits: the spans of documents that a system returned.

A context is what its record says and no more: a text is where it stands; a page without text is the whole page; a file alone is
that file, of which nobody knows the passage: an empty span, which only a label of the file matches.
"""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import replace
from unicodedata import normalize

from ragsweep.errors import InputError
from ragsweep.questions.names import Names
from ragsweep.questions.quotes import Quotes
from ragsweep.recorded.rows import Context
from ragsweep.text.normalise import normalise
from ragsweep.types import Document, Hit, Place, Span

NOWHERE = ""
"""The id of the document of texts that are in none."""


class Locator:
    """Finds contexts. ``counts`` says by what it did how many contexts there were."""

    def __init__(self, documents: Mapping[str, Document]) -> None:
        self._documents, self._ids = documents, sorted(documents)
        self._names, self._quotes = Names(documents), Quotes(documents)
        self._normal: dict[str, str] = {}
        self._beside: dict[str, list[str]] = defaultdict(list)
        self._ends = {NOWHERE: 0, **{id: len(document.text) for id, document in documents.items()}}
        self.counts: dict[str, int] = defaultdict(int)

    def hit(self, context: Context, place: int) -> Hit:
        """The hit of the context at a 0-based place of its list. Raises InputError for what its source does not have."""
        document = self._named(context.source) if context.source is not None else None
        page = _page(document, context.page) if document and context.page is not None else None
        id, (start, end) = self._span(context, document, page)
        return Hit(place, id, 0, start, end, context.score if context.score is not None else 0.0)

    def _named(self, source: str) -> Document:
        """The document of a name, or of a path that ends with the id of one: other systems keep paths as they opened them."""
        found = self._names.get(source)
        parts = normalize("NFC", source).replace("\\", "/").split("/")
        ends = ("/".join(parts[start:]) for start in range(1, len(parts)))
        ended = next((self._documents[end] for end in ends if end in self._documents), None) if found is None else None
        self.counts["path"] += ended is not None
        return found or ended or self._names.document(source)

    def documents(self) -> dict[str, Document]:
        """The documents with the texts that are not in them: behind the end of the source that they name, where no label lies,
        or in one of their own. So they have words, and match a label of their source's file and nothing else."""
        found = {NOWHERE: Document(NOWHERE, "", ""), **self._documents}
        for id, texts in self._beside.items():
            found[id] = replace(found[id], text=found[id].text + "".join(f"\n{text}" for text in texts))
        return found

    def _span(self, context: Context, document: Document | None, page: Span | None) -> tuple[str, Span]:
        if document and context.span is not None:
            if self._holds(document, context.span, context.text):
                return document.id, context.span
            self.counts["offsets"] += 1
        if context.text is not None:
            return self._of_text(context.text, document, page)
        if document is None:
            raise InputError("it has neither text nor source")
        self.counts["page" if page else "file"] += 1
        return document.id, page or (0, 0)

    def _holds(self, document: Document, span: Span, text: str | None) -> bool:
        if span[0] >= span[1] or span[1] > len(document.text):
            raise InputError(f"start {span[0]}, end {span[1]}: {document.id!r} has {len(document.text)} characters")
        return text is None or self._normalised(document.text[slice(*span)]) == self._normalised(text)

    def _of_text(self, text: str, document: Document | None, page: Span | None) -> tuple[str, Span]:
        ids = [document.id] if document else self._ids
        quote = self._normalised(text)
        places = self._quotes.passage(quote, ids)
        if not places:
            self.counts["nowhere"] += 1
            return self._keep(text, document.id if document else NOWHERE)
        on_page = [place for place in places if page and place.start < page[1] and page[0] < place.end]
        self.counts["other_page"] += page is not None and not on_page
        self.counts["several"] += len(on_page or places) > 1
        first: Place = (on_page or list(places))[0]
        return first.document, (first.start, first.end)

    def _keep(self, text: str, id: str) -> tuple[str, Span]:
        start = self._ends[id] + 1
        self._beside[id].append(text)
        self._ends[id] = start + len(text)
        return id, (start, start + len(text))

    def _normalised(self, text: str) -> str:
        if text not in self._normal:
            self._normal[text] = normalise(text).text.strip()
        return self._normal[text]


def _page(document: Document, page: int) -> Span:
    if not document.pages:
        raise InputError(f"page {page}: {document.id!r} has no pages: leave page out")
    if page > len(document.pages):
        raise InputError(f"page {page}: {document.id!r} has the pages 1 to {len(document.pages)}")
    return document.pages[page - 1]
