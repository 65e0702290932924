"""ollama: an embedding model of an Ollama server, through its own /v1; its digest and its window by its native API."""

from dataclasses import dataclass, replace

from ragsweep.embedders.served import Served
from ragsweep.models import ollama
from ragsweep.models.client import Client


@dataclass(frozen=True)
class Ollama(Served):
    """``digest`` is the model's content; None is asked for when the plan is made, so that a pulled update embeds anew.

    The prefixes are those that nomic-embed-text was trained with; other models have others.
    """

    model: str = "nomic-embed-text"
    base_url: str = "http://localhost:11434/v1"
    query_prefix: str = "search_query: "
    passage_prefix: str = "search_document: "
    digest: str | None = None

    def ready(self) -> "Ollama":
        """With its digest and window. Raises InputError without its key, ServerError without server or model."""
        self.server.key()
        client = Client(self.server.at_once())
        digest = ollama.digest(client, self.model)
        window = self.window if self.window is not None else ollama.embedding_window(client, self.model)
        return replace(self, digest=digest, window=window)
