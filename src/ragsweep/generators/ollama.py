"""ollama: a model of an Ollama server, through its own /v1; its digest and its window by its native API."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from ragsweep.generators.language_model import LanguageModel
from ragsweep.models import chat, ollama
from ragsweep.models.chat import Completion, Sampling
from ragsweep.models.client import Client
from ragsweep.models.server import Server

_windows: dict[tuple[Server, str], int] = {}


@dataclass(frozen=True)
class Ollama(LanguageModel):
    """``digest`` is the model's content; None is asked for when the plan is made, so that a pulled update is another setup."""

    model: str = "gemma3:4b"
    base_url: str = "http://localhost:11434/v1"
    seed: int | None = None
    digest: str | None = None

    def ready(self) -> "Ollama":
        """With its digest. Raises InputError without a key that it should have, ServerError without server or model."""
        self.server.key()
        return replace(self, digest=ollama.digest(Client(self.server.at_once()), self.model))

    @property
    def known_window(self) -> int | None:
        """Tokens of prompt and reply: as written, or as the server says of the loaded model."""
        return self.window if self.window is not None else _window(self.server, self.model)

    @property
    def sampling(self) -> Sampling:
        """How the model is asked."""
        return replace(super().sampling, seed=self.seed)

    def complete(self, client: Client, system: str, prompt: str, schema: Mapping[str, Any] | None) -> Completion:
        """See ``ragsweep.models.chat.complete``."""
        return chat.complete(client, self.sampling, system, prompt, schema, self.known_window)


def _window(server: Server, model: str) -> int | None:
    """Known when the model is loaded: until then it is asked for again."""
    if (server, model) not in _windows:
        window = ollama.window(Client(server), model)
        if window is None:
            return None
        _windows[server, model] = window
    return _windows[server, model]
