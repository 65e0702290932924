"""Parts that count their calls in the file FAKES_LOG, one line a call; installed for the child processes of fault tests."""

import os
import time
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import numpy as np

from ragsweep.types import Answer


def count(*what):
    """Which call this is, from 1, of all processes."""
    log = Path(os.environ["FAKES_LOG"])
    with log.open("ab", buffering=0) as file:
        file.write(("\t".join(map(str, what)) + "\n").encode())
        end = file.tell()
    return log.read_bytes()[:end].count(b"\n")


def hold(question, number):
    """Wait, at the question FAKES_HOLD and at every one after the first FAKES_MOST, for the file FAKES_GO."""
    held = question == os.environ.get("FAKES_HOLD") or number > int(os.environ.get("FAKES_MOST", number))
    while held and not Path(os.environ["FAKES_GO"]).exists():
        time.sleep(0.005)


@dataclass(frozen=True)
class Slow:
    """Answers the first chunk after ``seconds``; ``name`` tells setups apart."""

    seconds: float = 0.0
    name: str = ""
    memory_mb: int | None = None
    version: ClassVar[int] = 1
    needs: ClassVar[frozenset[str]] = frozenset({"generator"})

    def generate(self, index, question, vectors, chunks):
        hold(question, count("asked", self.name, question))
        time.sleep(self.seconds)
        if self.memory_mb is not None:
            import resource

            resource.setrlimit(resource.RLIMIT_AS, (self.memory_mb * 1_000_000,) * 2)
            bytearray(self.memory_mb * 2_000_000)
        if os.environ.get("FAKES_FAIL") == question:
            raise ValueError("told to fail")
        return Answer("said", False, tuple(hit.chunk for hit in chunks[:1]))

    def route(self, question):
        return (question,)

    def check(self, index, question, vectors, chunks):
        return True

    def rewrite(self, question, attempt):
        return question


@dataclass(frozen=True)
class Counting:
    """Embeds a text as its numbers of letters, and counts it."""

    seconds: float = 0.0
    version: ClassVar[int] = 1
    needs: ClassVar[frozenset[str]] = frozenset()
    model: ClassVar[str] = "letters"
    query_prefix: ClassVar[str] = ""
    passage_prefix: ClassVar[str] = ""

    def embed(self, texts):
        for text in texts:
            if text != "warm-up":
                count("embedded", text.replace("\n", " "))
        time.sleep(self.seconds * len(texts))
        counts = np.array([[text.count(letter) for letter in "abcdefgh"] for text in texts], dtype=np.float32)
        return counts / np.maximum(np.linalg.norm(counts, axis=1, keepdims=True), 1e-9)

    def over_window(self, texts):
        return [False] * len(texts)


@dataclass(frozen=True)
class Raises:
    """A chunker that is broken."""

    version: ClassVar[int] = 1
    needs: ClassVar[frozenset[str]] = frozenset()

    def split(self, document):
        raise ValueError("broken on purpose")
