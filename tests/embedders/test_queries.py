from dataclasses import dataclass, field

import numpy as np

from ragsweep.embedders.queries import PreparedVectors


@dataclass
class Counting:
    calls: list[str] = field(default_factory=list)
    query_prefix: str = ""

    def embed(self, texts):
        self.calls += texts
        return np.full((len(texts), 2), 0.5, dtype=np.float32)


def test_a_prepared_text_is_charged_once_a_question():
    vectors = PreparedVectors(["a", "b"], np.eye(2, dtype=np.float32), [0.25, 0.5], Counting())
    vectors.begin()
    assert vectors.vector("b").tolist() == [0, 1]
    vectors.vector("b")
    assert vectors.take_charge() == 0.5
    vectors.vector("b")
    vectors.vector("a")
    assert vectors.take_charge() == 0.25
    vectors.begin()
    vectors.vector("b")
    assert vectors.take_charge() == 0.5


def test_a_text_that_was_not_prepared_is_embedded_live_once_a_question_and_not_charged():
    embedder = Counting()
    vectors = PreparedVectors([], np.zeros((0, 2), dtype=np.float32), [], embedder)
    for _ in range(2):
        vectors.begin()
        assert vectors.vector("new").tolist() == vectors.vector("new").tolist() == [0.5, 0.5]
    assert embedder.calls == ["new", "new"]
    assert vectors.take_charge() == 0


def test_a_text_that_was_not_prepared_is_sent_as_a_query():
    embedder = Counting(query_prefix="query: ")
    PreparedVectors([], np.zeros((0, 2), dtype=np.float32), [], embedder).vector("new")
    assert embedder.calls == ["query: new"]


def test_a_new_question_does_not_inherit_a_charge():
    vectors = PreparedVectors(["a"], np.eye(1, dtype=np.float32), [0.25], Counting())
    vectors.vector("a")
    vectors.begin()
    assert vectors.take_charge() == 0
