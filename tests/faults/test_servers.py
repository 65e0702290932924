"""A canary key in the environment, every failure of a server forced: no output, log, record or error holds it."""

import json
import logging

import pytest

from ragsweep.errors import InputError, ServerError
from ragsweep.models.chat import Sampling, complete
from ragsweep.models.client import Client
from ragsweep.models.server import Limits, Server
from ragsweep.redaction import RedactingFormatter
from scripted_server import Reply, scripted

CANARY = "canary/0123456789+abcdef"
ECHOES = {
    "an error": Reply(403, body={"error": {"message": f"Incorrect API key provided: {CANARY}"}}),
    "a page": Reply(body=f"<html>{CANARY}</html>", headers={"Content-Type": "text/html"}),
    "an error in 200": Reply(body={"error": f"key={CANARY}"}),
    "an answer of another kind": Reply(body={"you": f"Bearer {CANARY}"}),
    "its content type": Reply(500, headers={"Content-Type": CANARY}),
    "a redirect": Reply(302, headers={"Location": f"http://elsewhere/{CANARY}"}),
    "a retry": Reply(429, body=CANARY, headers={"Retry-After": "9999"}),
    "at the end of what is shown": Reply(400, body="x" * 190 + CANARY),
    "garbage": Reply(raw=f"{CANARY}\r\n\r\n".encode()),
    "a cut body": Reply(body=CANARY * 9, cut=150),
    "a header that is none": Reply(raw=f"HTTP/1.1 200 OK\r\n{CANARY}\r\n\r\n".encode()),
    "a drip": Reply(body=CANARY, drip=0.1),
    "too much": Reply(body=CANARY * 500),
    "a key that is not known": Reply(401, body=CANARY),  # the last, as it ends its setup
}


@pytest.fixture
def server_of(project, monkeypatch):
    monkeypatch.setenv("MY_KEY", CANARY)

    def server(url):
        return Server(f"{url}/v1", "MY_KEY", Limits(deadline=0.3, retries=0, max_response_mb=0.01))

    return server


def test_no_failure_of_a_server_shows_the_key(project, server_of, monkeypatch, caplog):
    """The errors are what a retriever of a run raises, so they go through records, run.log, report and both streams."""
    caplog.set_level(logging.DEBUG)
    raised = []
    project.questions([{"id": name, "question": name, "required_evidence_ids": ["leave.md"]} for name in ECHOES])
    with scripted(lambda request: ECHOES[request.json["messages"][1]["content"]]) as scripted_server:

        def broken(self, index, query, *given):
            try:
                complete(Client(server_of(scripted_server.url)), Sampling("m", 5), "", query)
            except ServerError as error:
                raised.append(str(error))
                raise

        monkeypatch.setattr("ragsweep.retrievers.bm25.Bm25.rank", broken)
        ran = project.files("run")
        assert {request.headers["authorization"] for request in scripted_server.requests} == {f"Bearer {CANARY}"}
    (records,) = ran.runs[0].rglob("records.jsonl")
    errors = [json.loads(line)["error"] for line in records.read_text().splitlines()]
    assert len(errors) == len(set(errors)) == len(ECHOES)
    assert CANARY not in "".join(raised), "nor before they are written"
    assert all(error.startswith("ServerError: POST http://127.0.0.1:") for error in errors)
    assert CANARY not in "".join(RedactingFormatter().format(record) for record in caplog.records)
    assert_nowhere(project, ran)


@pytest.mark.parametrize("generator", ["openai", "ollama", "anthropic"])
def test_no_failure_of_a_generator_shows_the_key(project, monkeypatch, generator):
    """From the key in the environment to report, records, log, frozen plan and both streams."""
    monkeypatch.setenv("MY_KEY", CANARY)
    names = {name: f"{name} of leave days" for name in ECHOES if name not in ("a drip", "an answer of another kind")}
    project.questions([{"id": name, "question": text, "required_evidence_ids": ["leave.md"]} for name, text in names.items()])

    def answer(request):
        if request.method == "GET":
            return Reply(body={"models": [{"model": "m:latest", "digest": "ab" * 32, "context_length": 4096}]})
        return next(ECHOES[name] for name in names if f"Question: {name}" in request.json["messages"][-1]["content"])

    with scripted(answer) as server:
        own = [f"generator={generator}", f"generator.base_url={server.url}/v1", "generator.model=m", "generator.key_env=MY_KEY"]
        limits = ["generator.limits.retries=0", "generator.limits.max_response_mb=0.01", "generator.limits.deadline=5"]
        ran = project.files("run", "rag_type=simple", *own, *limits)
        sent = {name: value for request in server.requests for name, value in request.headers.items()}
    assert CANARY in (sent.get("x-api-key"), sent.get("authorization", "").removeprefix("Bearer "))
    (records,) = ran.runs[0].rglob("records.jsonl")
    assert {json.loads(line)["status"] for line in records.read_text().splitlines()} == {"failed"}
    assert_nowhere(project, ran)
    assert "MY_KEY" in (ran.runs[0] / "plan.json").read_text(), "the name of the variable, and nothing else"


ANSWERED = {name: reply for name, reply in ECHOES.items() if name not in ("a drip", "an answer of another kind")}
"""Those that a server tells apart by what it is asked, and that end at once."""
LIMITS = ("limits.retries=0", "limits.max_response_mb=0.01", "limits.deadline=5", "key_env=MY_KEY", "model=m")


