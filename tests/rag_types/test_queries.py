"""Every text whose vector a RAG type asks for is known before the run."""

import pytest

from ragsweep.errors import InputError
from ragsweep.rag_types.adaptive import Adaptive
from ragsweep.rag_types.search import Search
from ragsweep.rag_types.simple import Simple


def test_search_and_simple_ask_for_the_question_only(scripted):
    assert list(Search().queries("q", None)) == ["q"]
    assert list(Simple().queries("q", scripted())) == ["q"]


def test_adaptive_asks_for_the_question_its_parts_and_every_rewrite(scripted):
    generator = scripted(parts=("one", "two"))
    assert list(Adaptive(2).queries("q", generator)) == ["q", "one", "two", "q again 1", "q again 2"]
    assert list(Adaptive(0).queries("q", scripted())) == ["q"]


def test_nothing_is_embedded_that_was_not_announced(make_steps, scripted, monkeypatch):
    generator = scripted(checks=[False] * 3, parts=("one", "two"))
    announced = set(Adaptive().queries("q", generator))
    steps = make_steps(generator=generator)
    embedded = []
    axes = type(steps.vectors._prepared.embedder)
    embed = axes.embed
    monkeypatch.setattr(axes, "embed", lambda self, texts: embedded.extend(texts) or embed(self, texts))
    Adaptive().answer("q", steps)
    assert embedded and set(embedded) <= announced


def test_retries_below_zero_are_refused():
    with pytest.raises(InputError, match="max_retries=-1"):
        Adaptive(-1)
