"""Quotes of a data set that says where they stand: the places where they are found hold the places that it gives."""

import json
from pathlib import Path

import pytest

from ragsweep.documents import parse
from ragsweep.questions import load, resolve

CHROMA = Path(__file__).parents[2] / "experiments" / "chroma_chunking"


@pytest.fixture(scope="module")
def documents():
    return {path.name: parse(path.read_bytes(), path.name) for path in (CHROMA / "documents").iterdir()}


@pytest.fixture(scope="module")
def places(documents):
    """(document, start, end) of every place of every quote, by question."""
    [(questions, _)] = resolve(load(CHROMA / "questions.jsonl"), documents)
    return {
        question.id: {(place.document, place.start, place.end) for evidence in question.evidence for place in evidence.places}
        for question in questions
    }


def test_the_given_offsets_are_among_the_places_of_every_quote(documents, places):
    given = json.loads((CHROMA / "questions.json").read_text(encoding="utf-8"))
    offsets = [
        (question["id"], reference["source"], *trimmed(documents, **reference))
        for question in given
        for reference in question["references"]
    ]
    assert len(offsets) == 595
    assert [(id, *offset) for id, *offset in offsets if tuple(offset) not in places[id]] == []


def trimmed(documents, source, start, end):
    """A span without the white space at its ends, which 208 of the given ones have."""
    text = documents[source].text[start:end]
    return start + len(text) - len(text.lstrip()), end - len(text) + len(text.rstrip())
