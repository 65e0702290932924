"""Reranking in the shapes of its servers, by their documented examples."""

import pytest

from ragsweep.errors import ServerError
from ragsweep.models.calls import recorded
from ragsweep.models.rerank import relevance
from scripted_server import Reply

TEXTS = ["Carson City", "Saipan", "Washington"]
ROWS = [{"index": 2, "relevance_score": 0.99}, {"index": 0, "relevance_score": 0.32}, {"index": 1, "relevance_score": 0.05}]
COHERE = {"id": "07734bd2", "results": ROWS, "meta": {"api_version": {"version": "2"}, "billed_units": {"search_units": 1}}}
JINA = {"model": "jina-reranker", "results": ROWS, "usage": {"total_tokens": 815}}
VLLM = {
    "id": "rerank-1",
    "model": "bge",
    "usage": {"total_tokens": 56},
    "results": [{**row, "document": {"text": "x"}} for row in ROWS],
}
LLAMA_CPP = {"model": "x", "object": "list", "usage": {"prompt_tokens": 9, "total_tokens": 9}, "results": ROWS}
VOYAGE = {"object": "list", "data": ROWS, "model": "rerank-2.5", "usage": {"total_tokens": 26}}


@pytest.mark.parametrize(
    ("body", "tokens"),
    [(COHERE, None), (JINA, 815), (VLLM, 56), (LLAMA_CPP, 9), (VOYAGE, 26)],
    ids=["cohere", "jina", "vllm", "llama", "voyage"],
)
def test_scores_come_back_in_the_order_of_the_texts(talk, body, tokens):
    one = talk(Reply(body=body))
    with recorded() as calls:
        assert relevance(one.client, "m", "What is the capital?", TEXTS) == [0.32, 0.05, 0.99]
    (request,) = one.server.requests
    assert request.path == "/v1/rerank"
    assert request.json == {"model": "m", "query": "What is the capital?", "documents": TEXTS}
    assert calls[0].input_tokens == tokens


@pytest.mark.parametrize("version", ["v1", "v2"])
def test_the_version_is_that_of_the_base_url(talk, version):
    from ragsweep.models.client import Client
    from ragsweep.models.server import Server

    one = talk(Reply(body=COHERE))
    relevance(Client(Server(f"{one.server.url}/{version}")), "m", "q", TEXTS)
    assert one.server.requests[0].path == f"/{version}/rerank"


@pytest.mark.parametrize(
    "rows",
    [
        ROWS[:2],
        [*ROWS, ROWS[0]],
        [ROWS[0], ROWS[1], {"index": 3, "relevance_score": 0.1}],
        [ROWS[0], ROWS[1], {"index": 1, "relevance_score": None}],
        [ROWS[0], ROWS[1], {"index": 1, "relevance_score": "0.1"}],
        [ROWS[0], ROWS[1], {"index": 1}],
        [{"index": 0, "relevance_score": 1e999}, ROWS[0], ROWS[2]],
        None,
        "no",
    ],
)
def test_a_text_without_one_finite_score_fails_the_call(talk, rows):
    one = talk(Reply(body={"results": rows}))
    with pytest.raises(ServerError, match="that is not what was asked for"):
        relevance(one.client, "m", "q", TEXTS)
    assert len(one.server.requests) == 1


def test_a_score_that_is_not_a_number_fails_the_call(talk):
    with pytest.raises(ServerError, match="a score is no finite number"):
        relevance(talk(Reply(body='{"results": [{"index": 0, "relevance_score": NaN}]}')).client, "m", "q", ["a"])


def test_no_texts_no_request(talk):
    one = talk(Reply(body=COHERE))
    assert relevance(one.client, "m", "q", []) == []
    assert one.server.requests == []
