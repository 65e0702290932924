"""Embedding models behind servers: what is sent, stored and counted, and what a fault costs."""

import csv
import json

import numpy as np
import pytest

from ragsweep.embedders.ollama import Ollama
from ragsweep.embedders.openai import OpenAI
from ragsweep.errors import ServerError
from ragsweep.setups import identity
from scripted_server import Reply, scripted

WORDS = ("leave", "days", "manager", "abroad")


class Model:
    """Embeds a text as how often it has some words. ``sent`` are the texts, ``batches`` their numbers."""

    def __init__(self):
        self.sent, self.batches = [], []
        self.tells = True
        self.digest, self.dimensions, self.trained = "ab" * 32, 4, 2048
        self.fails = lambda request: None

    def __call__(self, request):
        told = {
            "/api/tags": {"models": [{"model": "m:latest", "digest": self.digest}]},
            "/api/ps": {"models": []},
            "/api/show": {"model_info": {"general.architecture": "bert", "bert.context_length": self.trained}},
        }
        if request.path in told:
            return Reply(body=told[request.path])
        texts = request.json["input"]
        failure = self.fails(request)
        if failure:
            return failure
        self.sent += texts
        self.batches.append(len(texts))
        vectors = [[float(text.lower().count(word)) for word in WORDS][: self.dimensions] for text in texts]
        data = [{"index": place, "embedding": vector} for place, vector in enumerate(vectors)]
        usage = {"usage": {"prompt_tokens": sum(map(len, texts))}} if self.tells else {}
        return Reply(body={"data": data[::-1], **usage})


@pytest.fixture
def model():
    model = Model()
    with scripted(model) as server:
        model.url = f"{server.url}/v1"
        yield model


@pytest.fixture
def search(project, model):
    def run(*overrides, command="run", embedder="openai"):
        own = [f"embedder={embedder}", f"embedder.base_url={model.url}", "embedder.model=m", "embedder.limits.retries=0"]
        return project.files(command, "retriever=dense", *own, *overrides)

    return run


def row(ran):
    with (ran.runs[0] / "report.csv").open(encoding="utf-8", newline="") as file:
        (only,) = csv.DictReader(file)
    return only


def test_rows_are_unit_or_zero_in_order_in_batches(model):
    texts = ["leave days", "nothing", "leave leave", "manager", "abroad"]
    vectors = OpenAI("m", model.url, batch_size=2).embed(texts)
    assert vectors.dtype == np.float32
    assert np.linalg.norm(vectors, axis=1) == pytest.approx([1, 0, 1, 1, 1])
    assert vectors.argmax(axis=1).tolist() == [0, 0, 0, 2, 3]
    assert model.batches == [2, 2, 1]


def test_a_run_sends_prefixes_once_a_text_and_the_store_answers_the_next_run(search, model):
    asked = ["embedder.query_prefix='q '", "embedder.passage_prefix='p '"]
    first = search(*asked)
    assert first.code == 0, first.err
    assert sorted(text[:2] for text in model.sent) == ["p ", "p ", "q ", "q ", "q "], "no warm-up call either"
    assert (row(first)["recall"], row(first)["calls"], row(first)["shared"]) == ("1.0", "3", "3"), "a call a question"
    model.sent.clear()
    again = search(*asked)
    assert model.sent == []
    assert [row(again)[name] for name in ("recall", "mrr")] == [row(first)[name] for name in ("recall", "mrr")]
    search("embedder.batch_size=1", *asked)
    assert model.sent == [], "how many are sent at once is in no key"
    search("embedder.query_prefix='other '", "embedder.passage_prefix='p '")
    assert len(model.sent) == 5, "another prefix is another embedder"


@pytest.mark.parametrize(
    ("change", "sent"),
    [({}, 0), ({"digest": "cd" * 32}, 5), ({"digest": "cd" * 32, "dimensions": 3}, 5)],
    ids=["the same", "another model of that name", "of another dimension"],
)
def test_a_model_is_its_digest(search, model, change, sent):
    assert search(embedder="ollama").code == 0
    model.sent.clear()
    vars(model).update(change)
    assert search(embedder="ollama").code == 0
    assert len(model.sent) == sent


