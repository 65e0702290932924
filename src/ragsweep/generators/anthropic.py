"""anthropic: a model behind Anthropic's /v1/messages."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ragsweep.generators.language_model import LanguageModel
from ragsweep.models import anthropic
from ragsweep.models.chat import Completion
from ragsweep.models.client import Client


@dataclass(frozen=True)
class Anthropic(LanguageModel):
    """It takes no seed and no schema: JSON is asked for in words alone. The server does not tell its window."""

    base_url: str = "https://api.anthropic.com/v1"

    def ready(self) -> "Anthropic":
        """Itself. Raises InputError when the key is not there."""
        self.server.key()
        return self

    def complete(self, client: Client, system: str, prompt: str, schema: Mapping[str, Any] | None) -> Completion:
        """See ``ragsweep.models.anthropic.complete``."""
        return anthropic.complete(client, self.sampling, system, prompt, self.window)
