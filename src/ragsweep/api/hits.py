"""Hits of retrievers that are not of ragsweep: what is told of them, checked, and where that is."""

import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, fields
from math import isfinite
from numbers import Integral, Real
from typing import Any, TypeAlias
from unicodedata import normalize

from ragsweep.errors import InputError, InputErrors
from ragsweep.questions.drafts import Draft, Label
from ragsweep.questions.names import Names
from ragsweep.questions.quotes import Quotes
from ragsweep.text.normalise import normalise, occurrences
from ragsweep.types import Document, Evidence, Hit, Place, Question, Span

KEYS = ("source", "text", "page_numbers", "start", "end", "chunk", "score")


@dataclass(frozen=True, slots=True)
class Told:
    """What a retriever tells of a hit. ``pages`` and ``chunk`` are 1-based; ``span`` is in characters of the source's text."""

    source: str | None
    text: str | None
    pages: tuple[int, ...]
    span: Span | None
    chunk: int
    score: float


def told(hits: Sequence[Any], where: str) -> list[Told]:
    """Hits, best first, as they are told. Raises InputErrors naming the hit and the value for all that cannot be used."""
    problems: list[str] = []
    found = [_told(hit, f"{where}, hit {place}", problems) for place, hit in enumerate(hits, 1)]
    if problems:
        raise InputErrors(problems)
    return found


def _told(hit: Any, where: str, problems: list[str]) -> Told:
    values = {key: hit.get(key) if isinstance(hit, Mapping) else getattr(hit, key, None) for key in KEYS}

    def value(key: str, right: Callable[[Any], bool], fix: str) -> Any:
        said = values[key]
        if said is None or right(said):
            return said
        problems.append(f"{where}: {key}={_shown(said)}: write {fix}")
        return None

    source = value("source", lambda each: isinstance(each, str | os.PathLike) and bool(os.fspath(each)), "the name of a file")
    text = value("text", lambda each: isinstance(each, str), "a text")
    pages = value("page_numbers", _are_pages, "a list of whole numbers; the first page is 1")
    start = value("start", lambda each: is_whole(each, 0), "a whole number of 0 or more")
    end = value("end", lambda each: is_whole(each, 1), "a whole number of 1 or more")
    chunk = value("chunk", lambda each: is_whole(each, 1), "a whole number; the first chunk of a file is 1")
    score = value("score", lambda each: isinstance(each, Real) and isfinite(each), "a finite number")
    if values["source"] is None and values["text"] is None:
        problems.append(f"{where}: {_shown(hit)} has neither source nor text: give mappings or objects with {', '.join(KEYS)}")
    if (values["start"] is None) != (values["end"] is None) or (start is not None and end is not None and start >= end):
        problems.append(f"{where}: start={values['start']!r} and end={values['end']!r}: write both, start before end")
    return Told(
        None if source is None else os.fspath(source),
        text,
        tuple(sorted({int(page) for page in pages or ()})),
        None if start is None or end is None else (int(start), int(end)),
        int(chunk or 0),
        float(score or 0),
    )


def _are_pages(value: Any) -> bool:
    return isinstance(value, Iterable) and not isinstance(value, str | bytes) and all(is_whole(page, 1) for page in value)


def is_whole(value: Any, least: int) -> bool:
    """Whether it is a whole number of ``least`` or more, of Python or numpy."""
    return isinstance(value, Integral) and not isinstance(value, bool) and int(value) >= least


def _shown(value: Any) -> str:
    said = repr(value)
    return said if len(said) <= 60 else f"{said[:57]}..."


Placed: TypeAlias = tuple[Question, Mapping[str, Document], list[Hit]]
"""A question with the documents and the hits that it is scored by."""


class ByDocuments:
    """Hits as passages of the documents. ``counts`` says of how many nobody knows where they are, and what that means."""

    def __init__(self, questions: Sequence[Question], documents: Mapping[str, Document]) -> None:
        self.questions = questions
        self.counts: Counter[str] = Counter()
        self._documents = {"": Document("", "", ""), **documents}
        self._ids = sorted(documents)
        self._names, self._quotes = Names(documents), Quotes(documents)

    def place(self, number: int, found: Sequence[Told]) -> Placed:
        """The hits of a question, best first."""
        question = self.questions[number]
        only_files = all(evidence.kind == "file" for evidence in question.evidence)
        return question, self._documents, [self._hit(each, place, only_files) for place, each in enumerate(found)]

    def _hit(self, told: Told, place: int, only_files: bool) -> Hit:
        """Where its span says, where its text stands, or its pages; else an empty span, which only its file's label finds."""
        document = self._document(told.source) if told.source is not None else None
        if told.source is not None and document is None:
            self.counts["of files that are not among these, which find nothing"] += 1
            return Hit(place, "", 0, 0, 0, told.score)
        id, span = self._of_text(told, document) or (document.id if document else "", None)
        if span is None and document:
            span = _of_pages(told, document)
        if span is None and not (document and only_files):
            self.counts[
                "that find the label of their file at most, as no text, span or page of theirs is in the documents"
            ] += 1
        return Hit(place, id, told.chunk, *(span or (0, 0)), told.score)

    def _of_text(self, told: Told, document: Document | None) -> tuple[str, Span] | None:
        quote, span = _normal(told.text or ""), told.span
        stands = document.text[slice(*span)] if document and span and span[1] <= len(document.text) else ""
        if document and span and stands and (told.text is None or _normal(stands) == quote):
            return document.id, span
        places = self._quotes.passage(quote, [document.id] if document else self._ids)
        pages = _of_pages(told, self._documents[places[0].document]) if places else None
        on_page = [each for each in places if pages and each.start < pages[1] and pages[0] < each.end]
        if len(on_page or places) > 1:
            self.counts["with a text that stands at several places, of which the first counts (tell start and end)"] += 1
        first = next(iter(on_page or places), None)
        return (first.document, (first.start, first.end)) if first else None

    def _document(self, source: str) -> Document | None:
        """By id, bare name, or a path that ends with the id."""
        name = _name(source)
        with suppress(InputError):  # a bare name that several have
            if found := self._names.get(name):
                return found
        ends = [id for id in self._ids if name.endswith(f"/{id}")]
        return self._documents[max(ends, key=len)] if ends else None