def test_the_same_name_with_other_dimensions_is_told_where_no_digest_is(search, model, project):
    assert search().code == 0
    model.dimensions = 3
    project.questions([{"id": "new", "question": "Who is the manager of leave?", "required_evidence_ids": ["leave.md"]}])
    ran = search("retriever=dense,bm25")
    assert ran.code == 1
    assert "failed: embedder openai m: the embedder gave 3 dimensions, and 4 before" in ran.err
    setups = {each["name"]: each["status"] for each in json.loads((ran.runs[-1] / "report.json").read_text("utf-8"))["setups"]}
    assert setups == {"dense": "failed", "bm25": "ok"}
    assert "embedded now 0, from store 2, without a vector 1" in ran.out


def test_nomic_is_the_default_of_ollama_with_its_prefixes(model):
    default = Ollama()
    assert (default.model, default.query_prefix, default.passage_prefix) == (
        "nomic-embed-text",
        "search_query: ",
        "search_document: ",
    )
    one = Ollama("m", model.url).ready()
    assert (one.digest, one.window) == ("ab" * 32, 2048)
    assert {"model": "m", "digest": "ab" * 32, "window": 2048}.items() <= identity(one).items()
    assert not {"base_url", "key_env", "limits", "batch_size"} & identity(one).keys()


def test_texts_over_the_window_are_counted(search, model):
    """Ollama cuts them without a word."""
    model.trained = 14
    ran = search("chunk_size=50", embedder="ollama")
    assert "over the embedder's window: 2 of 2 chunks" in ran.out


def test_a_vector_of_zeros_is_counted_and_fails_nothing(search, model):
    """FAULTS F16, G1: it scores 0."""
    ran = search("chunk_size=3", "chunk_overlap=0")
    assert ran.code == 0, ran.err
    chunks = [text for text in model.sent if not text.endswith("?")]
    zeros = [text for text in chunks if not any(word in text.lower() for word in WORDS)]
    assert zeros
    assert f"with a vector of zeros, which finds nothing: {len(zeros)} of {len(chunks)} chunks (word)" in ran.out
    assert row(ran)["zero_vectors"] == str(len(zeros))


@pytest.mark.parametrize("bad", [[None] * 4, "none", [float("nan")] * 4])
def test_a_text_without_a_usable_vector_fails_the_setup_with_the_text(search, model, bad):

    def fails(request):
        vectors = [bad if "abroad" in text else [1.0] * 4 for text in request.json["input"]]
        return Reply(body={"data": [{"index": place, "embedding": each} for place, each in enumerate(vectors)]})

    model.fails = fails
    ran = search()
    assert ran.code == 1
    assert "for the text 'You may work abroad" in ran.out


def test_an_embedder_that_fails_costs_its_own_setups_and_the_rest_finishes(search, model):
    model.fails = lambda request: Reply(400, body={"error": "input is too long"})
    ran = search("retriever=dense,bm25")
    assert ran.code == 1
    why = f"POST {model.url}/embeddings answered 400 (application/json)"
    said = [line for line in ran.err.splitlines() if line.startswith("failed: ")]
    assert len(said) == 2, "before the run and after it"
    assert said[0].startswith(f"failed: embedder openai m: {why}: ") and said[0].endswith("; setups that fail for it: dense")
    assert said[1].startswith(f"failed: ServerError: {why}: ")
    setups = {each["name"]: each for each in json.loads((ran.runs[0] / "report.json").read_text("utf-8"))["setups"]}
    assert {name: each["status"] for name, each in setups.items()} == {"dense": "failed", "bm25": "ok"}
    assert "answered 400" in setups["dense"]["error"] and "input is too long" in setups["dense"]["error"]
    model.fails = lambda request: None
    assert search("retriever=dense,bm25").code == 0, "nothing wrong is stored"


