"""Hits of retrievers that are not of ragsweep: what is told of them, checked, and where that is."""

import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import fields
from math import isfinite
from numbers import Integral, Real
from typing import Any, TypeAlias
from unicodedata import normalize

from ragsweep.contexts.locating import Locator, Returned, not_known
from ragsweep.contexts.outside import extended
from ragsweep.contexts.reading import Context
from ragsweep.contexts.values import shown
from ragsweep.errors import InputErrors
from ragsweep.questions.drafts import Draft, Label
from ragsweep.text.normalise import normalise, occurrences
from ragsweep.types import Document, Evidence, Hit, Place, Question

KEYS = ("source", "text", "page_numbers", "page", "start", "end", "chunk", "score")


def told(hits: Sequence[Any], where: str) -> list[Context]:
    """Hits, best first, as they are told. Raises InputErrors naming the hit and the value for all that cannot be used."""
    problems: list[str] = []
    found = [_told(hit, f"{where}, hit {place}", problems) for place, hit in enumerate(hits, 1)]
    if problems:
        raise InputErrors(problems)
    return found


def _told(hit: Any, where: str, problems: list[str]) -> Context:
    values = {key: hit.get(key) if isinstance(hit, Mapping) else getattr(hit, key, None) for key in KEYS}

    def value(key: str, right: Callable[[Any], bool], fix: str) -> Any:
        said = values[key]
        if said is None or right(said):
            return said
        problems.append(f"{where}: {key}={shown(said)}: write {fix}")
        return None

    source = value("source", lambda each: isinstance(each, str | os.PathLike) and bool(os.fspath(each)), "the name of a file")
    text = value("text", lambda each: isinstance(each, str), "a text")
    pages = value("page_numbers", _are_pages, "a list of whole numbers; the first page is 1")
    page = value("page", lambda each: is_whole(each, 1), "a whole number; the first page is 1")
    start = value("start", lambda each: is_whole(each, 0), "a whole number of 0 or more")
    end = value("end", lambda each: is_whole(each, 1), "a whole number of 1 or more")
    chunk = value("chunk", lambda each: is_whole(each, 1), "a whole number; the first chunk of a file is 1")
    score = value("score", lambda each: isinstance(each, Real) and isfinite(each), "a finite number")
    if values["source"] is None and values["text"] is None:
        problems.append(f"{where}: {shown(hit)} has neither source nor text: give mappings or objects with {', '.join(KEYS)}")
    if (values["start"] is None) != (values["end"] is None) or (start is not None and end is not None and start >= end):
        problems.append(f"{where}: start={values['start']!r} and end={values['end']!r}: write both, start before end")
    return Context(
        text,
        None if source is None else os.fspath(source),
        tuple(sorted({int(each) for each in (*(pages or ()), *([page] if page is not None else []))})),
        None if start is None or end is None else (int(start), int(end)),
        None if score is None else float(score),
        int(chunk or 0),
    )


def _are_pages(value: Any) -> bool:
    return isinstance(value, Iterable) and not isinstance(value, str | bytes) and all(is_whole(page, 1) for page in value)


def is_whole(value: Any, least: int) -> bool:
    """Whether it is a whole number of ``least`` or more, of Python or numpy."""
    return isinstance(value, Integral) and not isinstance(value, bool) and int(value) >= least


Placed: TypeAlias = tuple[Question, Mapping[str, Document], list[Hit]]
"""A question with the documents and the hits that it is scored by."""


OF_HITS = (
    ("of files that are not among these, which find nothing", ("unknown", "unknown_file")),
    ("of a file by a name that several have, which find nothing (write its path)", ("same_name",)),
    ("with a text that is not on the page that they name, which find labels of page and file only", ("page_text",)),
    ("on another page than they name, or in a file without pages (the first page is 1)", ("other_page",)),
    ("that do not stand at their start and end, and were looked for by their text", ("offsets",)),
    ("found by their words, of which at least three in four stand there in a row", ("words",)),
    ("that find the label of their file at most, as no text, span or page of theirs is in the documents", ("nowhere", "file")),
    ("with a text that stands at several places, of which the first counts (tell start and end)", ("several",)),
)
"""What is said of hits by how they were located (``ragsweep.contexts.locating``)."""


