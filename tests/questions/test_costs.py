"""What is looked up for mistakes stays bounded, and documents are normalised once."""

import pytest

from ragsweep.errors import InputErrors
from ragsweep.questions import load, quotes, resolve
from ragsweep.types import Document


def test_hints_end_after_20(monkeypatch):
    documents = {"leave.md": Document("leave.md", "Staff have 25 days of leave.", "")}
    labels = [f"leav{number}.md" for number in range(40)]
    passages = [f"staff have 30 days, {number}" for number in range(40)]
    with pytest.raises(InputErrors) as caught:
        resolve(load([{"id": "q", "question": "What?", "required_evidence_ids": labels, "expected": passages}]), documents)
    assert len(caught.value.messages) == 80
    assert sum("did you mean" in message for message in caught.value.messages) == 20
    assert sum("nearest passage" in message for message in caught.value.messages) == 20


def test_each_document_is_normalised_once_and_only_for_quotes(monkeypatch):
    normalised = []
    normalise = quotes.normalise
    monkeypatch.setattr(quotes, "normalise", lambda text: normalised.append(text) or normalise(text))
    documents = {id: Document(id, f"Text of {id}.", "") for id in ("a.md", "b.md")}
    files = [{"id": f"f{number}", "question": "What?", "required_evidence_ids": ["a.md"]} for number in range(3)]
    resolve(load(files), documents)
    assert normalised == []
    passages = [{"id": f"q{number}", "question": "What?", "expected": ["text"]} for number in range(3)]
    resolve(load(passages), documents)
    assert sorted(normalised) == ["Text of a.md.", "Text of b.md."]
