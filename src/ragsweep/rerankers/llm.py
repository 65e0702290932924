"""llm: a language model puts the first chunks of the pool in order, in one call for a question."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any, ClassVar

from ragsweep.errors import InputError
from ragsweep.index import Index
from ragsweep.models import calls, replies, windows
from ragsweep.models.chat import Completion, Sampling, complete, smallest
from ragsweep.models.client import Client
from ragsweep.models.prompts import PromptTexts, fenced
from ragsweep.models.server import Limits, Server
from ragsweep.parts import Need, QueryVectors
from ragsweep.types import Hit, Probed

FORM = {
    "type": "object",
    "properties": {"ranking": {"type": "array", "items": {"type": "integer"}}},
    "required": ["ranking"],
    "additionalProperties": False,
}


@dataclass(frozen=True)
class Prompts(PromptTexts):
    """What the model is told."""

    rerank: str = "rerank.txt"


@dataclass(frozen=True)
class LLM:
    """A model behind /v1/chat/completions at ``base_url``; its fields are those of the generator openai.

    It is shown the first ``candidates`` of the pool (RankGPT, Sun et al., EMNLP 2023, without its sliding window).
    """

    model: str
    base_url: str = "https://api.openai.com/v1"
    key_env: str | None = None
    temperature: float = 0.0
    seed: int | None = None
    max_tokens: int = 512
    window: int | None = None
    candidates: int = 20
    prompts: Prompts = field(default_factory=Prompts)
    extra: Mapping[str, Any] = field(default_factory=dict)
    limits: Limits = field(default=Limits())

    version: ClassVar[int] = 1
    needs: ClassVar[frozenset[Need]] = frozenset({"server"})

    def __post_init__(self) -> None:
        if self.candidates < 2:
            raise InputError(f"candidates={self.candidates} must be 2 or more: one chunk has no order")
        _ = self.server, self.sampling  # wrong values are mistakes of the config

    @property
    def server(self) -> Server:
        """Where it is asked."""
        return Server(self.base_url, self.key_env, self.limits)

    @property
    def sampling(self) -> Sampling:
        """How the model is asked."""
        return Sampling(self.model, self.max_tokens, self.temperature, self.seed, self.extra)

    def ready(self) -> "LLM":
        """Itself. Raises InputError when the key is not there."""
        self.server.key()
        return self

    def probe(self) -> Probed:
        """A reply of one token. Raises ServerError."""

        def ask(tokens: int) -> Completion:
            sampling = replace(self.sampling, max_tokens=tokens)
            return complete(Client(self.server), sampling, "Answer in one word.", "Are you there?")

        smallest(ask, self.max_tokens)
        return Probed(self._known_window)

    def rerank(self, index: Index, query: str, vectors: QueryVectors, pool: Sequence[Hit]) -> list[Hit]:
        """The pool as the model orders it, with 1 / rank as the score.

        Chunks that it does not name follow in the order of the pool, as all do after an unusable reply. Raises ServerError.
        """
        shown = pool[: self.candidates]
        named = self._named(index, query, shown) if len(shown) > 1 else []
        order = [*(shown[place] for place in named), *(hit for place, hit in enumerate(pool) if place not in named)]
        return [replace(hit, score=1 / rank) for rank, hit in enumerate(order, start=1)]

    def _named(self, index: Index, query: str, shown: Sequence[Hit]) -> list[int]:
        """The places of chunks in the order that the model gives, each once."""
        prompt = f"{fenced([(hit.document, index.passage(hit.chunk)) for hit in shown])}\n\nQuestion: {query}"
        reply = complete(Client(self.server), self.sampling, self.prompts.rerank, prompt, FORM, self._known_window)
        said = replies.value(reply.text, "ranking")
        numbers = said if isinstance(said, list) else []
        places = dict.fromkeys(number - 1 for number in numbers if type(number) is int and 1 <= number <= len(shown))
        if not places:
            calls.note(unusable=True)
        return list(places)

    @property
    def _known_window(self) -> int | None:
        return self.window if self.window is not None else _window(self.server, self.model)


@cache
def _window(server: Server, model: str) -> int | None:
    return windows.window(Client(server), model)
