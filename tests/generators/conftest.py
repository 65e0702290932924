"""A language model that says what it is told, behind the shapes of all servers, and a project that asks it."""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest

from scripted_server import Reply, Request, ScriptedServer, scripted


def said(text: str, *, end: str = "stop", tokens: tuple[int, int] | None = (300, 20), **message: Any) -> Reply:
    """A chat completion."""
    usage = {"usage": {"prompt_tokens": tokens[0], "completion_tokens": tokens[1]}} if tokens else {}
    return Reply(body={"choices": [{"message": {"content": text, **message}, "finish_reason": end}], **usage})


def decided(**values: Any) -> Reply:
    """A reply of JSON."""
    return said(json.dumps(values))


@dataclass
class Model:
    """``answer(request)`` replies to each chat; the window is 4,096 tokens. ``chats`` are what was asked."""

    answer: Callable[[Request], Reply] = lambda request: said("ANSWERABLE: yes\nStaff have 25 days [1].")
    digest: str = "ab" * 32
    chats: list[Request] = field(default_factory=list)
    server: ScriptedServer | None = None

    def __call__(self, request: Request) -> Reply:
        told = {
            "/v1/models": {"data": [{"id": "m", "max_model_len": 4096}]},
            "/api/tags": {"models": [{"model": "m:latest", "digest": self.digest}]},
            "/api/ps": {"models": [{"model": "m:latest", "context_length": 4096}]},
        }
        if request.path in told:
            return Reply(body=told[request.path])
        self.chats.append(request)
        return self.answer(request)

    @property
    def url(self) -> str:
        assert self.server
        return f"{self.server.url}/v1"

    def system(self, place: int = -1) -> str:
        return str(self.chats[place].json["messages"][0]["content"])

    def prompt(self, place: int = -1) -> str:
        return str(self.chats[place].json["messages"][-1]["content"])


@pytest.fixture
def model(monkeypatch: pytest.MonkeyPatch) -> Iterator[Model]:
    """A running one."""
    model = Model()
    with scripted(model) as model.server:
        yield model


@pytest.fixture
def ask_all(project: Any, model: Model) -> Callable[..., Any]:
    """Run, or plan, the project's three questions over its two files with the model as generator."""

    def run(*overrides: str, command: str = "run", generator: str = "openai") -> Any:
        for path in project.root.rglob("questions.json"):  # every question is to find a chunk by its words
            path.write_text(path.read_text("utf-8").replace("Is there a gym?", "Is there a gym for staff?"), "utf-8")
        own = [f"generator={generator}", f"generator.base_url={model.url}", "generator.model=m", "generator.limits.retries=0"]
        return project.files(command, "rag_type=simple", *own, *overrides)

    return run
