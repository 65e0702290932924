"""Questions that show how questions are written, made of sentences of the documents: to be replaced, and they say so."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, TypeAlias

from ragsweep.questions.pages import pages_of
from ragsweep.questions.quotes import Quotes
from ragsweep.text.normalise import normalise
from ragsweep.text.sentences import sentence_spans
from ragsweep.text.words import count_words, word_spans
from ragsweep.types import Document

EXAMPLE = "example_of_ragsweep_init"
"""The key that such a question carries, with what it shows."""
_LOOKED_AT = 20
_TRIED = 10
"""Documents that are looked at, and sentences of each that are compared with those of the others."""
_CHARACTERS = 100_000
_WORDS = (8, 40)
"""The fewest words of what reads like a sentence of prose, and the most of any that is shown."""
_BEGINNING = 6
_Found: TypeAlias = tuple[dict[str, str], str]
"""A label, and in words on which pages it stands."""


def examples(documents: Mapping[str, Document]) -> list[dict[str, Any]]:
    """Up to three questions as a JSON list holds them: one evidence, two, and none because no document answers."""
    pool = _evidence(documents)
    made = [_question(1, f"one piece of evidence{_on_pages(pool[:1])}", "fact", pool[:1])]
    if len(pool) > 1:
        shows = f"two pieces of evidence, both to be found{_on_pages(pool[-2:])}"
        made.append(_question(2, shows, "multi_hop", pool[-2:]))
    return [*made, _question(3, "a question that no document answers, for Refused", "unanswerable")]


def _question(number: int, shows: str, task_type: str, evidence: Sequence[_Found] = ()) -> dict[str, Any]:
    labels = [label for label, _ in evidence]
    asked = " and ".join(map(_about, labels)) or "what do your users ask that these documents do not answer"
    written = {"required_evidence_ids": labels} if labels else {"answerable": False}
    note = f"{shows}; write a question of your own here, then remove this line"
    return {"id": f"q_{number:03d}", EXAMPLE: note, "question": f"Example: {asked}?", **written, "task_type": task_type}


def _on_pages(evidence: Sequence[_Found]) -> str:
    pages = [f"{label['source']} {pages}" for label, pages in evidence if pages]
    return f" ({', '.join(pages)})" if pages else ""


def _about(evidence: Mapping[str, str]) -> str:
    if "quote" not in evidence:
        return f"what does {evidence['source']} say"
    spans = word_spans(evidence["quote"])
    return f"what follows “{evidence['quote'][: spans[min(_BEGINNING, (len(spans) + 1) // 2) - 1][1]]} ...”"


def _evidence(documents: Mapping[str, Document]) -> list[_Found]:
    """One to three labels with where they stand: sentences, of different documents first; files where these are not two."""
    found = [list(islice(_quotable(document), _TRIED)) for document in islice(documents.values(), _LOOKED_AT)]
    often = Counter(label["quote"] for labels in found for label, _ in labels)
    # What several documents say, as a licence or a footer, is asked for only where there is nothing else.
    ranked = [sorted(labels, key=lambda each: often[each[0]["quote"]] > 1)[:2] for labels in found]
    first, second = ([labels[place] for labels in ranked if len(labels) > place] for place in (0, 1))
    sentences, whole = [*first, *second][:3], [({"source": id}, "") for id in islice(documents, 2)]
    return sentences if len(sentences) > 1 else [*sentences, *whole][:2]


def _quotable(document: Document) -> Iterator[_Found]:
    """Sentences that are found again where they stand: those that read like prose first, in the order of the text."""
    text = document.text[:_CHARACTERS]
    blocks = [(block.start, block.end) for block in document.blocks]
    spans = sorted(
        (span for span in sentence_spans(text) if count_words(text[slice(*span)]) <= _WORDS[1]),
        key=lambda span: not _is_prose(text[slice(*span)]) or any(start < span[1] and span[0] < end for start, end in blocks),
    )
    quotes = Quotes({document.id: document})
    for start, end in spans:
        written = " ".join(text[start:end].split())
        quote = normalise(written).text.strip()
        places, whole = quotes.places(quote, [document.id]) if quote else ((), False)
        if whole and len(places) == 1:
            yield {"source": document.id, "quote": written}, pages_of(document, places[0])


def _is_prose(sentence: str) -> bool:
    lines = sentence.splitlines()
    return count_words(sentence) >= _WORDS[0] and sentence[-1] in ".!?。！？" and all(line[:1].isalnum() for line in lines)
