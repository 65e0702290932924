"""One call to a model server: its requests, the pauses between them, and its one end, a value or a ServerError."""

import json
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any, TypeVar

import httpx
from tenacity import RetryCallState, Retrying, retry_if_exception, wait_random_exponential

from ragsweep import __version__, files
from ragsweep.errors import Failure, ServerError
from ragsweep.files import Clock
from ragsweep.models import calls, sharing
from ragsweep.models.connections import TooLargeError, exchange, opened
from ragsweep.models.server import Server
from ragsweep.places import servers_folder
from ragsweep.redaction import redact
from ragsweep.types import Call

T = TypeVar("T")

MOST_PAUSE = 60.0
"""Seconds of the longest pause before a retry; a server that asks for a longer one is not asked again."""
SHOWN_CHARACTERS = 200
RETRIED: frozenset[Failure] = frozenset({"connection", "rate_limit", "server"})
LASTING = {501, 505}
"""Server errors that the same request meets again (RFC 9110: not implemented, version not supported)."""

_full_jitter = wait_random_exponential(multiplier=1, max=MOST_PAUSE)


class Client:
    """Talks to one server within its limits. ``clock`` is ``time``, but for tests."""

    def __init__(self, server: Server, clock: Clock = time) -> None:
        self.server = server
        self._clock = clock

    def call(self, path: str, body: Mapping[str, Any], read: Callable[[Any], T], headers: Mapping[str, str] | None = None) -> T:
        """POST JSON to ``path`` behind ``base_url``: what ``read`` makes of the JSON that comes back.

        ``read`` raises ValueError, or what a missing key or a wrong type raises, for a reply that it cannot use. ``headers``
        None is the key as a bearer token. Raises ServerError. The call is put on record (``ragsweep.models.calls``).
        """
        url, model = self.server.base_url + path, str(body.get("model", ""))
        call = _Call(self.server, self._clock)
        answers = sharing.answers(body)
        if answers is not None and (found := answers.find(url, body, read)) is not None:
            value, reply, seconds = found
            calls.record(Call(0, seconds, call.waited, *calls.tokens(reply), model=model, shared=True))
            return value

        def record(made: Call, reply: Any) -> None:
            calls.record(replace(made, model=model))
            if answers is not None and made.failure is None:
                answers.keep(reply, made.seconds)

        return call.make(self._request(url, body, headers), read, record)

    def look_up(self, path: str, read: Callable[[Any], T], body: Mapping[str, Any] | None = None) -> T:
        """As ``call``, for what a server tells of itself: behind ``server.root``, a GET without ``body``, and not on record."""
        return _Call(self.server, self._clock).make(
            self._request(self.server.root + path, body), read, lambda call, reply: None
        )

    def _request(self, url: str, body: Mapping[str, Any] | None, headers: Mapping[str, str] | None = None) -> httpx.Request:
        key = self.server.key()
        if headers is None:
            headers = {"Authorization": f"Bearer {key}"} if key else {}
        headers = {"User-Agent": f"ragsweep/{__version__}", "Accept": "application/json", **headers}
        if body is None:
            return httpx.Request("GET", url, headers=headers)
        content = files.strict_json(body)
        return httpx.Request("POST", url, headers={"Content-Type": "application/json", **headers}, content=content)


@dataclass(frozen=True, slots=True)
class _Answer:
    """What came back for a request."""

    request: httpx.Request
    response: httpx.Response
    body: bytes

    def described(self) -> str:
        """Where it comes from, its status and type, and how it begins; without secrets."""
        text = redact(self.body[: 50 * SHOWN_CHARACTERS].decode("utf-8", "replace"))
        begins = " ".join(text.split())[:SHOWN_CHARACTERS] or "nothing"
        kind = redact(self.response.headers.get("content-type", "no content type"))
        return f"{self.request.method} {self.request.url} answered {self.response.status_code} ({kind}): {begins}"


