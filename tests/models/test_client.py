"""One call: what is asked again and what is not, deadlines, limits, what an error says, and the account."""

import asyncio
import json
import os
import random
import re
import time
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from functools import cache

import pytest

from ragsweep.errors import ServerError
from ragsweep.models import connections
from ragsweep.models.calls import recorded
from ragsweep.models.client import MOST_PAUSE
from ragsweep.types import Call
from scripted_server import Reply, scripted

OK = Reply(body={"answer": 7})
GARBAGE = Reply(raw=b"\x16\x03\x01 this is no HTTP\r\n\r\n")
HTML = Reply(body="<html><h1>It works!</h1>", headers={"Content-Type": "text/html"})
CUT = Reply(body={"answer": 7}, cut=70)
"""It ends within the body."""


def ask(talk, **headers):
    return talk.client.call("/path", {"model": "m"}, lambda reply: reply["answer"], **headers)


def failure(talk):
    with pytest.raises(ServerError) as caught:
        ask(talk)
    return caught.value


# ---- what is asked again -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("status", [408, 429, 500, 502, 503, 504, 529])
def test_what_may_pass_is_asked_again(talk, status):
    one = talk(Reply(status), Reply(status), OK)
    assert ask(one) == 7
    assert [request.path for request in one.server.requests] == ["/v1/path"] * 3


@pytest.mark.parametrize(
    "fault",
    [Reply(cut=0), Reply(cut=9), CUT, GARBAGE, Reply(raw=b""), Reply(body="x", headers={"Content-Length": "100"}, close=True)],
)
def test_every_broken_connection_is_asked_again(talk, fault):
    one = talk(fault, fault, OK)
    assert ask(one) == 7
    assert len(one.server.requests) == 3


def test_a_kept_connection_that_was_dropped_is_asked_again(talk):
    """FAULTS G5: the server closes after request 1, and the client finds out while it sends request 2."""
    one = talk(Reply(body={"answer": 7}, close=True), CUT, OK)
    assert [ask(one), ask(one)] == [7, 7]


@pytest.mark.parametrize("status", [400, 401, 403, 404, 405, 413, 422, 501, 505, 301, 204])
def test_what_would_come_back_again_is_asked_once(talk, status):
    one = talk(Reply(status, body="" if status == 204 else "no"), OK)
    error = failure(one)
    assert len(one.server.requests) == 1
    assert (error.status, error.kind) == (status, "key" if status in (401, 403) else "request")
    assert one.clock.slept == []


@pytest.mark.parametrize(
    ("fault", "kind"),
    [(Reply(500), "server"), (Reply(429), "rate_limit"), (Reply(cut=0), "connection"), (GARBAGE, "connection")],
)
def test_it_gives_up_after_the_last_retry(talk, fault, kind):
    one = talk(fault, retries=3)
    error = failure(one)
    assert (len(one.server.requests), error.kind) == (4, kind)
    assert str(error).endswith(" (4 requests)")
    assert len(one.clock.slept) == 3, "no pause after the last"


def test_no_retries_is_one_request(talk):
    one = talk(Reply(503), OK, retries=0)
    assert failure(one).kind == "server"
    assert len(one.server.requests) == 1


def test_nobody_listens(talk):
    one = talk(OK, retries=1)
    one.server.stop()
    error = failure(one)
    assert error.kind == "connection"
    assert str(error).startswith(f"POST {one.server.url}/v1/path: no answer (ConnectError")
    assert str(error).endswith("is the server running? (2 requests)")


# ---- pauses ------------------------------------------------------------------------------------------------------------


def test_pauses_are_a_random_share_of_1_2_4_and_so_on(talk):
    """Full jitter: of many pauses some are near 0 and some near the top, and the same seed gives the same."""

    def pauses():
        one = talk(Reply(500), retries=8, deadline=1000)
        failure(one)
        return one.clock.slept

    random.seed(5)
    drawn = [pauses() for _ in range(12)]
    random.seed(5)
    assert pauses() == drawn[0]
    for place, shares in enumerate(zip(*drawn, strict=True)):
        top = min(2.0**place, MOST_PAUSE)
        assert 0 <= min(shares) < 0.3 * top, place
        assert 0.7 * top < max(shares) <= top, place


def date(seconds, now=None):
    return format_datetime((now or datetime.now(UTC)) + timedelta(seconds=seconds), usegmt=True)


THEN = datetime(2001, 2, 3, tzinfo=UTC)


@pytest.mark.parametrize(
    ("headers", "pause"),
    [
        ({"Retry-After": "7"}, 7),
        ({"Retry-After": "0"}, 0),
        ({"Retry-After": date(30, THEN), "Date": date(0, THEN)}, 30),
        ({"Retry-After": date(-30, THEN), "Date": date(0, THEN)}, 0),
        ({"Retry-After": str(int(MOST_PAUSE))}, MOST_PAUSE),
    ],
)
@pytest.mark.parametrize("status", [429, 503])
def test_the_server_says_how_long_to_wait(talk, status, headers, pause):
    """A date is compared with the server's own, so a clock that is wrong here does not matter."""
    one = talk(Reply(status, headers=headers), OK)
    assert ask(one) == 7
    assert one.clock.slept == [pause]


