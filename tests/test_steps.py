"""Steps: what is called, timed, charged and recorded."""

import json
from dataclasses import asdict

import pytest

from ragsweep.errors import InputError


def test_a_retrieve_records_what_the_trace_shows(make_steps):
    steps = make_steps(rankings={"a question": [2, 0, 1, 3]})
    hits = steps.retrieve(["a question"])
    assert [hit.chunk for hit in hits] == [2, 0, 1]
    assert (steps.retrieved, steps.copies) == (hits, [])
    [step] = steps.taken
    assert (step.name, dict(step.inputs)) == ("retrieve", {"query": "a question", "top_k": 3})
    assert step.outcome["hits"] == [[2, "remote.md", 1, 1.0], [0, "leave.md", 1, 0.9], [1, "leave.md", 2, 0.8]]


def test_several_queries_are_one_step_and_one_fused_list(make_steps):
    steps = make_steps(rankings={"one": [0, 1], "two": [2, 1]})
    hits = steps.retrieve(["one", "two"])
    assert [hit.chunk for hit in hits] == [1, 0, 2], "only place 1 is in both lists"
    assert dict(steps.taken[0].inputs) == {"queries": ["one", "two"], "top_k": 3}
    assert len(steps.taken) == 1


def test_rerank_cuts_after_the_new_order(make_steps):
    steps = make_steps()
    kept = steps.rerank("a question", steps.retrieve(["a question"]))
    assert [hit.chunk for hit in kept] == [2, 1], "the last two of three, upside down"
    step = steps.taken[1]
    assert (step.name, dict(step.inputs)) == ("rerank", {"query": "a question", "matches": 3, "top_n": 2})
    assert step.outcome == {"hits": [[2, "remote.md", 1, 0.2], [1, "leave.md", 2, 0.1]]}


def test_the_generators_steps_record_their_decision(make_steps, scripted):
    steps = make_steps(generator=scripted(checks=[False], parts=("one", "two")))
    hits = steps.retrieve(["a question"])
    assert steps.route("q") == ("one", "two")
    assert steps.check("q", hits) is False
    assert steps.rewrite("q", 1) == "q again 1"
    assert steps.generate("q", hits).text == "said"
    assert [(step.name, dict(step.inputs), dict(step.outcome)) for step in steps.taken[1:]] == [
        ("route", {"query": "q"}, {"parts": ["one", "two"]}),
        ("check", {"query": "q", "chunks": 3}, {"sufficient": False}),
        ("rewrite", {"query": "q", "attempt": 1}, {"rewritten": "q again 1"}),
        ("generate", {"query": "q", "chunks": 3}, {"answer": "said", "abstained": False, "cited": [0]}),
    ]


def test_steps_hold_json_values_only(make_steps):
    steps = make_steps()
    steps.generate("q", steps.rerank("q", steps.retrieve(["q", "r"])))
    taken = [{**asdict(step), "calls": list(step.calls)} for step in steps.taken]
    assert json.loads(json.dumps(taken, allow_nan=False)) == taken


def test_a_prepared_vector_is_charged_to_the_first_step_that_uses_it(make_steps):
    steps = make_steps()
    hits = steps.retrieve(["a question", "a part"])
    steps.generate("a question", hits)
    retrieve, generate = (step.seconds for step in steps.taken)
    assert 7 <= retrieve < 8, "5 s and 2 s were measured beforehand"
    assert 0 < generate < 1


def test_the_generator_asks_its_own_vectors_and_pays_for_them(make_steps, vectors):
    own = type(vectors)(["a question"], vectors.rows["a question"][0][None], [3.0], vectors.embedder)
    steps = make_steps(sentence_vectors=own.of_question())
    steps.generate("a question", steps.retrieve(["a question"]))
    retrieve, generate = (step.seconds for step in steps.taken)
    assert 5 <= retrieve < 6 and 3 <= generate < 4


def test_the_next_question_pays_again(make_steps):
    for _ in range(2):
        steps = make_steps()
        steps.retrieve(["a question"])
        assert steps.taken[0].seconds >= 5


def test_a_charge_of_an_unfinished_question_is_not_carried_over(make_steps):
    make_steps().vectors.vector("a question")
    steps = make_steps()
    steps.retrieve(["not prepared"])
    assert steps.taken[0].seconds < 1


def test_a_step_that_raises_is_not_recorded(make_steps):
    steps = make_steps(generator=None)
    hits = steps.retrieve(["q"])
    with pytest.raises(InputError, match="generator=extractive"):
        steps.generate("q", hits)
    assert [step.name for step in steps.taken] == ["retrieve"]