class _Call:
    """The requests of one call. ``left`` are the seconds of its deadline that are not used up."""

    def __init__(self, server: Server, clock: Clock) -> None:
        self.limits, self.clock = server.limits, clock
        self.folder = servers_folder() / files.slug(server.origin)
        self.left = server.limits.deadline
        self.requests = 0
        self.seconds = 0.0
        self.begun = clock.monotonic()

    def make(self, request: httpx.Request, read: Callable[[Any], T], record: Callable[[Call, Any], object]) -> T:
        """Ask until there is an answer, or no more asking; ``record`` is given the call and what was answered."""
        retrying = Retrying(
            retry=retry_if_exception(lambda error: isinstance(error, ServerError) and error.kind in RETRIED),
            wait=_pause,
            stop=self._is_over,
            sleep=self._sleep,
            reraise=True,
        )
        failure: Failure | None = None
        reply: Any = None
        try:
            answer = retrying(self._ask, request)
            reply = _parsed(answer)
            return _read(reply, read, answer)
        except ServerError as error:
            failure = error.kind
            # the message says what the chain of httpx, httpcore and anyio would fill run.log with
            raise ServerError(f"{error}{self._story(error)}", error.kind, error.status, error.retry_after) from None
        finally:
            record(Call(max(0, self.requests - 1), self.seconds, self.waited, *calls.tokens(reply), failure), reply)

    @property
    def waited(self) -> float:
        """Seconds since the call began, without those of service."""
        return self.clock.monotonic() - self.begun - self.seconds

    def _ask(self, request: httpx.Request) -> _Answer:
        """One request that is answered with status 200."""
        gap = 60 / self.limits.requests_per_minute if self.limits.requests_per_minute else 0.0
        with files.slot(self.folder, self.limits.max_concurrent, gap, self.clock):
            self.requests += 1
            opened(self.limits.trust_env)
            begun = self.clock.monotonic()
            try:
                answer = self._exchange(request)
            finally:
                seconds = self.clock.monotonic() - begun
                self.left -= seconds
        if answer.response.status_code != 200:
            raise _refusal(answer)
        self.seconds = seconds
        return answer

    def _exchange(self, request: httpx.Request) -> _Answer:
        """Whatever goes wrong below is mapped here, and nowhere else."""
        where = f"{request.method} {request.url}"
        most_bytes = int(self.limits.max_response_mb * 1e6)
        try:
            return _Answer(request, *exchange(request, max(0.0, self.left), most_bytes, self.limits.trust_env))
        except TimeoutError:
            late = f"{where}: no whole answer within the deadline of {self.limits.deadline:g} s"
            raise ServerError(late, "deadline") from None
        except TooLargeError:
            raise ServerError(f"{where}: the answer is over max_response_mb={self.limits.max_response_mb:g}", "reply") from None
        except httpx.TransportError as error:
            broke = redact(f"{type(error).__name__} {error}".strip())
            raise ServerError(f"{where}: no answer ({broke}); is the server running?", "connection") from None
        except httpx.HTTPError as error:
            raise ServerError(f"{where}: the answer cannot be read: {redact(str(error))}", "reply") from None

    def _is_over(self, state: RetryCallState) -> bool:
        """After the last retry, and before a pause that the deadline, or MOST_PAUSE, has no room for."""
        return state.attempt_number > self.limits.retries or state.upcoming_sleep > min(MOST_PAUSE, self.left)

    def _sleep(self, seconds: float) -> None:
        self.left -= seconds
        self.clock.sleep(seconds)

    def _story(self, error: ServerError) -> str:
        """How the call went on before its last answer."""
        asked = f"; it asks to wait {error.retry_after:.0f} s" if error.retry_after is not None else ""
        return asked + (f" ({self.requests} requests)" if self.requests > 1 else "")


def _pause(state: RetryCallState) -> float:
    """The seconds that the server asks for, else a random share of 1, 2, 4, ... seconds."""
    error = state.outcome.exception() if state.outcome else None
    asked = error.retry_after if isinstance(error, ServerError) else None
    return asked if asked is not None else _full_jitter(state)


# ---- replies -----------------------------------------------------------------------------------------------------------


def _refusal(answer: _Answer) -> ServerError:
    status = answer.response.status_code
    kind: Failure = "request"
    if status == 429:
        kind = "rate_limit"
    elif status == 408 or (status >= 500 and status not in LASTING):
        kind = "server"
    elif status in (401, 403):
        kind = "key"
    said = answer.described()
    return ServerError(f"{said}{_advice(answer, said)}", kind, status, _retry_after(answer.response))


def _advice(answer: _Answer, said: str) -> str:
    """What to do, where the status tells."""
    response = answer.response
    if response.has_redirect_location:
        moved = answer.request.url.join(response.headers["location"])
        return f"; it is moved to {redact(str(moved))}: write that address instead"
    if response.status_code in (401, 403):
        return "; is the key in the environment variable of key_env the right one for this server?"
    if response.status_code == 404:
        asked = json.loads(answer.request.content or b"{}")
        model = asked.get("model")
        if model and str(model) in said and "not found" in said:  # as Ollama says it
            return f"; with Ollama: ollama pull {model}"
        if "question" in asked:  # a system of the user's own, whose address is all of it
            return "; is that the whole address at which it is asked?"
        return "; a base_url mostly ends in /v1"
    return ""


def _retry_after(response: httpx.Response) -> float | None:
    """Seconds, given as such or as a date (RFC 9110), which is compared with the server's own clock; None without."""
    asked = response.headers.get("retry-after", "")
    try:
        return max(0.0, float(asked)) if asked.isdigit() else max(0.0, (_date(asked) - _now(response)).total_seconds())
    except ValueError:
        return None


def _now(response: httpx.Response) -> datetime:
    try:
        return _date(response.headers.get("date", ""))
    except ValueError:
        return datetime.now(UTC)


def _date(text: str) -> datetime:
    date = parsedate_to_datetime(text)
    return date if date.tzinfo else date.replace(tzinfo=UTC)


def _parsed(answer: _Answer) -> Any:
    """JSON, in which NaN and Infinity, which JSON has not, are null. Raises ServerError for anything else."""
    try:
        reply = json.loads(answer.body, parse_constant=lambda name: None)
    except (ValueError, RecursionError):
        raise ServerError(f"{answer.described()}; that is no JSON", "reply", 200) from None
    if isinstance(reply, dict) and reply.get("error"):
        raise ServerError(f"{answer.described()}; that is an error", "reply", 200)
    return reply


def _read(reply: Any, read: Callable[[Any], T], answer: _Answer) -> T:
    try:
        return read(reply)
    except (LookupError, TypeError, ValueError, AttributeError) as error:
        lacks = f"it lacks {error}" if isinstance(error, LookupError) else str(error)
        raise ServerError(f"{answer.described()}; that is not what was asked for: {redact(lacks)}", "reply", 200) from error
