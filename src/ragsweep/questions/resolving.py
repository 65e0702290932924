"""Questions as written -> Questions with the places of their evidence, checked against the documents."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, replace
from functools import partial
from typing import TypeAlias

from ragsweep.errors import InputError, InputErrors
from ragsweep.questions.drafts import Draft, Label, Loaded
from ragsweep.questions.names import Names
from ragsweep.questions.notices import notices_of_all, notices_of_one
from ragsweep.questions.quotes import Quotes
from ragsweep.text.normalise import normalise
from ragsweep.types import Document, Evidence, Place, Question, Span

_PAGE = re.compile(r"(.*)#p([0-9]{1,9})", re.DOTALL)
_PAGE_RANGE = re.compile(r".*#p?([0-9]{1,9})[-–]p?[0-9]{1,9}", re.DOTALL)
_SPOKEN_PAGE = re.compile(r"(.+?\.\w{1,8})[\s,;:@(\[-]+(?:p(?:age|g|p)?\.?\s*)?([0-9]{1,9})[)\]]?", re.DOTALL | re.IGNORECASE)
"""A file and a page as a person would say it: ``hr.pdf p3``, ``hr.pdf, page 3``, ``hr.pdf:3``."""
_OTHER_PAGE = re.compile(r".*#[^0-9#]{0,6}([0-9]{1,9})", re.DOTALL)

_InEach: TypeAlias = tuple[Evidence, ...]
"""One evidence as each reading has it: the same kind and label, and places of its own."""


def resolve(loaded: Loaded, *readings: Mapping[str, Document]) -> list[tuple[list[Question], list[str]]]:
    """For each reading of the same files: the questions with their evidence in its texts, in the order written, and what the
    user should know about them.

    A question has the same evidences in every reading, so that its scores compare. One that has a place in others only, as a
    quote whose words this one tears, has none here: nothing finds it.

    Raises InputErrors with every mistake of all questions, also those found by ``load``.
    """
    resolvers = [_Resolver(documents) for documents in readings]
    errors = list(loaded.errors)
    for draft in loaded.drafts:
        found: list[tuple[Label, _InEach]] = []
        for label in draft.labels:
            try:
                found.append((label, _in_each(label, resolvers)))
            except InputError as error:
                where = f"{draft.where}, {label.place}" if label.place else draft.where
                errors.append(f"Question {draft.id!r}: {label.shown}: {error} ({where})")
        counted, dropped = _counted(draft, found)
        for place, resolver in enumerate(resolvers):
            resolver.keep(draft, tuple(each[place] for each in counted), dropped)
    if errors:
        raise InputErrors(errors)
    return [(resolver.questions, resolver.notices()) for resolver in resolvers]


def placed(loaded: Loaded, *readings: Mapping[str, Document]) -> tuple[Loaded, int]:
    """The questions with those labels alone that have a place in these documents, and how many others there are."""
    resolvers = [_Resolver(documents) for documents in readings]

    def has_place(label: Label) -> bool:
        try:
            return bool(_in_each(label, resolvers))
        except InputError:
            return False

    drafts = [replace(draft, labels=tuple(filter(has_place, draft.labels))) for draft in loaded.drafts]
    others = sum(len(draft.labels) for draft in loaded.drafts) - sum(len(draft.labels) for draft in drafts)
    return Loaded(tuple(draft for draft in drafts if draft.labels), loaded.errors), others


def _notice(remark: str, found: list[tuple[Draft, str]]) -> str:
    """What is to be said of one or several questions, each with the label that it is about, if any."""
    draft, label = found[0]
    said = f"{label} {remark}" if label else remark
    if len(found) == 1:
        return f"Question {draft.id!r}: {said} ({draft.where})"
    questions = len({draft.id for draft, _ in found})
    if len({label for _, label in found}) > 1:
        return f"{len(found)} labels of {questions} questions, the first of {draft.id!r}: {said}"
    return f"{questions} questions ({draft.id!r} and others): {said}"


def _in_each(label: Label, resolvers: "Sequence[_Resolver]") -> _InEach:
    """The evidence that a label means, in each reading. Raises InputError when it is wrong, or has a place in none."""
    if label.span is not None and len({resolver.written_at(label.source, label.span) for resolver in resolvers}) > 1:
        raise InputError(f"{label.source!r} is read in several ways, which differ there: write the quote, not start and end")
    found: list[Evidence | None] = []
    missing: list[_NoPlaceError] = []
    for resolver in resolvers:
        try:
            found.append(resolver.evidence(label))
        except _NoPlaceError as error:
            found.append(None)
            missing.append(error)
            resolver.note(f"{error}, so nothing can find it", label)
    there = next(filter(None, found), None)
    if there is None:
        raise InputError(missing[0].why())
    return tuple(evidence or replace(there, places=()) for evidence in found)


def _counted(draft: Draft, found: Sequence[tuple[Label, _InEach]]) -> tuple[list[_InEach], list[tuple[str, str]]]:
    """The distinct evidences that count, and why others do not, with their label. What any reading tells apart are two."""
    if not draft.answerable:
        return [], [("answerable is false, so its evidence does not count", "")] if found else []
    referenced = {place.document for label, each in found if label.reference for place in each[0].places}
    counted: dict[tuple[str, tuple[tuple[Place, ...], ...]], _InEach] = {}
    notices = []
    for label, each in found:
        meant = each[0].kind, tuple(evidence.places for evidence in each)
        if each[0].kind == "file" and each[0].label in referenced:
            notices.append(("does not count beside references to that file", label.shown))
        elif meant in counted:
            notices.append((f"{label.shown} is the same as {counted[meant][0].label!r} and counts once", ""))
        else:
            counted[meant] = each
    return list(counted.values()), notices


def _question(draft: Draft, evidence: tuple[Evidence, ...]) -> Question:
    same = {field.name: getattr(draft, field.name) for field in fields(Draft) if field.name not in ("labels", "remarks")}
    return Question(**same, evidence=evidence)


class _NoPlaceError(Exception):
    """A label that is right in form and has no place in the texts of one reading; ``why`` is the whole message."""

    def __init__(self, remark: str, why: Callable[[], str]) -> None:
        super().__init__(remark)
        self.why = why


class _Resolver:
    """Labels -> Evidence in the documents of one reading, and the questions and remarks that come of it."""

    def __init__(self, documents: Mapping[str, Document]) -> None:
        self.questions: list[Question] = []
        self._documents = documents
        self._ids = sorted(documents)
        self._names = Names(documents)
        self._quotes = Quotes(documents)
        self._noted: list[tuple[str, str]] = []  # of the labels since the last question
        self._remarks: dict[str, list[tuple[Draft, str]]] = {}

    def note(self, remark: str, label: Label) -> None:
        """Keep what is to be said of a label."""
        self._noted.append((remark, label.shown))

    def keep(self, draft: Draft, evidence: tuple[Evidence, ...], remarks: Sequence[tuple[str, str]]) -> None:
        """Keep a question with its evidence, and what is to be said of it."""
        self.questions.append(_question(draft, evidence))
        of_one = [(remark, "") for remark in [*draft.remarks, *notices_of_one(evidence, self._documents)]]
        for remark, about in [*self._noted, *remarks, *of_one]:
            self._remarks.setdefault(remark, []).append((draft, about))
        self._noted = []

    def notices(self) -> list[str]:
        """What the user should know about the questions."""
        of_some = [_notice(remark, found) for remark, found in self._remarks.items()]
        return of_some + notices_of_all(self.questions, self._documents)

    def written_at(self, source: str | None, span: Span) -> str:
        """What stands at a span of a document."""
        return self._names.document(source or "").text[slice(*span)]

    def evidence(self, label: Label) -> Evidence:
        """The evidence that a label means. Raises InputError without the label's name, or _NoPlaceError."""
        if label.name is not None:
            return self._named(label.name)
        document = self._names.document(label.source) if label.source is not None else None
        if label.quote is not None:
            return self._quote(label, document)
        if document is None:
            raise InputError("it has no source")
        if label.page is not None:
            return _page(document, label.page)
        if label.span is not None:
            return _span(document, *label.span)
        return _file(document) if label.chunk is None else _chunk(document, label.chunk)

    def _named(self, name: str) -> Evidence:
        document = self._names.get(name)
        if document is not None:
            return _file(document)
        if page := _PAGE.fullmatch(name):
            return _page(self._names.document(page[1]), int(page[2]))
        if pages := _PAGE_RANGE.fullmatch(name):
            raise InputError(f"write one label a page: '#p{pages[1]}', ...")
        if other := _OTHER_PAGE.fullmatch(name):
            raise InputError(f"write the page as '#p{other[1]}'")
        if (spoken := _SPOKEN_PAGE.fullmatch(name)) and (document := self._names.get(spoken[1])):
            page_of = f"the page as '{document.id}#p{spoken[2]}'"
            raise InputError(f"write {page_of if document.pages else f'{document.id!r}: it has no pages'}")
        return _file(self._names.document(name))

    def _quote(self, label: Label, document: Document | None) -> Evidence:
        written = " ".join((label.quote or "").split())
        quote = normalise(label.quote or "").text.strip()  # as written: a word may be cut at the end of a line of it
        if not quote:
            raise InputError("it holds no character that can be found")
        ids = [document.id] if document else self._ids
        places, whole = self._quotes.places(quote, ids)
        if not places:
            raise _NoPlaceError(f"does not occur {_in(ids)}", partial(self._why, written, quote, ids))
        if not whole:
            self.note("stands only inside longer words; it is taken as it stands", label)
        return Evidence("quote", f"{document.id}: {written}" if document else written, places)

    def _why(self, written: str, quote: str, ids: list[str]) -> str:
        page = _PAGE.fullmatch(written)
        if named := self._names.get(page[1] if page else written):
            more = f', "page": {int(page[2])}' if page else ""
            return f'it is the name of a file: write {{"source": "{named.id}"{more}}}'
        nearest = self._quotes.nearest(quote, ids)
        return f"it does not occur {_in(ids)}" + (f"; the nearest passage is {nearest}" if nearest else "")


