"""Chat in OpenAI's and Anthropic's shapes: what is sent, how a reply ends, windows and truncation."""

import pytest

from ragsweep.errors import ServerError
from ragsweep.models import anthropic
from ragsweep.models.calls import recorded
from ragsweep.models.chat import Completion, Sampling, complete
from ragsweep.models.client import Client
from ragsweep.models.prompts import estimated_tokens
from ragsweep.models.server import Server
from ragsweep.redaction import keep_secret
from scripted_server import Reply

SAMPLING = Sampling("m", max_tokens=50, seed=3)


def openai(content="25 days.", why="stop", usage=None, **message):
    choice = {"index": 0, "finish_reason": why, "message": {"role": "assistant", "content": content, **message}}
    return Reply(body={"object": "chat.completion", "choices": [choice], **({"usage": usage} if usage else {})})


def claude(*blocks, why="end_turn"):
    """As documented for POST /v1/messages."""
    return Reply(
        body={
            "id": "msg_013Zva2CMHLNnXjNJJKqJ2EF",
            "type": "message",
            "role": "assistant",
            "model": "claude-x",
            "content": list(blocks),
            "stop_reason": why,
            "stop_sequence": None,
            "usage": {"input_tokens": 12, "output_tokens": 6},
        }
    )


def text(said):
    return {"type": "text", "text": said}


# ---- what is sent --------------------------------------------------------------------------------------------------------


def test_a_request_of_openais_shape(talk):
    one = talk(openai())
    complete(one.client, SAMPLING, "Be brief.", "How many?")
    (request,) = one.server.requests
    assert request.path == "/v1/chat/completions"
    messages = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "How many?"}]
    assert request.json == {"model": "m", "temperature": 0.0, "messages": messages, "seed": 3, "max_tokens": 50}


def test_a_schema_is_asked_for(talk):
    one = talk(openai("{}"))
    complete(one.client, SAMPLING, "", "", {"type": "object"})
    form = {"type": "json_schema", "json_schema": {"name": "reply", "strict": True, "schema": {"type": "object"}}}
    assert one.server.requests[0].json["response_format"] == form


def test_more_fields_and_fewer(talk):
    one = talk(openai())
    sampling = Sampling("m", 50, None, None, {"max_tokens": None, "max_completion_tokens": 9, "top_p": 0.5})
    complete(one.client, sampling, "", "")
    assert one.server.requests[0].json.keys() == {"model", "messages", "max_completion_tokens", "top_p"}


def test_openai_itself_is_sent_the_newer_name_of_max_tokens(monkeypatch):
    """Its reasoning models refuse max_tokens (platform.openai.com/docs/api-reference/chat/create)."""
    client = Client(Server("https://api.openai.com/v1"))
    sent = {}
    monkeypatch.setattr(client, "call", lambda path, body, read: sent.update(body) or Completion("", "empty"))
    complete(client, SAMPLING, "", "")
    assert (sent["max_completion_tokens"], "max_tokens" in sent) == (50, False)


def test_a_request_of_anthropics_shape(talk, monkeypatch):
    monkeypatch.setenv("MY_KEY", "canary-0123456789")
    one = talk(claude(text("25 days.")), key_env="MY_KEY")
    said = anthropic.complete(one.client, SAMPLING, "Be brief.", "How many?")
    (request,) = one.server.requests
    assert request.path == "/v1/messages"
    assert (request.headers["x-api-key"], request.headers["anthropic-version"]) == ("canary-0123456789", "2023-06-01")
    assert "authorization" not in request.headers
    messages = [{"role": "user", "content": "How many?"}]
    assert request.json == {"model": "m", "temperature": 0.0, "system": "Be brief.", "messages": messages, "max_tokens": 50}
    assert (said.text, said.end, said.input_tokens, said.output_tokens) == ("25 days.", "complete", 12, 6)


