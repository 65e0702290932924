"""A client of a scripted server whose pauses take no time."""

import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from ragsweep.models.client import Client
from ragsweep.models.server import Limits, Server
from scripted_server import Behaviour, ScriptedServer, scripted


@dataclass
class Clock:
    """The real one, but for sleeping: it jumps ahead. ``slept`` are the pauses that were asked for."""

    slept: list[float] = field(default_factory=list)

    def monotonic(self) -> float:
        return time.monotonic() + sum(self.slept)

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)


@dataclass
class Talk:
    """A scripted server and a client of it."""

    server: ScriptedServer
    client: Client
    clock: Clock


@pytest.fixture(autouse=True)
def own_outputs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAGSWEEP_OUTPUTS", str(tmp_path / "outputs"))


@pytest.fixture
def talk() -> Iterator[Callable[..., Talk]]:
    """``talk(behaviour, ...)``: a server that does so, and a client. Limits, and ``key_env``, by name."""
    with ExitStack() as stack:

        def start(*behaviours: Behaviour, key_env: str | None = None, **limits: Any) -> Talk:
            server = stack.enter_context(scripted(*behaviours))
            clock = Clock()
            return Talk(server, Client(Server(f"{server.url}/v1", key_env, Limits(**limits)), clock), clock)

        yield start