def test_a_date_without_the_servers_own_is_compared_with_ours(talk):
    one = talk(Reply(429, headers={"Retry-After": date(40)}), OK)
    assert ask(one) == 7
    assert one.clock.slept == [pytest.approx(40, abs=5)]


@pytest.mark.parametrize(
    "headers", [{"Retry-After": "soon"}, {"Retry-After": "-5"}, {"Retry-After": "1e9"}, {"Retry-After": "²"}]
)
def test_what_is_no_time_is_not_waited_for(talk, headers):
    one = talk(Reply(429, headers=headers), OK)
    assert ask(one) == 7
    assert 0 <= one.clock.slept[0] <= 1


@pytest.mark.parametrize(("asked", "limits"), [("3600", {"deadline": 1e6}), ("61", {}), ("50", {"deadline": 40})])
def test_a_server_that_asks_for_more_than_we_wait_is_not_asked_again(talk, asked, limits):
    one = talk(Reply(429, headers={"Retry-After": asked}), OK, **limits)
    error = failure(one)
    assert (len(one.server.requests), one.clock.slept, error.kind) == (1, [], "rate_limit")
    assert f"it asks to wait {asked} s" in str(error)


def test_pauses_count_against_the_deadline(talk):
    one = talk(Reply(429, headers={"Retry-After": "30"}), deadline=100, retries=50)
    failure(one)
    assert one.clock.slept == [30, 30, 30]


# ---- deadlines and sizes -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "slow",
    [
        Reply(body={"answer": 7}, delay=9),
        Reply(body={"answer": 7}, drip=0.1),
        Reply(body={"answer": 7}, drip=0.1, drip_from=20),
        Reply(body={"answer": 7, "padding": "x" * 200}, drip=0.1, drip_from=90),
        Reply(raw=b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + b"1\r\n \r\n" * 99, drip=0.05, drip_from=50),
    ],
    ids=["hangs", "drips its status line", "drips its headers", "drips its body", "drips chunks"],
)
def test_no_server_outlasts_the_deadline(talk, slow):
    one = talk(slow, OK, deadline=0.3)
    begun = time.monotonic()
    error = failure(one)
    assert 0.3 <= time.monotonic() - begun < 1.3
    assert error.kind == "deadline"
    assert str(error) == f"POST {one.server.url}/v1/path: no whole answer within the deadline of 0.3 s"
    assert len(one.server.requests) == 1
    assert ask(one) == 7, "the connections are as good as new"


def test_the_deadline_is_for_all_requests_of_a_call(talk):
    one = talk(Reply(500, delay=0.2, headers={"Retry-After": "0"}), retries=50, deadline=1.0)
    begun = time.monotonic()
    assert failure(one).kind == "deadline"
    assert time.monotonic() - begun < 2.0
    assert 1 < len(one.server.requests) <= 5