@pytest.mark.parametrize("reranker", ["cohere", "jina", "voyage", "llm"])
def test_no_failure_of_a_reranker_shows_the_key(project, monkeypatch, reranker):
    monkeypatch.setenv("MY_KEY", CANARY)
    asked = {name: f"{name} of leave days" for name in ANSWERED}
    project.questions([{"id": name, "question": text, "required_evidence_ids": ["leave.md"]} for name, text in asked.items()])

    def answer(request):
        if request.method == "GET":
            return Reply(404)
        body = request.json
        query = body["query"] if reranker != "llm" else body["messages"][-1]["content"].partition("Question: ")[2]
        return next(ANSWERED[name] for name, text in asked.items() if text == query)

    with scripted(answer) as server:
        own = [f"reranker={reranker}", f"reranker.base_url={server.url}/v1", *(f"reranker.{each}" for each in LIMITS)]
        ran = project.files("run", "chunk_size=5", *own)
        posted = [request for request in server.requests if request.method == "POST"]
    assert {request.headers["authorization"] for request in posted} == {f"Bearer {CANARY}"}
    (records,) = ran.runs[0].rglob("records.jsonl")
    assert {json.loads(line)["status"] for line in records.read_text().splitlines()} == {"failed"}
    assert_nowhere(project, ran)


@pytest.mark.parametrize("group", ["embedder", "generator"])
@pytest.mark.parametrize("option", ["openai", "ollama"])
def test_nor_does_one_of_an_embedder_or_of_a_look_up(project, monkeypatch, group, option):
    """A model for each failure: it is that of embedding, or of asking Ollama for digests before any work."""
    monkeypatch.setenv("MY_KEY", CANARY)
    failures = list(ANSWERED.values())
    looked_up: list[Reply] = []

    def answer(request):
        if request.method == "POST" and "input" in request.json:
            return failures[int(request.json["model"].removeprefix("m"))]
        looked_up.append(failures[len(looked_up) % len(failures)])
        return looked_up[-1]

    with scripted(answer) as server:
        models = ",".join(f"m{place}" for place in range(len(failures)))
        own = [f"{group}={option}", f"{group}.base_url={server.url}/v1", *(f"{group}.{each}" for each in LIMITS[:-1])]
        ran = project.files("run", "rag_type=simple", "retriever=dense", f"{group}.model={models}", *own)
        sent = {request.headers["authorization"] for request in server.requests}
    assert sent == {f"Bearer {CANARY}"}
    assert (ran.code, len(server.requests) >= len(failures)) == (2 if option == "ollama" else 1, True)
    assert CANARY not in ran.out + ran.err
    for path in (path for path in project.root.rglob("*") if path.is_file()):
        assert CANARY.encode() not in path.read_bytes(), path


def test_nor_does_a_key_in_the_wrong_place(project, server_of):
    for make in (
        lambda: Server(f"http://me:{CANARY}@host/v1"),
        lambda: Server(f"http://host/v1?key={CANARY}"),
        lambda: Server(f"host {CANARY}"),
        lambda: Server("http://host/v1", CANARY),
    ):
        server_of("http://host").key()  # known from here on
        with pytest.raises(InputError) as caught:
            make()
        assert CANARY not in str(caught.value)


def test_the_settings_hold_no_key(server_of):
    server = server_of("http://host")
    assert server.key() == CANARY
    assert CANARY not in repr(server)
    assert CANARY not in str(vars(Client(server)))


def test_a_key_that_a_program_reports_is_hidden_too(project, server_of, monkeypatch):
    """Whatever raises it: a bug of ours, a library."""
    server_of("http://host").key()

    def broken(self, *given):
        raise RuntimeError(f"cannot encode {CANARY}")

    monkeypatch.setattr("ragsweep.retrievers.bm25.Bm25.rank", broken)
    ran = project.files("run")
    assert "cannot encode [secret]" in ran.out
    assert_nowhere(project, ran)


def assert_nowhere(project, ran):
    assert CANARY not in ran.out + ran.err
    files = [path for path in project.root.rglob("*") if path.is_file()]
    assert {"run.log", "records.jsonl", "report.md"} <= {path.name for path in files}
    for path in files:
        assert CANARY.encode() not in path.read_bytes(), path


def test_a_setup_whose_time_is_over_fails_what_is_left_and_the_rest_goes_on(project, monkeypatch):
    """FAULTS F13. The server takes its time with one setup: the first question ends, no other is asked."""
    takes, clock = {"m1": 30.0, "m2": 1.0}, [0.0]
    monkeypatch.setattr("ragsweep.worker.monotonic", lambda: clock[0])

    def answer(request):
        if request.method == "GET":
            return Reply(404)
        reply = {"choices": [{"message": {"content": "ANSWERABLE: no"}, "finish_reason": "stop"}]}
        clock[0] += takes[request.json["model"]]
        return Reply(body=reply)

    project.questions([{"id": f"q{n}", "question": f"Of leave {n}?", "required_evidence_ids": ["leave.md"]} for n in range(3)])
    with scripted(answer) as server:
        own = ["generator=openai", f"generator.base_url={server.url}/v1", "generator.model=m1,m2", "max_setup_s=20"]
        ran = project.files("run", "rag_type=simple", *own)
        assert [json.loads(request.body)["model"] for request in server.requests if request.body] == ["m1", "m2", "m2", "m2"]
        assert ran.code == 1
        said = "max_setup_s=20: its time is over"
        assert f"failed: generator.model=m1: WorkerError: {said}" in ran.out
        setups = json.loads((ran.runs[0] / "report.json").read_text("utf-8"))["setups"]
        assert [(each["status"], each["n_ok"], each["n"]) for each in setups] == [("failed", 1, 3), ("ok", 3, 3)]
        takes["m1"] = 1.0
        again = project("resume", str(ran.runs[0]))
    assert again.code == 0, "the time is that of an attempt"
    assert "reused 4, re-scored 0, run 2, dropped 0" in again.err
