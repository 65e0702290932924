"""What the user should know about questions that are right."""

from collections import Counter
from collections.abc import Mapping, Sequence

from ragsweep.questions.examples import EXAMPLE
from ragsweep.types import Document, Evidence, Question

FEW_QUESTIONS = 30
_MANY_PAGES = 20


def notices_of_one(evidence: Sequence[Evidence], documents: Mapping[str, Document]) -> list[str]:
    """Evidence of one question that counts in a way which may not be meant."""
    files = {item.label for item in evidence if item.kind == "file"}
    notices = []
    for item in evidence:
        for place in item.places if item.kind == "page" else ():
            if place.document in files:
                notices.append(f"{place.document!r} beside {item.label!r} counts as two")
            if not documents[place.document].text[place.start : place.end].strip():
                notices.append(f"{item.label!r} has no text, so nothing can find it")
    return notices


def notices_of_all(questions: Sequence[Question], documents: Mapping[str, Document]) -> list[str]:
    """Coarse labels, labels that depend on the chunker, and examples that were left."""
    labelled = [item for question in questions for item in question.evidence]
    whole = Counter(item.label for item in labelled if item.kind == "file")
    notices = [
        f"{id!r} has {len(documents[id].pages)} pages and is named whole {'once' if count == 1 else f'{count} times'}: "
        f"label pages ('{id}#p4')"
        for id, count in whole.items()
        if len(documents[id].pages) > _MANY_PAGES
    ]
    if any(item.kind == "chunk" for item in labelled):
        notices.append("a chunk label changes its meaning with the chunker: label pages or quotes to compare chunkers")
    if examples := [question.id for question in questions if EXAMPLE in question.extra]:
        notices.append(f"examples of ragsweep init, which say nothing about your search: {', '.join(examples)}: write your own")
    return notices


def few_questions(questions: Sequence[Question]) -> str | None:
    """How much a single question weighs, where they are fewer than 30."""
    answerable = sum(question.answerable for question in questions)
    if not answerable or len(questions) >= FEW_QUESTIONS:
        return None
    asked = f"{len(questions)} question{'' if len(questions) == 1 else 's'} ({answerable} answerable)"
    return f"{asked}: one question is worth {1 / answerable:.3f} of Recall"
