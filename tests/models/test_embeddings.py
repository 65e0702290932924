"""Embeddings: one vector a text, whatever the order, and no vector that is none (FAULTS F16, G1)."""

import json
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragsweep.errors import ServerError
from ragsweep.models.client import Client
from ragsweep.models.embeddings import embed
from ragsweep.models.server import Server
from scripted_server import Reply, scripted


def vector(text):
    return [float(text.count(letter)) for letter in "abcd"]


def reply(rows):
    data = [{"object": "embedding", "index": index, "embedding": row} for index, row in rows]
    return Reply(body={"object": "list", "data": data, "usage": {"prompt_tokens": 3, "total_tokens": 3}})


def honest(request):
    return reply(enumerate(map(vector, request.json["input"])))


RIGHT = object()


def bad_for(text, given, alone=RIGHT):
    """Answers ``given`` for one text in a batch, and ``alone`` when it is asked for alone."""

    def behave(request):
        texts = request.json["input"]
        bad = given if len(texts) > 1 else alone
        return reply((place, bad if each == text and bad is not RIGHT else vector(each)) for place, each in enumerate(texts))

    return behave


def test_a_request(talk):
    one = talk(honest)
    assert embed(one.client, "m", ["ab", "cc"]).tolist() == [vector("ab"), vector("cc")]
    embed(one.client, "m", ["ab"], dimensions=4)
    assert [request.path for request in one.server.requests] == ["/v1/embeddings"] * 2
    assert [request.json for request in one.server.requests] == [
        {"model": "m", "input": ["ab", "cc"]},
        {"model": "m", "input": ["ab"], "dimensions": 4},
    ]


@settings(max_examples=15)
@given(st.lists(st.text("abcd", min_size=1), max_size=12), st.integers(1, 5), st.integers())
def test_any_split_into_batches_and_any_order_of_the_reply_give_the_same(texts, batch_size, seed):
    order = Random(seed)

    def shuffled(request):
        rows = list(enumerate(map(vector, request.json["input"])))
        order.shuffle(rows)
        return reply(rows)

    with scripted(shuffled) as server:
        found = embed(Client(Server(server.url)), "m", texts, batch_size)
        assert found.tolist() == [vector(text) for text in texts]
        assert len(server.requests) == -(-len(texts) // batch_size)
        assert found.dtype == np.float32


def test_without_index_the_order_is_that_of_the_reply(talk):
    one = talk(Reply(body={"data": [{"embedding": [1, 2]}, {"embedding": [3, 4]}]}))
    assert embed(one.client, "m", ["a", "b"]).tolist() == [[1, 2], [3, 4]]


@pytest.mark.parametrize(
    "rows",
    [
        [(0, [1, 2])],
        [(0, [1, 2]), (1, [1, 2]), (2, [1, 2])],
        [(0, [1, 2]), (0, [1, 2])],
        [(0, [1, 2]), (1, [1, 2]), (1, [1, 2])],
        [(1, [1, 2]), (2, [1, 2])],
        [(0, [1, 2]), (-1, [1, 2])],
        [(0, [1, 2]), (None, [1, 2])],
        [(0, [1, 2]), ([], [1, 2])],
        [],
    ],
)
def test_a_wrong_number_or_index_fails_the_batch(talk, rows):
    one = talk(reply(rows), honest)
    with pytest.raises(ServerError, match="that is not what was asked for") as caught:
        embed(one.client, "m", ["a", "b"])
    assert (caught.value.kind, len(one.server.requests)) == ("reply", 1)


BAD = [None, [], "abc", [1.0, 2.0], [1.0, 2.0, 3.0, None], [[1.0, 2.0, 3.0, 4.0]], [1e99, 0, 0, 0], ["x"] * 4, {}, 7]


@pytest.mark.parametrize("bad", [*BAD, "NaN"], ids=str)
def test_a_text_without_a_usable_vector_is_asked_for_once_more_alone(talk, bad):
    """``NaN`` is written by servers though JSON has no such number."""
    given = [1.0, 2.0, 3.0, "NaN"] if bad == "NaN" else bad

    def behave(request):
        answer = bad_for("bb", given)(request)
        return Reply(body=json.dumps(answer.body).replace('"NaN"', "NaN"))

    one = talk(behave)
    assert embed(one.client, "m", ["aa", "bb", "cc"]).tolist() == [vector("aa"), vector("bb"), vector("cc")]
    assert [request.json["input"] for request in one.server.requests] == [["aa", "bb", "cc"], ["bb"]]


@pytest.mark.parametrize("bad", [None, [1.0, 2.0, 3.0, None], [1.0, 2.0]], ids=str)
def test_and_fails_when_that_is_no_better(talk, bad):
    one = talk(bad_for("bb", bad, bad))
    with pytest.raises(ServerError) as caught:
        embed(one.client, "m", ["aa", "bb", "cc"])
    assert len(one.server.requests) == 2
    assert caught.value.kind == "reply"
    assert "m gives" in str(caught.value)
    assert "for the text 'bb', also alone" in str(caught.value)


def test_the_first_vector_fixes_the_dimension_over_batches(talk):
    one = talk(honest, lambda request: reply([(0, [1.0, 2.0])]))
    with pytest.raises(ServerError, match="gives 2 numbers where others have 4 for the text 'b'"):
        embed(one.client, "m", ["a", "b"], batch_size=1)


def test_dimensions_that_are_not_what_was_asked_for(talk):
    with pytest.raises(ServerError, match="gives 4 numbers where others have 2"):
        embed(talk(honest).client, "m", ["a", "b"], dimensions=2)


def test_a_first_vector_that_is_none_does_not_fix_it(talk):
    assert embed(talk(bad_for("aa", [])).client, "m", ["aa", "bb"]).tolist() == [vector("aa"), vector("bb")]
    nothing = Reply(body={"data": [{"index": 0, "embedding": None}]})
    assert embed(talk(nothing, honest).client, "m", ["aa"]).tolist() == [vector("aa")]


def test_a_zero_vector_is_a_vector(talk):
    one = talk(honest)
    assert embed(one.client, "m", ["x", "a"]).tolist() == [[0, 0, 0, 0], vector("a")]
    assert len(one.server.requests) == 1


def test_no_texts_no_request(talk):
    one = talk(honest)
    assert embed(one.client, "m", []).shape == (0, 0)
    assert one.server.requests == []


def test_a_batch_can_be_checked_against_its_first_text_alone(talk):
    one = talk(honest)
    embed(one.client, "m", ["aab", "b", "x", "x"], batch_size=2, verify_batch=True)
    assert [request.json["input"] for request in one.server.requests] == [["aab", "b"], ["aab"], ["x", "x"], ["x"]]

    def neighbours(request):
        texts = request.json["input"]
        return reply((place, vector("".join(texts))) for place, _ in enumerate(texts))

    with pytest.raises(ServerError, match=r"for 'aab' alone than in a batch \(cosine 0\.\d+\): write batch_size=1"):
        embed(talk(neighbours).client, "m", ["aab", "bc"], verify_batch=True)
    with pytest.raises(ServerError, match=r"cosine 0\.0000"):
        embed(talk(bad_for("a", [0.0, 0.0, 0.0, 0.0])).client, "m", ["a", "b"], verify_batch=True)
