"""Questions against the documents: what is wrong, what is missing, and how much one of them is worth."""

import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from math import sqrt

from ragsweep.questions.duplicates import equal, near
from ragsweep.questions.notices import FEW_QUESTIONS, few_questions
from ragsweep.questions.pages import pages_of
from ragsweep.reporting.escape import visible
from ragsweep.sweep.describe import count
from ragsweep.sweep.notices import chunk_label_notices, said_once
from ragsweep.sweep.plan import make_plan
from ragsweep.sweep.run import make_store
from ragsweep.sweep.wanted import Wanted
from ragsweep.types import Document, Evidence, Question

_SHOWN = 3
"""Places of a quote, and questions that are alike, that are named."""
_SHOWN_CHARACTERS = 50


def check_questions(wanted: Wanted) -> int:
    """Print what is to be said of the questions. Returns the exit code, 0; every mistake is in an InputErrors."""
    plan = make_plan(wanted.set(limit=None), make_store(wanted))
    questions = plan.any_corpus.questions
    few, notices = few_questions(questions), [*plan.label_notices, *chunk_label_notices(questions, plan.chunkings)]
    pages = {name: _pages(corpus.questions, corpus.documents) for name, corpus in plan.corpora.items()}
    lines = [
        *_summary(questions, plan.any_corpus.documents),
        *_section("quotes on pages", said_once(pages)),
        *_section("missing", _missing(questions)),
        *_section("to look at", [*_alike(questions), *(text for text in notices if text != few)]),
        *_section("documents", plan.document_notices),
        "no mistake found",
    ]
    sys.stdout.write("\n".join(map(visible, lines)) + "\n")
    return 0


def _summary(questions: Sequence[Question], documents: Mapping[str, Document]) -> Iterator[str]:
    answerable = sum(question.answerable for question in questions)
    yield f"{count(len(questions), 'question')} ({answerable} answerable), {count(len(documents), 'document')}"
    yield f"  task_type: {_counted(question.task_type or 'none' for question in questions)}"
    pieces = Counter(len(question.evidence) for question in questions if question.answerable)
    by_number = ", ".join(f"{number} with {count(size, 'piece')}" for size, number in sorted(pieces.items()))
    kinds = _counted(evidence.kind for question in questions for evidence in question.evidence)
    if answerable:
        yield f"  evidence: {kinds}; questions: {by_number}"
        yield (
            f"  one question is worth {1 / answerable:.3f} of Recall; the standard error of a mean Recall is at most "
            f"{0.5 / sqrt(answerable):.3f} (0.5 / √{answerable})"
        )


def _counted(names: Iterator[str]) -> str:
    """Each name with how often it comes, in alphabetical order."""
    return ", ".join(f"{name} {number}" for name, number in sorted(Counter(names).items()))


def _section(title: str, lines: Sequence[str]) -> list[str]:
    return [f"{title}:", *(f"  {line}" for line in lines)] if lines else []


def _pages(questions: Sequence[Question], documents: Mapping[str, Document]) -> list[str]:
    """Where each quote stands in documents with pages."""
    quotes = [(question, item) for question in questions for item in question.evidence if item.kind == "quote"]
    on_pages = [(question, item) for question, item in quotes if any(documents[each.document].pages for each in item.places)]
    return [f"{question.id}: {_cut(item)} in {_places(item, documents)}" for question, item in on_pages]


def _cut(evidence: Evidence) -> str:
    quote = evidence.label.removeprefix(f"{evidence.places[0].document}: ")
    return repr(quote if len(quote) <= _SHOWN_CHARACTERS else f"{quote[: _SHOWN_CHARACTERS - 3]}...")


def _places(evidence: Evidence, documents: Mapping[str, Document]) -> str:
    """The pages, or documents without pages, where a quote stands."""
    named = (f"{place.document} {pages_of(documents[place.document], place)}".strip() for place in evidence.places)
    return _listed(list(dict.fromkeys(named)), "; any will do")


def _listed(names: Sequence[str], about_several: str = "") -> str:
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return ", ".join(names[:_SHOWN]) + more + (about_several if len(names) > 1 else "")


def _missing(questions: Sequence[Question]) -> list[str]:
    return [
        text
        for text, is_missing in (
            (f"{FEW_QUESTIONS - len(questions)} questions to {FEW_QUESTIONS}", len(questions) < FEW_QUESTIONS),
            ("questions with several pieces of evidence", not any(len(question.evidence) > 1 for question in questions)),
            (
                "questions that no document answers (answerable: false): without, Refused says nothing",
                all(question.answerable for question in questions),
            ),
            ("task_type: questions of one kind can be looked at apart", not any(question.task_type for question in questions)),
        )
        if is_missing
    ]


def _alike(questions: Sequence[Question]) -> list[str]:
    said = [(equal(questions), "ask the same"), (near(questions), "differ in one word")]
    return [
        f"{_listed([question.id for question in group])} {what}: {group[0].text!r}" for groups, what in said for group in groups
    ]
