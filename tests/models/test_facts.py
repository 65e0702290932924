"""What servers tell of a model: its digest and its window. The replies are those of their documentation."""

import pytest

from ragsweep.errors import ServerError
from ragsweep.models import ollama, windows
from scripted_server import Reply

DIGEST = "fe938a131f40e6f6d40083c9f0f430a515233eb2edaa6d72eb85c50d64f2300e"
TAGS = {"models": [{"name": "llama3:latest", "model": "llama3:latest", "digest": DIGEST}, {"name": "x:1b", "digest": "0" * 64}]}


def show(parameters="", **facts):
    return {"parameters": parameters, "model_info": {"general.architecture": "llama", **facts}}


def answers(**by_path):
    """Answers by the last part of the path, 404 for any other."""
    bodies = by_path
    return lambda request: (
        Reply(body=bodies[request.path.rpartition("/")[2]]) if request.path.rpartition("/")[2] in bodies else Reply(404)
    )


@pytest.mark.parametrize(("model", "digest"), [("llama3", DIGEST), ("llama3:latest", DIGEST), ("x:1b", "0" * 64)])
def test_the_digest_of_a_model_of_ollama(talk, model, digest):
    one = talk(answers(tags=TAGS))
    assert ollama.digest(one.client, model) == digest
    assert [(request.method, request.path) for request in one.server.requests] == [("GET", "/api/tags")]


def test_another_digest_is_seen(talk):
    """FAULTS F12: the same name can hold another model tomorrow."""
    changed = {"models": [{**TAGS["models"][0], "digest": "1" * 64}]}
    one = talk(Reply(body=TAGS), Reply(body=changed))
    assert [ollama.digest(one.client, "llama3") for _ in range(2)] == [DIGEST, "1" * 64]


@pytest.mark.parametrize("model", ["x", "gemma3:4b", "llama3:8b", "hf.co/me/x"])
def test_a_model_that_ollama_has_not_names_the_pull_to_run(talk, model):
    with pytest.raises(ServerError, match=f"has no model {model}: run ollama pull {model}$") as caught:
        ollama.digest(talk(answers(tags=TAGS)).client, model)
    assert caught.value.kind == "request"


@pytest.mark.parametrize(
    ("running", "shown", "window"),
    [
        ([{"model": "m:latest", "context_length": 4096}], show("num_ctx 8192"), 4096),
        ([{"model": "other:latest", "context_length": 4096}], show("num_ctx 8192"), 8192),
        ([{"model": "m:latest"}], show("num_ctx 8192"), 8192),  # an older version
        ([], show("stop \"x\"\nnum_ctx                        8192\ntemperature 1"), 8192),
        ([], show("num_ctx 8192", **{"llama.context_length": 2048}), 2048),  # nomic-embed-text
        ([], show("num_ctx 4096", **{"llama.context_length": 131072}), 4096),
        ([], show("", **{"llama.context_length": 131072}), None),  # what it was trained for is not what it runs with
        ([], {"model_info": {}}, None),
    ],
)  # fmt: skip
def test_the_window_of_a_model_of_ollama(talk, running, shown, window):
    one = talk(answers(ps={"models": running}, show=shown))
    assert ollama.window(one.client, "m") == window


@pytest.mark.parametrize(
    ("bodies", "window"),
    [
        ({"models": {"data": [{"id": "other", "max_model_len": 1}, {"id": "m", "max_model_len": 8192}]}}, 8192),  # vLLM
        ({"models": {"data": [{"id": "m", "context_length": 32768}]}}, 32768),  # OpenRouter
        ({"models": {"data": [{"id": "m"}]}, "props": {"default_generation_settings": {"n_ctx": 512}}}, 512),  # llama.cpp
        ({"props": {"default_generation_settings": {"n_ctx": 512}}}, 512),
        ({"models": {"data": [{"id": "m", "max_model_len": None}]}}, None),
        ({"models": {"data": []}, "props": {}}, None),
        ({"models": "no", "props": [1]}, None),
        ({}, None),
    ],
)
def test_the_window_of_a_model_elsewhere(talk, bodies, window):
    assert windows.window(talk(answers(**bodies)).client, "m") == window


def test_a_server_that_is_not_there_is_an_error_and_no_unknown_window(talk):
    for look in (windows.window, ollama.window, ollama.digest):
        with pytest.raises(ServerError) as caught:
            look(talk(Reply(500), retries=1).client, "m")
        assert caught.value.kind == "server"