class ByDocuments:
    """Hits as passages of the documents. ``counts`` says of how many nobody knows where they are, and what that means,
    ``unknown`` what of some of them nobody knows."""

    def __init__(self, questions: Sequence[Question], documents: Mapping[str, Document]) -> None:
        self.questions = questions
        self.counts: Counter[str] = Counter()
        self.unknown: set[str] = set()
        self._locator = Locator(documents)

    def place(self, number: int, found: Sequence[Context]) -> Placed:
        """The hits of a question, best first."""
        question, returned = self.questions[number], Returned(self._locator)
        hits = [returned.hit(each, place) for place, each in enumerate(found)]
        self.unknown.update(not_known(returned.counts))
        how = returned.counts
        if all(evidence.kind == "file" for evidence in question.evidence):  # then the name of a file is all that is asked for
            how["file"] = 0
        self.counts.update({said: number for said, kinds in OF_HITS if (number := sum(how[each] for each in kinds))})
        return question, extended(self._locator.documents, returned.outside), hits


class ByLabels:
    """Hits by what they tell, where the documents are not known: each is a document of its own, and finds the labels that it
    shows. ``counts`` says of how many it could not be told, ``unknown`` has "words" where there are some without a text."""

    def __init__(self, drafts: Sequence[Draft]) -> None:
        self.counts: Counter[str] = Counter()
        self.unknown: set[str] = set()
        self._drafts = drafts
        self.questions = [self.place(number, ())[0] for number in range(len(drafts))]

    def place(self, number: int, found: Sequence[Context]) -> Placed:
        """The question with the evidence that these hits show."""
        draft = self._drafts[number]
        narrowed = {label.source for label in draft.labels if label.reference}  # a file beside references to it does not count
        counted = [label for label in draft.labels if label.name is None or label.name not in narrowed]
        labels = {label.shown: label for label in counted} if draft.answerable else {}
        hits = [Hit(place, str(place), 1, 0, len(each.text or ""), each.score or 0.0) for place, each in enumerate(found)]
        self.unknown.update(["words"] if any(not each.text for each in found) else [])
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


def _untold(told: Context, label: Label) -> Iterator[str]:
    """What a hit does not tell and a label of its file asks for."""
    source, page = _wanted(label)
    if source is not None and told.source is None:
        yield "source"
    elif source is None or _is_of(told, source):
        needs = {"text": label.quote, "page_numbers": page, "start and end": label.span, "chunk": label.chunk}
        tells = {"text": told.text, "page_numbers": told.pages, "start and end": told.span, "chunk": told.number}
        yield from (what for what, needed in needs.items() if needed is not None and not tells[what])


def _shows(told: Context, label: Label) -> bool:
    """Whether a hit shows what a label names: its file, its page, its span or chunk, its quote within the text of the hit."""
    source, page = _wanted(label)
    return (
        (source is None or _is_of(told, source))
        and (page is None or page in told.pages)
        and (label.chunk is None or label.chunk == told.number)
        and (label.span is None or (told.span is not None and told.span[0] <= label.span[0] and label.span[1] <= told.span[1]))
        and (label.quote is None or bool(occurrences(_normal(label.quote), _normal(told.text or ""))[0]))
    )


def _is_of(told: Context, name: str) -> bool:
    source = _name(told.source or "")
    return source == _name(name) or source.endswith(f"/{_name(name)}")


def _name(written: str) -> str:
    return normalize("NFC", written).replace("\\", "/").removeprefix("./")


def _normal(text: str) -> str:
    return normalise(text).text.strip()
