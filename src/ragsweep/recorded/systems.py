"""Rows -> systems: what each recorded as a Record per question, with what nobody recorded."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate
from typing import Literal

from ragsweep.contexts.locating import Locator, Returned, not_known, said_of, without_places
from ragsweep.contexts.outside import extended
from ragsweep.errors import InputErrors
from ragsweep.generators.refusals import is_refusal
from ragsweep.recorded.matching import matched
from ragsweep.recorded.reading import Read
from ragsweep.recorded.rows import Row
from ragsweep.text.words import count_words
from ragsweep.types import Answer, Document, Hit, Question, Record

NEVER_KNOWN = ("chunking", "embedding", "reranking", "steps")
"""What no record of another system says."""
NO_RECORD = "it has no record"
_NAMED = 5
"""Questions that a notice names."""


@dataclass(frozen=True)
class Cut:
    """What is scored of a list: its first ``top_k`` as retrieved, its first ``top_n`` as given, or what has room in
    ``context_words``."""

    top_k: int
    top_n: int
    context_words: int | None = None


@dataclass(frozen=True)
class System:
    """A system that ragsweep did not run. Records, seconds and tokens (read, written) are by the id of a question.

    ``documents`` are those that its hits were looked for in. ``unknown`` names what its records do not say: stages and measures
    that reports leave out. ``answers`` says whether it gives any.
    """

    name: str
    cut: Cut
    records: Mapping[str, Record]
    seconds: Mapping[str, float]
    tokens: Mapping[str, tuple[int, int]]
    documents: Mapping[str, Document]
    unknown: tuple[str, ...]
    answers: bool
    notices: Sequence[str] = field(default_factory=tuple)

    @property
    def passages(self) -> bool:
        """Whether the words of all that it was given are known."""
        return not {"contexts", "words", "passages"} & set(self.unknown)

    def record(self, question: Question) -> Record:
        """That of a question; a question without one failed."""
        return self.records.get(question.id) or Record(question.text, 0, "failed", error=NO_RECORD)


def systems(
    read: Read, questions: Sequence[Question], documents: Mapping[str, Document], cut: Cut, *, partial: bool = False
) -> list[System]:
    """The systems that were read, in the order in which they are named.

    ``partial`` says that ``questions`` are some of all: records of others are counted, and no mistake. Raises InputErrors with
    those of the files and all that is wrong with the rows: questions that there are not, or twice, a system without an answer
    and a context.
    """
    asked = matched(read.rows, questions, partial=partial)
    wrong = [*read.mistakes, *asked.mistakes]
    found = []
    locator = Locator(documents)
    for name, rows in asked.rows.items():
        if not read.mistakes and all(
            row.answer is None and row.contexts is None and row.error is None for row in rows.values()
        ):
            wrong.append(f"{name}: no record has an answer or contexts: write what the system returned")
        if not wrong:
            located = {id: _located(row, locator) for id, row in rows.items()}
            system = _system(name, rows, questions, located, documents, cut)
            found.append(replace(system, notices=[*_left_out(name, asked.unasked[name]), *system.notices]))
    if not (found or wrong):
        wrong.append("none of the records is of a question that was asked")
    if wrong:
        raise InputErrors(wrong)
    return found


@dataclass(frozen=True)
class _Hits:
    """Those of a question, and the texts of them that stand in no document."""

    hits: tuple[Hit, ...]
    returned: Returned


def _located(row: Row, locator: Locator) -> _Hits:
    """The hits of a question."""
    returned = Returned(locator)
    return _Hits(tuple(returned.hit(context, place) for place, context in enumerate(row.contexts or ())), returned)


def _system(
    name: str,
    rows: Mapping[str, Row],
    questions: Sequence[Question],
    located: Mapping[str, _Hits],
    documents: Mapping[str, Document],
    cut: Cut,
) -> System:
    ran = [row for row in rows.values() if row.error is None]
    counts = sum((each.returned.counts for each in located.values()), Counter[str]())
    answers = any(row.answer is not None for row in ran)
    unknown = list(NEVER_KNOWN)
    if all(row.contexts is None for row in ran):
        unknown.append("contexts")
    else:
        unknown += not_known(counts)
    if answers and ("contexts" in unknown or all(row.citations is None for row in ran)):
        unknown.append("citations")
    unknown += [] if answers else ["answers"]
    total = sum(len(row.contexts or ()) for row in rows.values())
    unknown += ["places"] if without_places(counts, total, questions) else []
    unknown += [key for key in ("seconds", "tokens") if any(getattr(row, key) is None for row in ran)]
    records = {
        question.id: _record(question, rows[question.id], located[question.id], documents, cut, answers)
        for question in questions
        if question.id in rows
    }
    return System(
        name=name,
        cut=cut,
        records=records,
        seconds={id: row.seconds for id, row in rows.items() if row.seconds is not None},
        tokens={id: row.tokens for id, row in rows.items() if row.tokens is not None},
        documents=documents,
        unknown=tuple(unknown),
        answers=answers,
        notices=[f"{name}: {said}" for said in _notices(rows, questions, counts, cut, unknown)],
    )


def _record(question: Question, row: Row, located: _Hits, documents: Mapping[str, Document], cut: Cut, answers: bool) -> Record:
    if row.error is not None:
        return Record(question.text, 0, "failed", error=row.error or "its record has an error without a text")
    outside = located.returned.outside
    hits = given = located.hits
    if cut.context_words is not None:
        texts = extended(documents, outside)
        sizes = accumulate(_room(hit, texts[hit.document].text) for hit in hits)
        given = hits[: sum(so_far <= cut.context_words for so_far in sizes)]
    if not answers:
        return Record(question.text, 0, "searched", retrieved=hits, final=given[: cut.top_n], outside=outside)
    said = row.answer or ""
    refused = row.abstained if row.abstained is not None else bool(said.strip()) and is_refusal(question.text, said)
    end: Literal["complete", "empty"] = "complete" if said.strip() or refused else "empty"  # a refusal needs no words
    answer = Answer(said, refused, tuple(number - 1 for number in row.citations or ()), end)
    return Record(question.text, 0, answer.status, retrieved=hits, final=given[: cut.top_n], answer=answer, outside=outside)


def _room(hit: Hit, text: str) -> int:
    """Words that a hit takes of a budget; of a file alone nobody knows which, so it takes them all."""
    return hit.words if hit.words is not None else count_words(text[hit.start : hit.end] if hit.start < hit.end else text)


def _left_out(name: str, unasked: int) -> list[str]:
    return [f"{name}: {unasked} records are of questions that are not among these, and left out"] if unasked else []


def _notices(
    rows: Mapping[str, Row], questions: Sequence[Question], counts: Mapping[str, int], cut: Cut, unknown: Sequence[str]
) -> Iterator[str]:
    missing = [question.id for question in questions if question.id not in rows]
    if missing:
        yield f"{len(missing)} of {len(questions)} questions have no record and count 0: {_some(missing)}"
    if any(evidence.kind == "chunk" for question in questions for evidence in question.evidence):
        yield "labels of chunks mean those that ragsweep cuts, and no context matches one: label quotes"
    of_all = sum(len(row.contexts or ()) for row in rows.values())
    yield from said_of(counts, of_all)
    deep = [id for id, row in rows.items() if cut.context_words is None and len(row.contexts or ()) > cut.top_n]
    if deep:
        yield f"{len(deep)} questions have more than {cut.top_n} contexts: those behind top_n={cut.top_n} count as not given"
    unsorted = [id for id, row in rows.items() if _is_unsorted(row)]
    if unsorted:
        yield f"the contexts of {len(unsorted)} questions are not in the order of their scores: the order written counts"
    for key in ("seconds", "tokens"):
        having = sum(getattr(row, key) is not None for row in rows.values())
        if key in unknown and having:
            yield f"{key} are given for {having} of {len(rows)} records, and left out: write them for all"


def _is_unsorted(row: Row) -> bool:
    scores = [context.score for context in row.contexts or () if context.score is not None]
    return scores != sorted(scores, reverse=True)


def _some(names: Sequence[str]) -> str:
    return ", ".join(map(repr, names[:_NAMED])) + (f" and {len(names) - _NAMED} more" if len(names) > _NAMED else "")
