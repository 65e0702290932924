"""Rerankers behind servers: what is sent, how replies are read, what is counted."""

import csv
import json

import pytest

from ragsweep.errors import ServerError
from ragsweep.models.calls import recorded
from ragsweep.rerankers.cohere import Cohere
from ragsweep.rerankers.jina import Jina
from ragsweep.rerankers.llm import LLM
from ragsweep.rerankers.voyage import Voyage
from scripted_server import Reply, scripted

# The documented examples: docs.cohere.com/v2/reference/rerank, jina.ai/reranker, docs.voyageai.com/reference/reranker-api
COHERE = {"results": [{"index": 1, "relevance_score": 0.9}, {"index": 0, "relevance_score": 0.1}], "id": "x", "meta": {}}
JINA = {"model": "m", "usage": {"total_tokens": 38}, "results": COHERE["results"]}
VOYAGE = {"object": "list", "data": COHERE["results"], "model": "m", "usage": {"total_tokens": 26}}


def said(text, end="stop"):
    return Reply(body={"choices": [{"message": {"content": text}, "finish_reason": end}], "usage": {"prompt_tokens": 90}})


@pytest.mark.parametrize(
    ("cls", "reply", "tokens"), [(Cohere, COHERE, None), (Jina, JINA, 38), (Voyage, VOYAGE, 26)], ids=lambda each: str(each)[:9]
)
def test_a_pool_is_ordered_by_the_relevance_that_comes_back(index, vectors, cls, reply, tokens):
    pool = [index.hit(2, 0.9), index.hit(0, 0.8)]
    with scripted(Reply(body=reply)) as server, recorded() as calls:
        hits = cls(model="m", base_url=f"{server.url}/v2").rerank(index, "How many?", vectors, pool)
        (request,) = server.requests
    assert [(hit.chunk, hit.score) for hit in hits] == [(0, 0.9), (2, 0.1)]
    assert request.path == "/v2/rerank"
    assert request.json == {"model": "m", "query": "How many?", "documents": [index.passage(2), index.passage(0)]}
    assert [call.input_tokens for call in calls] == [tokens]


def test_a_reply_without_every_score_is_an_error(index, vectors):
    with scripted(Reply(body={"results": COHERE["results"][:1]})) as server, pytest.raises(ServerError, match="1 scores for 2"):
        Jina(base_url=f"{server.url}/v1").rerank(index, "?", vectors, [index.hit(0, 1.0), index.hit(1, 0.5)])


@pytest.mark.parametrize(
    ("reply", "order", "unusable"),
    [
        ('{"ranking": [3, 1, 2]}', [2, 0, 1, 3], False),
        ('```\n{"ranking": [2]}\n```', [1, 0, 2, 3], False),
        ('{"ranking": [2, 2, 9, 0, -1, "1", true, 1]}', [1, 0, 2, 3], False),
        ('{"ranking": [4, 3]}', [2, 0, 1, 3], False),
        ('{"ranking": []}', [0, 1, 2, 3], True),
        ('{"ranking": "3, 1"}', [0, 1, 2, 3], True),
        ('{"ranking": [3, 1', [0, 1, 2, 3], True),
        ("3, 1, 2", [0, 1, 2, 3], True),
        ("", [0, 1, 2, 3], True),
    ],
)
def test_a_language_model_orders_what_it_is_shown(index, vectors, reply, order, unusable):
    """Three of the four chunks; 4 names none of them."""
    pool = [index.hit(place, 1 - place / 10) for place in range(4)]
    with scripted(said(reply)) as server, recorded() as calls:
        hits = LLM("m", f"{server.url}/v1", window=4096, candidates=3).rerank(index, "How many?", vectors, pool)
        body = server.requests[0].json
    assert [hit.chunk for hit in hits] == order
    assert [hit.score for hit in hits] == [1, 1 / 2, 1 / 3, 1 / 4]
    assert [call.unusable for call in calls] == [unusable]
    assert "number=3" in body["messages"][1]["content"] and "number=4" not in body["messages"][1]["content"]
    assert body["response_format"]["json_schema"]["schema"]["required"] == ["ranking"]


def test_a_pool_of_one_is_not_asked_for(index, vectors):
    assert [hit.chunk for hit in LLM("m", "http://127.0.0.1:9/v1").rerank(index, "?", vectors, [index.hit(3, 0.2)])] == [3]


def test_a_run_counts_them_and_a_failure_is_of_its_question(project):
    def order(request):
        if "Who" in request.json["query"]:
            return Reply(403, body={"error": "no"})
        texts = request.json["documents"]
        scores = [{"index": place, "relevance_score": 1.0} for place in range(len(texts))]
        return Reply(body={"results": scores, "usage": {"total_tokens": 12}})

    with scripted(order) as server:
        own = ["reranker=jina,none", f"reranker.base_url={server.url}/v1"]
        planned = project.files("plan", *own)
        assert server.requests == []
        ran = project.files("run", *own)
    assert "jina-reranker-v2-base-multilingual: 3 calls, about " in planned.out
    with (ran.runs[0] / "report.csv").open(encoding="utf-8", newline="") as file:
        rows = {row["setup"]: row for row in csv.DictReader(file)}
    assert (rows["jina"]["calls"], rows["jina"]["tokens"], rows["jina"]["n_ok"]) == ("2", "12", "2")
    assert (rows["none"]["calls"], rows["none"]["n_ok"]) == ("0", "3")
    (failed,) = [
        record
        for path in ran.runs[0].rglob("records.jsonl")
        for record in map(json.loads, path.read_text("utf-8").splitlines())
        if record["status"] == "failed"
    ]
    assert "the right one for this server" in failed["error"]
