"""One request over connections that are kept, within an overall time and size.

httpx limits each read, so a server that sends its headers, or its body, a byte at a time outlasts any of its
timeouts. Cancelling a task ends looking up a name, connecting, TLS, headers and body alike: requests run in an event loop of
a thread of its own, and whoever asks waits. Nobody else here is asynchronous.
"""

import asyncio
import os
from functools import cache
from threading import Lock, Thread

import httpx

CONNECT_SECONDS = 10.0
KEEP_SECONDS = 60.0

_making = Lock()  # a cache alone lets two threads make one each


class TooLargeError(Exception):
    """A reply went over the size that was allowed."""


def exchange(request: httpx.Request, seconds: float, most_bytes: int, trust_env: bool) -> tuple[httpx.Response, bytes]:
    """The response and its whole body, decompressed; redirects are not followed.

    Raises TimeoutError when it is not there in time, TooLargeError, and whatever httpx raises.
    """
    connections, loop = opened(trust_env)
    answer = asyncio.run_coroutine_threadsafe(_exchange(connections, request, seconds, most_bytes), loop)
    try:
        return answer.result()
    except BaseException:
        answer.cancel()  # Ctrl-C leaves no request behind
        raise


def opened(trust_env: bool) -> tuple[httpx.AsyncClient, asyncio.AbstractEventLoop]:
    """The kept connections of this process and their loop, made at the first call: a tenth of a second that is no server's."""
    with _making:
        return _connections(os.getpid(), trust_env), _loop(os.getpid())


async def _exchange(
    connections: httpx.AsyncClient, request: httpx.Request, seconds: float, most_bytes: int
) -> tuple[httpx.Response, bytes]:
    request.extensions["timeout"] = {"connect": CONNECT_SECONDS}
    async with asyncio.timeout(seconds):
        response = await connections.send(request, stream=True)
        body = bytearray()
        try:
            async for part in response.aiter_bytes():
                body += part
                if len(body) > most_bytes:
                    raise TooLargeError
        finally:
            await response.aclose()
        return response, bytes(body)


@cache
def _connections(process: int, trust_env: bool) -> httpx.AsyncClient:
    """The kept connections of this process: a forked one must not speak over those of its parent."""
    return httpx.AsyncClient(trust_env=trust_env, limits=httpx.Limits(keepalive_expiry=KEEP_SECONDS))


@cache
def _loop(process: int) -> asyncio.AbstractEventLoop:
    loop = asyncio.new_event_loop()
    Thread(target=loop.run_forever, name="model servers", daemon=True).start()
    return loop
