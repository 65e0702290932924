"""openai: a model behind /v1/chat/completions, of OpenAI or of any server of that shape."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from ragsweep.generators.language_model import LanguageModel
from ragsweep.models import chat, windows
from ragsweep.models.chat import Completion, Sampling
from ragsweep.models.client import Client
from ragsweep.models.server import Server


@dataclass(frozen=True)
class OpenAI(LanguageModel):
    """vLLM, llama.cpp, LM Studio, OpenRouter and others by ``base_url``. ``seed`` None leaves it to the server."""

    base_url: str = "https://api.openai.com/v1"
    seed: int | None = None

    def ready(self) -> "OpenAI":
        """Itself. Raises InputError when the key is not there."""
        self.server.key()
        return self

    @property
    def known_window(self) -> int | None:
        """Tokens of prompt and reply: as written, or as the server says."""
        return self.window if self.window is not None else _window(self.server, self.model)

    @property
    def sampling(self) -> Sampling:
        """How the model is asked."""
        return replace(super().sampling, seed=self.seed)

    def complete(self, client: Client, system: str, prompt: str, schema: Mapping[str, Any] | None) -> Completion:
        """See ``ragsweep.models.chat.complete``."""
        return chat.complete(client, self.sampling, system, prompt, schema, self.known_window)


@cache
def _window(server: Server, model: str) -> int | None:
    """Asked for once a process: such servers load a model with one window."""
    return windows.window(Client(server), model)
