"""Questions as written -> Questions with the places of their evidence, checked against the documents."""

import re
from collections.abc import Mapping
from dataclasses import fields

from ragsweep.errors import InputError, InputErrors
from ragsweep.questions.drafts import Draft, Label, Loaded
from ragsweep.questions.names import Names
from ragsweep.questions.notices import notices_of_all, notices_of_one
from ragsweep.questions.quotes import Quotes
from ragsweep.text.normalise import normalise
from ragsweep.types import Document, Evidence, Place, Question

_PAGE = re.compile(r"(.*)#p([0-9]{1,9})", re.DOTALL)
_PAGE_RANGE = re.compile(r".*#p?([0-9]{1,9})[-–]p?[0-9]{1,9}", re.DOTALL)
_OTHER_PAGE = re.compile(r".*#[^0-9#]{0,6}([0-9]{1,9})", re.DOTALL)


def resolve(loaded: Loaded, documents: Mapping[str, Document]) -> tuple[list[Question], list[str]]:
    """The questions with their evidence, in the order written, and what the user should know about them.

    Raises InputErrors with every mistake of all questions, also those found by ``load``.
    """
    resolver = _Resolver(documents)
    errors = list(loaded.errors)
    questions: list[Question] = []
    remarks: dict[str, list[tuple[Draft, str]]] = {}
    for draft in loaded.drafts:
        found: list[tuple[Label, Evidence]] = []
        for label in draft.labels:
            try:
                found.append((label, resolver.evidence(label)))
            except InputError as error:
                errors.append(f"Question {draft.id!r}: {label.shown}: {error} ({draft.where})")
        evidence, dropped = _counted(draft, found)
        questions.append(_question(draft, evidence))
        of_one = [(remark, "") for remark in [*dropped, *notices_of_one(evidence, documents)]]
        for remark, about in [*resolver.take_notices(), *of_one]:
            remarks.setdefault(remark, []).append((draft, about))
    if errors:
        raise InputErrors(errors)
    return questions, [_notice(remark, found) for remark, found in remarks.items()] + notices_of_all(questions, documents)


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


def _counted(draft: Draft, found: list[tuple[Label, Evidence]]) -> tuple[tuple[Evidence, ...], list[str]]:
    """The distinct evidences that count, and why others do not."""
    if not draft.answerable:
        return (), ["answerable is false, so its evidence does not count"] if found else []
    referenced = {place.document for label, evidence in found if label.reference for place in evidence.places}
    counted: dict[tuple[str, tuple[Place, ...]], Evidence] = {}
    notices = []
    for label, evidence in found:
        first = counted.get((evidence.kind, evidence.places))
        if evidence.kind == "file" and evidence.label in referenced:
            notices.append(f"{label.shown} does not count beside references to that file")
        elif first:
            notices.append(f"{label.shown} is the same as {first.label!r} and counts once")
        else:
            counted[evidence.kind, evidence.places] = evidence
    return tuple(counted.values()), notices


def _question(draft: Draft, evidence: tuple[Evidence, ...]) -> Question:
    same = {field.name: getattr(draft, field.name) for field in fields(Draft) if field.name != "labels"}
    return Question(**same, evidence=evidence)


class _Resolver:
    """Labels -> Evidence. Notices of the labels since the last question wait in ``take_notices``."""

    def __init__(self, documents: Mapping[str, Document]) -> None:
        self._ids = sorted(documents)
        self._names = Names(documents)
        self._quotes = Quotes(documents)
        self._notices: list[tuple[str, str]] = []

    def take_notices(self) -> list[tuple[str, str]]:
        notices, self._notices = self._notices, []
        return notices

    def evidence(self, label: Label) -> Evidence:
        """The evidence that a label means. Raises InputError without the label's name."""
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
        return _file(self._names.document(name))

    def _quote(self, label: Label, document: Document | None) -> Evidence:
        written = " ".join((label.quote or "").split())
        quote = normalise(label.quote or "").text.strip()  # as written: a word may be cut at the end of a line of it
        if not quote:
            raise InputError("it holds no character that can be found")
        ids = [document.id] if document else self._ids
        places, whole = self._quotes.places(quote, ids)
        if not places:
            raise InputError(self._missing(written, quote, ids))
        if not whole:
            self._notices.append(("stands only inside longer words; it is taken as it stands", label.shown))
        return Evidence("quote", f"{document.id}: {written}" if document else written, places)

    def _missing(self, written: str, quote: str, ids: list[str]) -> str:
        page = _PAGE.fullmatch(written)
        if named := self._names.get(page[1] if page else written):
            more = f', "page": {int(page[2])}' if page else ""
            return f'it is the name of a file: write {{"source": "{named.id}"{more}}}'
        where = f"in {ids[0]!r}" if len(ids) == 1 else f"in any of {len(ids)} documents"
        nearest = self._quotes.nearest(quote, ids)
        return f"it does not occur {where}" + (f"; the nearest passage is {nearest}" if nearest else "")


def _file(document: Document) -> Evidence:
    return Evidence("file", document.id, (Place(document.id, 0, len(document.text)),))


def _page(document: Document, page: int) -> Evidence:
    if not document.pages:
        raise InputError(f"{document.id!r} has no pages: write {document.id!r}")
    if not 1 <= page <= len(document.pages):
        raise InputError(f"{document.id!r} has no page {page}: its pages are 1 to {len(document.pages)}")
    return Evidence("page", f"{document.id}#p{page}", (Place(document.id, *document.pages[page - 1]),))


def _chunk(document: Document, chunk: int) -> Evidence:
    return Evidence("chunk", f"{document.id} chunk {chunk}", (Place(document.id, 0, len(document.text), chunk),))


def _span(document: Document, start: int, end: int) -> Evidence:
    if end > len(document.text):
        raise InputError(f"{document.id!r} has {len(document.text)} characters: the span ends behind them")
    if document.text[start:end].isspace():
        raise InputError("the span holds white space only")
    return Evidence("span", f"{document.id}[{start}:{end}]", (Place(document.id, start, end),))
