"""openai: an embedding model behind /v1/embeddings, of OpenAI or of any server of that shape."""

from dataclasses import dataclass

from ragsweep.embedders.served import Served


@dataclass(frozen=True)
class OpenAI(Served):
    """vLLM, llama.cpp, LM Studio, Jina, Voyage and others by ``base_url``."""

    base_url: str = "https://api.openai.com/v1"

    def ready(self) -> "OpenAI":
        """Itself. Raises InputError when the key is not there."""
        self.server.key()
        return self
