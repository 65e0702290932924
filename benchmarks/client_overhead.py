"""CPU that the client of ragsweep.models takes a request, beside bare httpx: python benchmarks/client_overhead.py [REQUESTS]

Both post the same JSON to a server in a process of its own, in turn, over kept connections. CPU is that of this whole process,
all threads; ours holds retries, the shared limit, the deadline, reading the reply and the account.
"""

import json
import multiprocessing
import os
import sys
import tempfile
import time
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from multiprocessing.connection import Connection
from statistics import median

import httpx

from ragsweep.models.chat import Sampling, complete
from ragsweep.models.client import Client
from ragsweep.models.server import Server

REPLY = json.dumps(
    {
        "choices": [{"message": {"role": "assistant", "content": "25 days. " * 20}, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 900, "completion_tokens": 60},
    }
).encode()
PROMPT = "Staff have 25 days of leave a year. " * 100


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(200)
        self.send_header("Content-Length", str(len(REPLY)))
        self.end_headers()
        self.wfile.write(REPLY)

    def log_message(self, *given: object) -> None:
        pass


def serve(port: Connection) -> None:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    port.send(server.server_address[1])
    server.serve_forever()


def main(requests: int) -> None:
    """Print the median CPU of both, and of their difference."""
    ours, theirs = multiprocessing.Pipe()
    process = multiprocessing.get_context("spawn").Process(target=serve, args=(theirs,), daemon=True)
    process.start()
    url = f"http://127.0.0.1:{ours.recv()}/v1"
    bare, client, sampling = httpx.Client(trust_env=False), Client(Server(url)), Sampling("m", 256)
    messages = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": PROMPT}]
    body = {"model": "m", "temperature": 0.0, "messages": messages, "max_tokens": 256}

    def taken(call: Callable[[], object]) -> float:
        begun = time.process_time()
        call()
        return (time.process_time() - begun) * 1000

    def both() -> tuple[float, float]:
        return (
            taken(lambda: bare.post(f"{url}/chat/completions", json=body).json()),
            taken(lambda: complete(client, sampling, "Be brief.", PROMPT)),
        )

    for _ in range(20):
        both()
    pairs = [both() for _ in range(requests)]
    httpx_ms, ours_ms = (median(column) for column in zip(*pairs, strict=True))
    print(f"CPU a request, median of {requests}: httpx {httpx_ms:.2f} ms, ragsweep {ours_ms:.2f} ms")
    print(f"client overhead: {median(our - their for their, our in pairs):.2f} ms")
    process.terminate()


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        os.environ["RAGSWEEP_OUTPUTS"] = folder
        main(int(sys.argv[1]) if len(sys.argv) > 1 else 500)
