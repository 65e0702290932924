"""One question that was asked of one setup: its answer with citations, what became of its evidence, and all of it as JSON."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from ragsweep.contexts.outside import extended
from ragsweep.evaluation.records import to_dict
from ragsweep.questions.pages import page_numbers, pages_of
from ragsweep.redaction import redact
from ragsweep.reporting.escape import shortened, visible
from ragsweep.reporting.stages import CUT_OFF, ENDS
from ragsweep.reporting.trace import score_of, trace_lines
from ragsweep.results import End, Score
from ragsweep.types import Document, Hit, Place, Question, Record, Status

FORMAT = 1
LABEL_LENGTH = 80

GIVEN: Mapping[End, str] = {"cited": "given and answered, cited", "not_cited": "given and answered, not cited"}
UNANSWERABLE: Mapping[Status, str] = {
    "failed": ENDS["failed"],
    "searched": "unanswerable: there is nothing to find",
    "abstained": "unanswerable, and refused",
    "gave_up": "unanswerable, and refused",
}


@dataclass(frozen=True)
class Asked:
    """What happened, in documents by id; ``score`` says what it is worth where the question is labelled, else it is None.
    ``reranked``: by a reranker that is known; else what stood below top_n was cut off, and nothing lost it."""

    setup: str
    question: Question
    record: Record
    documents: Mapping[str, Document]
    score: Score | None = None
    reranked: bool = True

    @cached_property
    def texts(self) -> Mapping[str, Document]:
        """The documents with the texts of hits that are in none."""
        return extended(self.documents, self.record.outside)


def answer_lines(asked: Asked) -> Iterator[str]:
    """The answer and the chunks that it cites, numbered as it was given them, or the chunks that were found; of a labelled
    question the verdict too."""
    record = asked.record
    if record.error is not None:
        yield f"failed: {visible(redact(record.error))}"
    elif record.answer is None:
        yield from (f"{place_of(asked, hit)}{score_of(hit.number, hit.score)}" for hit in record.final)
    else:
        yield from map(visible, record.answer.text.splitlines())
        if record.status in ("empty", "cut"):
            yield "(no text came back)" if record.status == "empty" else "(cut off at the most tokens)"
        yield from (f"  [{number}] {place_of(asked, hit)}" for number, hit in _cited(record))
    if asked.score is not None:
        yield f"verdict: {verdict(asked, asked.score)}"


def traced_lines(asked: Asked) -> Iterator[str]:
    """Every step and, for a labelled question, where each required evidence ended and the verdict in one line."""
    yield from trace_lines(asked.record)
    if asked.record.answer is not None:
        yield from (f"  [{number}] {place_of(asked, hit)}" for number, hit in _cited(asked.record))
    if asked.score is not None:
        yield from (f"evidence {label}: {end}" for label, end in ends_of(asked, asked.score))
        yield f"verdict: {verdict(asked, asked.score)}"


def verdict(asked: Asked, score: Score) -> str:
    """In one line where the evidence ended, the first losses first; for an unanswerable question what came of that."""
    if not asked.question.evidence:
        return UNANSWERABLE.get(asked.record.status, "unanswerable, and answered all the same")
    found = ends_of(asked, score)
    in_order = dict.fromkeys(end for known in ENDS for (_, end), each in zip(found, score.ends, strict=True) if each == known)
    return "; ".join(f"{end} ({', '.join(label for label, each in found if each == end)})" for end in in_order)


def as_json(asked: Asked) -> dict[str, Any]:
    """All of it as JSON values. ``page`` is the first of a chunk, None where its document has no pages; ``chunk`` and
    ``document`` are None of a context of another system, which has no number, and may be nowhere."""
    record, happened = asked.record, to_dict(asked.record)
    cited = {hit.chunk for _, hit in _cited(record)}
    document = {
        "format": FORMAT,
        "setup": asked.setup,
        "question": asked.question.text,
        "status": record.status,
        "answer": record.answer.text if record.answer else None,
        "error": happened.get("error"),
        "citations": [{"number": number, **_where(asked, hit)} for number, hit in _cited(record)],
        "chunks": [
            {
                **_where(asked, hit),
                "start": hit.start,
                "end": hit.end,
                "score": hit.score,
                "cited": hit.chunk in cited,
                "text": asked.texts[hit.document].text[hit.start : hit.end],
            }
            for hit in record.final
        ],
        "steps": [{**step, "calls": step.get("calls", [])} for step in happened["steps"]],
    }
    if asked.score is None:
        return document
    ends = zip(asked.question.evidence, asked.score.ends, strict=True)
    return {
        **document,
        "question_id": asked.question.id,
        "verdict": {
            "said": verdict(asked, asked.score),
            "evidence": [{"label": evidence.label, "end": end} for evidence, end in ends],
        },
    }


def ends_of(asked: Asked, score: Score) -> list[tuple[str, str]]:
    """Each evidence with where it ended, in words."""
    words = {**ENDS, **GIVEN}
    if not asked.reranked:
        words["reranking"] = CUT_OFF
    if asked.record.status in ("empty", "cut"):
        words |= dict.fromkeys(GIVEN, f"given, and the answer is {asked.record.status}")
    return [
        (shortened(visible(evidence.label), LABEL_LENGTH), words[end])
        for evidence, end in zip(asked.question.evidence, score.ends, strict=True)
    ]


def _cited(record: Record) -> list[tuple[int, Hit]]:
    """The cited chunks, with the number that each had among those given."""
    cited = record.answer.cited if record.answer else ()
    return [(number, hit) for number, hit in enumerate(record.final, start=1) if hit.chunk in cited]


def _where(asked: Asked, hit: Hit) -> dict[str, Any]:
    numbers = page_numbers(asked.texts[hit.document], hit.start, hit.end)
    return {"document": hit.document or None, "page": numbers[0] if numbers else None, "chunk": hit.number or None}


def is_outside(asked: Asked, hit: Hit) -> bool:
    """Whether a hit is a text that stands in no document."""
    document = asked.documents.get(hit.document)
    return document is None or hit.start > len(document.text)


def place_of(asked: Asked, hit: Hit) -> str:
    """Where a hit stands, for a reader: document, chunk, or characters where another system cut it, and pages, where it has
    some; or that it stands nowhere."""
    name, document = visible(hit.document) or "a file that is not among these", asked.documents.get(hit.document)
    if hit.start == hit.end:
        return f"{name}, passage not known"
    if document is None or is_outside(asked, hit):
        return f"{name}, and its text is not there" if document else "a text that is nowhere in the documents"
    pages = pages_of(document, Place(hit.document, hit.start, hit.end))
    place = f"chunk {hit.number}" if hit.number else f"characters {hit.start} to {hit.end}"
    return f"{name} {place}{f', {pages}' if pages else ''}"