def test_anthropics_own_errors(talk):
    overloaded = Reply(529, body={"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}})
    one = talk(overloaded, claude(text("yes")))
    assert anthropic.complete(one.client, SAMPLING, "", "?").text == "yes"
    said = {"type": "invalid_request_error", "message": "max_tokens: Field required"}
    error = Reply(400, body={"type": "error", "error": said})
    with pytest.raises(ServerError, match="max_tokens: Field required"):
        anthropic.complete(talk(error).client, SAMPLING, "", "?")


# ---- how a reply ends ----------------------------------------------------------------------------------------------------

ENDS = [
    (openai("25 days."), "25 days.", "complete"),
    (openai(" 25 days.\n"), "25 days.", "complete"),
    (openai("25 d", "length"), "25 d", "cut"),
    (openai("", "length"), "", "cut"),
    (openai(""), "", "empty"),
    (openai(" \n"), "", "empty"),
    (openai(None), "", "empty"),
    (openai("<think>25 or 26?</think>\n\n25 days."), "25 days.", "complete"),
    (openai("25 or 26?</think>25 days."), "25 days.", "complete"),
    (openai("<think>25 or 26?</think>"), "", "only_thinking"),
    (openai("<think>25 or 26?"), "", "only_thinking"),
    (openai("<think>25 or", "length"), "", "cut"),
    (openai("", reasoning_content="25 or 26?"), "", "only_thinking"),
    (openai(None, reasoning="25 or 26?"), "", "only_thinking"),
    (openai("25 days.", reasoning_content="25 or 26?"), "25 days.", "complete"),
    (openai("Write <think>x</think> before it."), "Write <think>x</think> before it.", "complete"),
    (openai("<think>a</think>Write <think>x</think>."), "Write <think>x</think>.", "complete"),
    (openai(None, refusal="I cannot help."), "I cannot help.", "refused"),
    (openai("", "content_filter"), "", "refused"),
]


@pytest.mark.parametrize("shape", ["openai", "anthropic"])
def test_a_key_that_a_model_repeats_stands_in_no_completion(talk, shape):
    keep_secret("0a1b-the-known-key")
    reply = "<think>0a1b-the-known-key?</think>Your key is 0a1b-the-known-key, and theirs sk-0123456789."
    said = complete(talk(openai(reply)).client, SAMPLING, "", "?")
    if shape == "anthropic":
        said = anthropic.complete(talk(claude(text(reply))).client, SAMPLING, "", "?")
    assert said.text == "Your key is [secret], and theirs [secret]."


@pytest.mark.parametrize(("reply", "said", "end"), ENDS)
def test_how_a_reply_ends(talk, reply, said, end):
    one = talk(reply)
    completion = complete(one.client, SAMPLING, "", "?")
    assert (completion.text, completion.end) == (said, end)
    assert len(one.server.requests) == 1, "no reply is no fault of the server"


@pytest.mark.parametrize(
    ("reply", "said", "end"),
    [
        (claude(text("25 "), text("days.")), "25 days.", "complete"),
        (claude({"type": "thinking", "thinking": "25 or 26?", "signature": "x"}, text("25 days.")), "25 days.", "complete"),
        (claude({"type": "thinking", "thinking": "25 or 26?", "signature": "x"}), "", "only_thinking"),
        (claude({"type": "redacted_thinking", "data": "x"}), "", "only_thinking"),
        (claude(), "", "empty"),
        (claude(text("25 d"), why="max_tokens"), "25 d", "cut"),
        (claude(text(""), why="refusal"), "", "refused"),
    ],
)
def test_how_a_reply_of_anthropic_ends(talk, reply, said, end):
    completion = anthropic.complete(talk(reply).client, SAMPLING, "", "?")
    assert (completion.text, completion.end) == (said, end)


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"choices": []},
        {"choices": [{}]},
        {"choices": [{"message": None}]},
        {"choices": [{"message": {"content": 7}}]},
        {"choices": [{"message": {"content": [{"type": "text"}]}}]},
        {"choices": "no"},
        [],
    ],
)
def test_a_reply_that_lacks_its_parts(talk, body):
    with recorded() as calls, pytest.raises(ServerError, match="that is not what was asked for") as caught:
        complete(talk(Reply(body=body)).client, SAMPLING, "", "?")
    assert (caught.value.kind, calls[0].failure) == ("reply", "reply")
    with pytest.raises(ServerError, match="that is not what was asked for"):
        anthropic.complete(talk(Reply(body=body)).client, SAMPLING, "", "?")


# ---- windows (FAULTS F17) ------------------------------------------------------------------------------------------------

PROMPT = "leave " * 400
"""600 tokens by the estimate, 401 by many a model."""


@pytest.mark.parametrize("complete", [complete, anthropic.complete])
def test_a_prompt_over_the_window_is_not_sent(talk, complete):
    one = talk(openai())
    with pytest.raises(ServerError) as caught:
        complete(one.client, SAMPLING, "", PROMPT, window=512)
    assert (one.server.requests, caught.value.kind) == ([], "window")
    for said in ("about 600 tokens", "the window of m 512", "top_n", "OLLAMA_CONTEXT_LENGTH"):
        assert said in str(caught.value)


@pytest.mark.parametrize(
    ("counted", "window", "truncated"),
    [
        (401, None, False),
        (401, 1024, False),
        (1024, 1024, True),  # it filled its window to the brim
        (299, None, True),  # less than half of what was sent
        (300, None, False),
        (None, 1024, False),
    ],
)
def test_a_server_that_read_less_than_the_prompt_is_seen_by_its_own_count(talk, counted, window, truncated):
    one = talk(openai(usage={"prompt_tokens": counted, "completion_tokens": 3}))
    said = complete(one.client, SAMPLING, "", PROMPT, window=window)
    assert (said.truncated, said.input_tokens, said.output_tokens) == (truncated, counted, 3)


def test_the_estimate_is_of_bytes():
    assert [estimated_tokens(text) for text in ("", "abcdefgh", "日本語の質問", "\ud800")] == [0, 2, 4, 0]
