"""Questions that show how questions are written, made of sentences of the documents: to be replaced, and they say so."""

from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any, TypeAlias

from ragsweep.questions.pages import pages_of
from ragsweep.questions.quotes import Quotes
from ragsweep.text.normalise import normalise
from ragsweep.text.sentences import sentence_spans
from ragsweep.text.words import count_words, word_spans
from ragsweep.types import Document, Place

EXAMPLE = "example_of_ragsweep_init"
"""The key that such a question carries, with what it shows."""
_LOOKED_AT = 20
"""Documents that are looked at, and sentences of each that are tried."""
_CHARACTERS = 100_000
_WORDS = (8, 40)
_BEGINNING = 6
_Found: TypeAlias = tuple[dict[str, str], str]
"""A label, and in words on which pages it stands."""


def examples(documents: Mapping[str, Document]) -> list[dict[str, Any]]:
    """Up to three questions as a JSON list holds them: one evidence, two, and none because no document answers."""
    pool = _evidence(documents)
    made = [_question(1, f"one piece of evidence{pool[0][1]}", "fact", pool[0][0])]
    if len(pool) > 1:
        labels, places = zip(*pool[-2:], strict=True)
        made.append(_question(2, f"two pieces of evidence, both to be found{''.join(places)}", "multi_hop", *labels))
    return [*made, _question(3, "a question that no document answers, for Refused", "unanswerable")]


def _question(number: int, shows: str, task_type: str, *evidence: Mapping[str, str]) -> dict[str, Any]:
    asked = " and ".join(map(_about, evidence)) or "what do your users ask that these documents do not answer"
    written = {"required_evidence_ids": list(evidence)} if evidence else {"answerable": False}
    note = f"{shows}; write a question of your own here, then remove this line"
    return {"id": f"q_{number:03d}", EXAMPLE: note, "question": f"Example: {asked}?", **written, "task_type": task_type}


def _about(evidence: Mapping[str, str]) -> str:
    if "quote" not in evidence:
        return f"what does {evidence['source']} say"
    spans = word_spans(evidence["quote"])
    return f"what follows “{evidence['quote'][: spans[min(_BEGINNING, (len(spans) + 1) // 2) - 1][1]]} ...”"


def _evidence(documents: Mapping[str, Document]) -> list[_Found]:
    """One to three labels with where they stand: sentences, of different documents first; files where these are not two."""
    first: list[_Found] = []
    second: list[_Found] = []
    for document in islice(documents.values(), _LOOKED_AT):
        for found, place in zip((first, second), _quotable(document), strict=False):
            text = " ".join(document.text[place.start : place.end].split())
            pages = pages_of(document, place)
            found.append(({"source": document.id, "quote": text}, f" ({document.id}, {pages})" if pages else ""))
    sentences, whole = [*first, *second][:3], [({"source": id}, "") for id in islice(documents, 2)]
    return sentences if len(sentences) > 1 else [*sentences, *whole][:2]


def _quotable(document: Document) -> Iterator[Place]:
    """Sentences that are found again where they stand: those that read like prose first, in the order of the text."""
    text = document.text[:_CHARACTERS]
    blocks = [(block.start, block.end) for block in document.blocks]
    spans = sorted(
        sentence_spans(text),
        key=lambda span: not _is_prose(text[slice(*span)]) or any(start < span[1] and span[0] < end for start, end in blocks),
    )
    quotes = Quotes({document.id: document})
    for start, end in islice(spans, _LOOKED_AT):
        quote = normalise(" ".join(text[start:end].split())).text.strip()
        places, whole = quotes.places(quote, [document.id]) if quote else ((), False)
        if whole and len(places) == 1:
            yield places[0]


def _is_prose(sentence: str) -> bool:
    least, most = _WORDS
    lines = sentence.splitlines()
    return least <= count_words(sentence) <= most and sentence[-1] in ".!?。！？" and all(line[:1].isalnum() for line in lines)
