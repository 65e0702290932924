"""An HTTP server on 127.0.0.1 that does what it is told, request by request, and remembers what it was asked."""

import json
import socket
import socketserver
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.client import parse_headers
from typing import Any, TypeAlias


@dataclass(frozen=True)
class Request:
    """What came in. Header names are in lower case."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes
    connection: int
    """Which of the connections it came over, from 0."""

    @property
    def json(self) -> Any:
        return json.loads(self.body)


@dataclass(frozen=True)
class Reply:
    """What goes out. A ``body`` that is neither bytes nor text is sent as JSON.

    ``delay`` is in seconds before the first byte, ``drip`` in seconds before each byte from the place ``drip_from`` on (0: the
    status line). ``cut``: the connection ends after so many bytes. ``raw`` is sent in place of everything.
    """

    status: int = 200
    body: Any = b""
    headers: dict[str, str] = field(default_factory=dict)
    delay: float = 0.0
    drip: float = 0.0
    drip_from: int = 0
    cut: int | None = None
    raw: bytes | None = None
    close: bool = False
    """End the connection after the reply, without having said so."""

    def message(self) -> bytes:
        if self.raw is not None:
            return self.raw
        body, kind = self.body, "text/plain"
        if not isinstance(body, bytes | str):
            body, kind = json.dumps(body), "application/json"
        body = body.encode() if isinstance(body, str) else body
        headers = {"Content-Type": kind, "Content-Length": str(len(body)), **self.headers}
        head = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
        return f"HTTP/1.1 {self.status} Scripted\r\n{head}\r\n".encode() + body


Behaviour: TypeAlias = Reply | Callable[[Request], Reply]


class ScriptedServer(socketserver.ThreadingTCPServer):
    """``behaviours[n]`` answers request n, the last one all that follow. ``requests`` are those that came in whole."""

    daemon_threads = True
    request_queue_size = 64

    def __init__(self, *behaviours: Behaviour) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.behaviours = behaviours
        self.requests: list[Request] = []
        self.most_at_once = 0
        self._now = 0
        self._connections: list[socket.socket] = []
        self._guard = threading.Lock()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"

    @contextmanager
    def taking(self, request: Request) -> Iterator[Reply]:
        with self._guard:
            place = len(self.requests)
            self.requests.append(request)
            self._now += 1
            self.most_at_once = max(self.most_at_once, self._now)
        behaviour = self.behaviours[min(place, len(self.behaviours) - 1)]
        try:
            yield behaviour if isinstance(behaviour, Reply) else behaviour(request)
        finally:
            with self._guard:
                self._now -= 1

    def opened(self, connection: socket.socket) -> int:
        with self._guard:
            self._connections.append(connection)
            return len(self._connections) - 1

    def stop(self) -> None:
        self.shutdown()
        for connection in self._connections:
            with suppress(OSError):  # it is closed
                connection.shutdown(socket.SHUT_RDWR)
        self.server_close()

    def handle_error(self, request: Any, client_address: Any) -> None:
        pass  # whoever asked went away


class _Handler(socketserver.StreamRequestHandler):
    server: ScriptedServer
    disable_nagle_algorithm = True

    def handle(self) -> None:
        connection = self.server.opened(self.connection)
        while line := self.rfile.readline():
            method, path, _ = line.decode().split(" ")
            headers = {name.lower(): value for name, value in parse_headers(self.rfile).items()}
            body = self.rfile.read(int(headers.get("content-length", 0)))
            with self.server.taking(Request(method, path, headers, body, connection)) as reply:
                time.sleep(reply.delay)
                self._send(reply)
            if reply.cut is not None or reply.raw is not None or reply.close:
                return

    def _send(self, reply: Reply) -> None:
        message = reply.message()[: reply.cut]
        at_once = len(message) if not reply.drip else reply.drip_from
        self.wfile.write(message[:at_once])
        for place in range(at_once, len(message)):
            time.sleep(reply.drip)
            self.wfile.write(message[place : place + 1])


@contextmanager
def scripted(*behaviours: Behaviour) -> Iterator[ScriptedServer]:
    """A running server, for the length of a with."""
    server = ScriptedServer(*behaviours)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.stop()
        thread.join()
