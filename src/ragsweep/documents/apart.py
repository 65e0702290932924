"""Files whose bytes may make a parser run long or grow are parsed by child processes, one file after another, within limits."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import suppress
from dataclasses import asdict
from queue import SimpleQueue
from threading import Event, Timer

from ragsweep.documents.content import Limits, Settings, raise_limit
from ragsweep.documents.parsing import from_json
from ragsweep.errors import InputError
from ragsweep.types import Document

_ANSWER_PER_CHARACTER = 12  # bytes of JSON: "\ud83d\ude00"
_GRACE = 5  # seconds for a process that stopped answering to be gone
_ANSWER_BESIDES = 100_000_000  # spans of pages, headings and blocks


def parse_apart(
    files: Sequence[tuple[bytes, str]], settings: Settings, n_jobs: int
) -> Iterator[tuple[str, Document | InputError]]:
    """(id, document or why there is none) of every (bytes, id), as they finish, by ``n_jobs`` processes."""
    children = [_Child(settings) for _ in range(min(n_jobs, len(files)))]
    idle: SimpleQueue[_Child] = SimpleQueue()
    for child in children:
        idle.put(child)

    def parse(data: bytes, id: str) -> tuple[str, Document | InputError]:
        child = idle.get()
        try:
            return id, child.parse(data, id)
        except InputError as error:
            return id, error
        finally:
            idle.put(child)

    pool = ThreadPoolExecutor(max(1, len(children)))
    try:
        for done in as_completed([pool.submit(parse, data, id) for data, id in files]):
            yield done.result()
    finally:
        pool.shutdown(wait=False, cancel_futures=True)
        for child in children:
            child.end()


class _Child:
    """A process that parses files, started when the first one comes, and again after each that failed."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._process: subprocess.Popen[bytes] | None = None

    def parse(self, data: bytes, id: str) -> Document:
        """The document. Raises InputError when there is none, or it would cost more than the limits."""
        process = self._process = self._process or _start(self._settings)
        late = Event()

        def stop() -> None:
            late.set()
            process.kill()

        timer = Timer(self._settings.limits.seconds, stop)
        timer.start()
        try:
            answer = _ask(process, data, id, self._settings.limits.characters)
        finally:
            timer.cancel()
        if not answer.endswith(b"\n"):
            why = _why(process, self._settings.limits, is_late=late.is_set())
            self.end()
            raise InputError(f"{id!r} {why}")
        found = json.loads(answer)
        if "error" in found:
            self.end()  # with what the file left in its memory
            raise InputError(found["error"])
        return from_json(found["document"])

    def end(self) -> None:
        """Kill the process, if there is one."""
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            with suppress(BrokenPipeError), process:
                pass


def _start(settings: Settings) -> "subprocess.Popen[bytes]":
    # -P: a file in the current folder that is named like a module is not run.
    command = [sys.executable, "-P", "-m", "ragsweep.documents.child", json.dumps(asdict(settings)), str(os.getpid())]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)


def _ask(process: "subprocess.Popen[bytes]", data: bytes, id: str, characters: int) -> bytes:
    """The answer of a child; no whole line when it ended."""
    request, answers = process.stdin, process.stdout
    if request is None or answers is None:
        return b""
    with suppress(BrokenPipeError):
        request.write(json.dumps({"id": id, "size": len(data)}).encode() + b"\n" + data)
        request.flush()
    return answers.readline(_ANSWER_BESIDES + _ANSWER_PER_CHARACTER * characters)


def _why(process: "subprocess.Popen[bytes]", limits: Limits, *, is_late: bool) -> str:
    """Why a child gave no answer."""
    try:
        code = process.wait(_GRACE)
    except subprocess.TimeoutExpired:
        return f"has more text than can be: {raise_limit('characters')}"
    if is_late:
        return f"takes more than {limits.seconds} s: {raise_limit('seconds')}"
    if code == -signal.SIGXCPU:
        return f"takes more than {limits.cpu_seconds} s of processor time: {raise_limit('cpu_seconds')}"
    how = signal.Signals(-code).name if code < 0 else f"exit code {code}"
    return f"ended the process that parsed it ({how}; is its memory short?): {raise_limit('memory_mb')}"
