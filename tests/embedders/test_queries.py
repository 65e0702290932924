from dataclasses import dataclass, field

import numpy as np

from ragsweep.embedders.queries import PreparedVectors
from ragsweep.types import Call


@dataclass
class Counting:
    calls: list[str] = field(default_factory=list)
    query_prefix: str = ""
    model: str = "m"
    needs: frozenset = frozenset()

    def embed(self, texts):
        self.calls += texts
        return np.full((len(texts), 2), 0.5, dtype=np.float32)


def test_a_prepared_text_is_charged_once_a_question():
    prepared = PreparedVectors(["a", "b"], np.eye(2, dtype=np.float32), [0.25, 0.5], Counting())
    vectors = prepared.of_question()
    assert vectors.vector("b").tolist() == [0, 1]
    vectors.vector("b")
    assert vectors.take_charge() == (0.5, [])
    vectors.vector("b")
    vectors.vector("a")
    assert vectors.take_charge() == (0.25, [])
    vectors = prepared.of_question()
    vectors.vector("b")
    assert vectors.take_charge() == (0.5, [])


def test_a_text_that_was_not_prepared_is_embedded_live_once_a_question_and_not_charged():
    embedder = Counting()
    prepared = PreparedVectors([], np.zeros((0, 2), dtype=np.float32), [], embedder)
    for _ in range(2):
        vectors = prepared.of_question()
        assert vectors.vector("new").tolist() == vectors.vector("new").tolist() == [0.5, 0.5]
        assert vectors.take_charge() == (0, [])
    assert embedder.calls == ["new", "new"]


def test_a_text_that_was_not_prepared_is_sent_as_a_query():
    embedder = Counting(query_prefix="query: ")
    PreparedVectors([], np.zeros((0, 2), dtype=np.float32), [], embedder).of_question().vector("new")
    assert embedder.calls == ["query: new"]


def test_questions_side_by_side_pay_for_themselves():
    prepared = PreparedVectors(["a"], np.eye(1, dtype=np.float32), [0.25], Counting())
    one, other = prepared.of_question(), prepared.of_question()
    one.vector("a")
    assert (other.take_charge(), one.take_charge()) == ((0, []), (0.25, []))


def test_a_vector_that_a_server_made_is_a_call_of_each_question():
    served = Counting(needs=frozenset({"server"}))
    prepared = PreparedVectors(["a", "b"], np.eye(2, dtype=np.float32), [0.25, 0.5], served, [7, None])
    for _ in range(2):
        vectors = prepared.of_question()
        for text in ("a", "a", "b"):
            vectors.vector(text)
        shared = [Call(0, 0.25, 0.0, 7, model="m", shared=True), Call(0, 0.5, 0.0, None, model="m", shared=True)]
        assert vectors.take_charge() == (0.75, shared)
    assert served.calls == []