def _in(ids: Sequence[str]) -> str:
    return f"in {ids[0]!r}" if len(ids) == 1 else f"in any of {len(ids)} documents"


def _file(document: Document) -> Evidence:
    return Evidence("file", document.id, (Place(document.id, 0, len(document.text)),))


def _page(document: Document, page: int) -> Evidence:
    if not document.pages:
        raise InputError(f"{document.id!r} has no pages: write {document.id!r}")
    if not 1 <= page <= len(document.pages):
        why = f"{document.id!r} has no page {page}: its pages are 1 to {len(document.pages)}"
        raise _NoPlaceError(f"is past the last page of {document.id!r} ({len(document.pages)})", lambda: why)
    return Evidence("page", f"{document.id}#p{page}", (Place(document.id, *document.pages[page - 1]),))


def _chunk(document: Document, chunk: int) -> Evidence:
    return Evidence("chunk", f"{document.id} chunk {chunk}", (Place(document.id, 0, len(document.text), chunk),))


def _span(document: Document, start: int, end: int) -> Evidence:
    if end > len(document.text):
        raise InputError(f"{document.id!r} has {len(document.text)} characters: the span ends behind them")
    if document.text[start:end].isspace():
        raise InputError("the span holds white space only")
    return Evidence("span", f"{document.id}[{start}:{end}]", (Place(document.id, start, end),))