def _of_pages(told: Told, document: Document) -> Span | None:
    """Its pages whole; where its text is another, as little as a passage on them must hold. None if not in a row."""
    pages = told.pages
    if not pages or pages[-1] > len(document.pages) or pages[-1] - pages[0] >= len(pages):
        return None
    (start, first_end), (last_start, end) = document.pages[pages[0] - 1], document.pages[pages[-1] - 1]
    if told.text is None:
        return start, end
    last = document.text[last_start:end]
    begin = last_start + len(last) - len(last.lstrip())
    return min(begin, start + len(document.text[start:first_end].rstrip()) - 1), min(begin + 1, end)


class ByLabels:
    """Hits by what they tell, where the documents are not known: each is a document of its own, and finds the labels that it
    shows. ``counts`` says of how many it could not be told."""

    def __init__(self, drafts: Sequence[Draft]) -> None:
        self.counts: Counter[str] = Counter()
        self._drafts = drafts
        self.questions = [self.place(number, ())[0] for number in range(len(drafts))]

    def place(self, number: int, found: Sequence[Told]) -> Placed:
        """The question with the evidence that these hits show."""
        draft = self._drafts[number]
        narrowed = {label.source for label in draft.labels if label.reference}  # a file beside references to it does not count
        counted = [label for label in draft.labels if label.name is None or label.name not in narrowed]
        labels = {label.shown: label for label in counted} if draft.answerable else {}
        hits = [Hit(place, str(place), 1, 0, len(each.text or ""), each.score) for place, each in enumerate(found)]
        of_hits = list(zip(hits, found, strict=True))
        evidence = [
            Evidence("file", shown, tuple(Place(hit.document, 0, hit.end) for hit, each in of_hits if _shows(each, label)))
            for shown, label in labels.items()
        ]
        for each in found:
            for what in dict.fromkeys(what for label in labels.values() for what in _untold(each, label)):
                self.counts[
                    f"without {what}, by which evidence is labelled, which cannot find it (tell it, or give files=)"
                ] += 1
        same = {entry.name: getattr(draft, entry.name) for entry in fields(Question) if entry.name != "evidence"}
        documents = {hit.document: Document(hit.document, each.text or "", "") for hit, each in of_hits}
        return Question(**same, evidence=tuple(evidence)), documents, hits


def _wanted(label: Label) -> tuple[str | None, int | None]:
    """The file and page of a label."""
    if label.name is None:
        return label.source, label.page
    file, mark, page = label.name.rpartition("#p")
    return (file, int(page)) if mark and page.isdecimal() else (label.name, None)


def _untold(told: Told, label: Label) -> Iterator[str]:
    """What a hit does not tell and a label of its file asks for."""
    source, page = _wanted(label)
    if source is not None and told.source is None:
        yield "source"
    elif source is None or _is_of(told, source):
        needs = {"text": label.quote, "page_numbers": page, "start and end": label.span, "chunk": label.chunk}
        tells = {"text": told.text, "page_numbers": told.pages, "start and end": told.span, "chunk": told.chunk}
        yield from (what for what, needed in needs.items() if needed is not None and not tells[what])


def _shows(told: Told, label: Label) -> bool:
    """Whether a hit shows what a label names: its file, its page, its span or chunk, its quote within the text of the hit."""
    source, page = _wanted(label)
    return (
        (source is None or _is_of(told, source))
        and (page is None or page in told.pages)
        and (label.chunk is None or label.chunk == told.chunk)
        and (label.span is None or (told.span is not None and told.span[0] <= label.span[0] and label.span[1] <= told.span[1]))
        and (label.quote is None or bool(occurrences(_normal(label.quote), _normal(told.text or ""))[0]))
    )


def _is_of(told: Told, name: str) -> bool:
    source = _name(told.source or "")
    return source == _name(name) or source.endswith(f"/{_name(name)}")


def _name(written: str) -> str:
    return normalize("NFC", written).replace("\\", "/").removeprefix("./")


def _normal(text: str) -> str:
    return normalise(text).text.strip()