def test_a_run_can_check_that_a_batch_changes_no_vector(search, model):
    """FAULTS F16: a server that pads the texts of a batch to one length and reads the padding."""
    model.fails = lambda request: Reply(
        body={
            "data": [
                {"index": place, "embedding": [1.0, float(len(request.json["input"])), 0.0, 0.0]}
                for place in range(len(request.json["input"]))
            ]
        }
    )
    assert search().code == 0, "it is not seen unless it is asked for"
    ran = search("embedder.verify_batch=true", "chunk_size=1")
    assert ran.code == 1
    assert "alone than in a batch (cosine" in ran.out and "write batch_size=1" in ran.out


def test_the_plan_embeds_nothing(search, model):
    ran = search(command="plan")
    assert "  m: 5 distinct texts, 0 stored, 5 to embed, about " in ran.out
    assert model.sent == []


def test_a_batch_that_changes_a_vector_is_found(model):
    model.fails = lambda request: (
        Reply(body={"data": [{"index": place, "embedding": [1.0, float(len(request.json["input"]))]} for place in range(2)]})
        if len(request.json["input"]) == 2
        else Reply(body={"data": [{"index": 0, "embedding": [1.0, -1.0]}]})
    )
    with pytest.raises(ServerError, match="write batch_size=1"):
        OpenAI("m", model.url, verify_batch=True).embed(["a", "b"])


# ---- what embedding costs ----------------------------------------------------------------------------------------------


def priced(project):
    project.experiment("dataset: {files: docs, questions: questions.json}\nprices: {m: {input: 1000000}}\n")
    return "experiment=mine"


def rows(ran, name):
    with (ran.runs[0] / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_each_setup_is_charged_the_tokens_that_its_texts_took_when_they_were_first_embedded(search, model, project):
    """A token a letter: the questions in cost, the chunks beside it, whoever embedded them and however they were batched."""
    asked = [priced(project), "chunk_size=6,60", "embedder.batch_size=3"]
    questions = {text: len(text) for text in ("How many days of leave?", "Who approves the dates?", "Is there a gym?")}
    for ran in (search(*asked), search(*asked)):
        whole, cut = sorted(rows(ran, "report.csv"), key=lambda row: int(row["chunks"]))
        for row in (whole, cut):
            assert (row["calls"], row["tokens"], row["output_tokens"]) == ("3", str(sum(questions.values())), "0")
            assert float(row["cost"]) == sum(questions.values())
        chunks = [text for text in model.sent if text not in questions]
        counted = {row["chunk_size"]: int(row["index_tokens"]) for row in (whole, cut)}
        assert sum(counted.values()) == sum(map(len, chunks)), "no text is in both"
        assert [float(row["index_cost"]) for row in (whole, cut)] == [counted["60"], counted["6"]]
        each = {row["question"]: row["input_tokens"] for row in rows(ran, "questions.csv")}
        assert each == {text: str(tokens) for text, tokens in questions.items()}
    assert len(model.sent) == len(set(model.sent)), "the second run embedded nothing"


def test_what_a_server_does_not_tell_is_not_shown_as_nothing(search, model, project):
    model.tells = False
    row = rows(search(priced(project)), "report.csv")[0]
    assert (row["calls"], row["tokens"], row["cost"], row["index_tokens"], row["index_cost"]) == ("3", "", "", "", "")


def test_the_plan_expects_the_tokens_of_what_is_not_stored(search, model, project):
    def told():
        (line,) = (
            line for line in search(priced(project), command="plan").out.splitlines() if " m: " in line and "distinct" in line
        )
        return line

    texts = 23 + 23 + 15 + 56 + 66
    tokens = int(told().partition("about ")[2].partition(" ")[0])
    assert tokens == pytest.approx(texts / 4, abs=5)
    assert told().endswith(f"5 to embed, about {tokens} tokens, {tokens:.4f} by its price")
    search(priced(project))
    assert told().endswith("5 distinct texts, 5 stored, 0 to embed, about 0 tokens, 0.0000 by its price")
    assert len(model.sent) == 5