def test_a_reply_over_the_size_is_refused_before_it_is_all_there(talk):
    endless = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n" + b"[" + b"0," * 2_000_000
    one = talk(Reply(raw=endless), max_response_mb=0.5)
    error = failure(one)
    assert (error.kind, len(one.server.requests)) == ("reply", 1)
    assert "the answer is over max_response_mb=0.5" in str(error)


def test_a_reply_at_the_size_is_read(talk):
    padding = "x" * (500_000 - len(json.dumps({"answer": 7, "padding": ""})))
    assert ask(talk(Reply(body={"answer": 7, "padding": padding}), max_response_mb=0.5)) == 7
    assert failure(talk(Reply(body={"answer": 7, "padding": padding + "x"}), max_response_mb=0.5)).kind == "reply"


# ---- where requests go -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("status", [301, 302, 307, 308])
def test_no_redirect_is_followed_and_the_key_goes_nowhere_else(talk, monkeypatch, status):
    monkeypatch.setenv("MY_KEY", "canary-0123456789")
    with scripted(OK) as other:
        one = talk(Reply(status, headers={"Location": f"{other.url}/v1/path"}), key_env="MY_KEY")
        error = failure(one)
        assert (other.requests, error.kind) == ([], "request")
    assert f"it is moved to {other.url}/v1/path: write that address instead" in str(error)
    assert one.server.requests[0].headers["authorization"] == "Bearer canary-0123456789"


def test_no_key_no_header(talk):
    one = talk(OK)
    ask(one)
    assert "authorization" not in one.server.requests[0].headers


@pytest.mark.parametrize("trust_env", [False, True])
def test_a_proxy_of_the_environment_is_used_when_asked_for(talk, monkeypatch, trust_env):
    for name in ("no_proxy", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)
    with scripted(Reply(body={"answer": "of the proxy"})) as proxy:
        for name in ("http_proxy", "HTTP_PROXY", "ALL_PROXY"):
            monkeypatch.setenv(name, proxy.url)
        one = talk(OK, trust_env=trust_env)
        monkeypatch.setattr(connections, "_connections", cache(connections._connections.__wrapped__))
        assert ask(one) == ("of the proxy" if trust_env else 7)
        made = connections._connections(os.getpid(), trust_env)
        asyncio.run_coroutine_threadsafe(made.aclose(), connections._loop(os.getpid())).result()


def test_a_connection_is_used_again(talk):
    one = talk(OK)
    for _ in range(5):
        ask(one)
    assert {request.connection for request in one.server.requests} == {0}


def test_what_is_sent(talk):
    one = talk(OK)
    one.client.call("/path", {"model": "m", "text": "é\ud800 \U0001f600"}, lambda reply: reply)
    one.client.look_up("/api/tags", lambda reply: reply)
    posted, got = one.server.requests
    assert (posted.method, posted.path, posted.headers["content-type"]) == ("POST", "/v1/path", "application/json")
    assert posted.json == {"model": "m", "text": "é\ud800 \U0001f600"}
    assert re.fullmatch(r"ragsweep/[\d.]+", posted.headers["user-agent"])
    assert (got.method, got.path, got.body) == ("GET", "/api/tags", b"")


# ---- what an error says ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("reply", "said"),
    [
        (HTML, "200 (text/html): <html><h1>It works!</h1>; that is no JSON"),
        (Reply(body=""), "200 (text/plain): nothing; that is no JSON"),
        (Reply(body='{"answer": 7'), '200 (text/plain): {"answer": 7; that is no JSON'),
        (Reply(body=b"\xff\xfe\x00"), "that is no JSON"),
        (Reply(body="[" * 100_000), "that is no JSON"),
        (Reply(body={"error": {"message": "out of memory"}}), '{"error": {"message": "out of memory"}}; that is an error'),
        (Reply(body={"error": "out of memory"}), "that is an error"),
        (Reply(body={"result": 7}), "{\"result\": 7}; that is not what was asked for: it lacks 'answer'"),
        (Reply(body=[7]), "that is not what was asked for: list indices must be integers"),
        (Reply(body="null"), "that is not what was asked for"),
        (Reply(400, body={"error": "messages is no list"}), '400 (application/json): {"error": "messages is no list"}'),
        (Reply(401, body="who?"), "401 (text/plain): who?; is the key in the environment variable of key_env the right one"),
        (Reply(404, body="404 page not found"), "404 page not found; a base_url mostly ends in /v1"),
        (Reply(404, body={"error": "model 'm' not found, try pulling it first"}), "; with Ollama: ollama pull m"),
    ],
)  # fmt: skip
def test_an_unusable_reply_is_described_and_asked_for_once(talk, reply, said):
    one = talk(reply, OK)
    error = failure(one)
    assert str(error).startswith(f"POST {one.server.url}/v1/path answered {reply.status} (")
    assert said in str(error)
    assert len(one.server.requests) == 1
    assert error.kind == {200: "reply", 401: "key"}.get(reply.status, "request")


def test_only_the_beginning_of_a_reply_is_shown_in_one_line(talk):
    error = failure(talk(Reply(400, body="a\n\n  b" + "c" * 10_000)))
    assert str(error).partition("): ")[2] == "a b" + "c" * 197


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity"])
def test_what_json_has_not_is_null(talk, number):
    one = talk(Reply(body=f'{{"answer": {number}}}'))
    assert one.client.call("/path", {}, lambda reply: reply["answer"]) is None


# ---- the account -------------------------------------------------------------------------------------------------------


def test_service_time_and_waiting_are_apart(talk):
    """The request that failed, and the pause after it, are waiting; together they are the whole call."""
    answer = Reply(body={"answer": 7, "usage": {"prompt_tokens": 5, "completion_tokens": 2}}, delay=0.3)
    one = talk(Reply(503, delay=0.8, headers={"Retry-After": "20"}), answer)
    begun = one.clock.monotonic()
    with recorded() as calls:
        ask(one)
    whole = one.clock.monotonic() - begun
    (call,) = calls
    assert (call.retries, call.input_tokens, call.output_tokens, call.failure) == (1, 5, 2, None)
    assert 0.3 <= call.seconds < 0.8
    assert 20.8 <= call.waited <= whole
    assert call.seconds + call.waited == pytest.approx(whole, abs=0.2)


def test_a_call_that_fails_is_put_on_record_with_its_kind(talk):
    with recorded() as calls:
        for reply in (Reply(500), Reply(401), Reply(body={}), Reply(delay=9)):
            failure(talk(reply, retries=2, deadline=100 if not reply.delay else 0.1))
    assert [(call.failure, call.retries) for call in calls] == [("server", 2), ("key", 0), ("reply", 0), ("deadline", 0)]
    assert [call.seconds > 0 for call in calls] == [False, False, True, False]


def test_what_a_server_tells_of_itself_is_no_call(talk):
    one = talk(OK)
    with recorded() as outer:
        one.client.look_up("/api/tags", lambda reply: reply)
        with recorded() as inner:
            ask(one)
    ask(one)
    assert (outer, [type(call) for call in inner]) == ([], [Call])
