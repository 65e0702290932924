"""What every language model behind a server does as a generator: answers, and the decisions that adaptive asks for."""

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

from ragsweep.errors import InputError
from ragsweep.generators import REFUSAL
from ragsweep.generators.refusals import is_refusal
from ragsweep.index import Index
from ragsweep.models import calls, replies
from ragsweep.models.chat import Completion, Sampling, smallest
from ragsweep.models.client import Client
from ragsweep.models.prompts import PromptTexts, cited, fenced
from ragsweep.models.server import Limits, Server
from ragsweep.parts import Need, QueryVectors
from ragsweep.types import Answer, Hit, Probed

MOST_PARTS = 4
"""More parts would leave each of them little of the one list that they are fused into."""


@dataclass(frozen=True)
class Prompts(PromptTexts):
    """What the model is told for each of its tasks."""

    answer: str = "answer.txt"
    route: str = "route.txt"
    check: str = "check.txt"
    rewrite: str = "rewrite.txt"


@dataclass(frozen=True)
class LanguageModel:
    """A model at ``base_url``; see ``ragsweep.models.server`` for key and limits, ``Sampling`` for how it is asked.

    ``max_tokens`` is the most that a reply may have, thinking included. ``window`` is in tokens, None for what the server says;
    a prompt that does not fit is an error, never sent.
    """

    model: str
    base_url: str = ""
    key_env: str | None = None
    temperature: float = 0.0
    max_tokens: int = 1024
    window: int | None = None
    prompts: Prompts = field(default_factory=Prompts)
    extra: Mapping[str, Any] = field(default_factory=dict)
    limits: Limits = field(default=Limits())

    version: ClassVar[int] = 1
    needs: ClassVar[frozenset[Need]] = frozenset({"server"})

    def __post_init__(self) -> None:
        if not self.model.strip():
            raise InputError("model is empty: write the name that the server knows it by")
        if self.max_tokens < 1:
            raise InputError(f"max_tokens={self.max_tokens} must be 1 or more")
        if not 0 <= self.temperature <= 2:
            raise InputError(f"temperature={self.temperature} must be from 0 to 2")
        if self.window is not None and self.window < 1:
            raise InputError(f"window={self.window} must be 1 or more")
        _ = self.server  # a wrong address is a mistake of the config

    @property
    def server(self) -> Server:
        """Where it is asked."""
        return Server(self.base_url, self.key_env, self.limits)

    def generate(self, index: Index, question: str, vectors: QueryVectors, chunks: Sequence[Hit]) -> Answer:
        """The reply without its flag, citing the chunks that it names; the refusal sentence, unasked, without chunks.

        It abstains when the model or its server refuses, else as the flag of the reply says, else as it reads
        (``generators.refusals``). Raises ServerError.
        """
        if not chunks:
            return Answer(REFUSAL, abstained=True)
        reply = self._asked(self.prompts.answer, self._question(question, index, chunks))
        answerable, text = replies.flagged(reply.text)
        if reply.end == "cut":
            return Answer(text, False, self._cited(text, chunks), "cut")
        if reply.end == "refused" or answerable is False:
            return Answer(text or REFUSAL, True, self._cited(text, chunks))
        if not text:
            return Answer("", False, end="empty")
        return Answer(text, answerable is None and is_refusal(question, text), self._cited(text, chunks))

    def route(self, question: str) -> tuple[str, ...]:
        """The parts that the model names; the question itself after an unusable reply. Raises ServerError."""
        form = {"type": "array", "items": {"type": "string"}}
        said = self._decided(self.prompts.route, f"Question: {question}", "parts", form)
        parts = [part.strip() for part in said if isinstance(part, str)] if isinstance(said, list) else []
        kept = tuple(dict.fromkeys(part for part in parts if part))[:MOST_PARTS]
        return kept or self._instead((question,))

    def check(self, index: Index, question: str, vectors: QueryVectors, chunks: Sequence[Hit]) -> bool:
        """Whether the model finds the chunks sufficient; yes after an unusable reply, no without chunks. Raises ServerError."""
        if not chunks:
            return False
        asked = self._question(question, index, chunks)
        said = self._decided(self.prompts.check, asked, "sufficient", {"type": "boolean"})
        sufficient = {"true": True, "yes": True, "false": False, "no": False}.get(str(said).strip().lower())
        return self._instead(True) if sufficient is None else sufficient

    def rewrite(self, question: str, attempt: int) -> str:
        """The query that the model writes; the question itself after an unusable reply. Raises ServerError."""
        said = self._decided(self.prompts.rewrite, f"Question: {question}\nAttempt: {attempt}", "query", {"type": "string"})
        return said.strip() if isinstance(said, str) and said.strip() else self._instead(question)

    @abstractmethod
    def complete(self, client: Client, system: str, prompt: str, schema: Mapping[str, Any] | None) -> Completion:
        """One call, in the shape of the server."""

    def probe(self) -> Probed:
        """A reply of one token. Raises ServerError."""

        def ask(tokens: int) -> Completion:
            asked = replace(self, max_tokens=tokens)
            return asked.complete(Client(self.server), "Answer in one word.", "Are you there?", None)

        smallest(ask, self.max_tokens)
        return Probed(self.known_window)

    @property
    def known_window(self) -> int | None:
        """Tokens of prompt and reply: as written, or as the server says."""
        return self.window

    @property
    def sampling(self) -> Sampling:
        """How the model is asked."""
        return Sampling(self.model, self.max_tokens, self.temperature, extra=self.extra)

    def _asked(self, system: str, prompt: str, schema: Mapping[str, Any] | None = None) -> Completion:
        return self.complete(Client(self.server), system, prompt, schema)

    def _decided(self, system: str, prompt: str, key: str, kind: Mapping[str, Any]) -> Any:
        """The value of ``key`` in a reply of JSON, None where there is none."""
        schema = {"type": "object", "properties": {key: kind}, "required": [key], "additionalProperties": False}
        return replies.value(self._asked(system, prompt, schema).text, key)

    def _instead(self, fallback: Any) -> Any:
        """What simple would do, in place of a reply that is not in the form asked for."""
        calls.note(unusable=True)
        return fallback

    def _question(self, question: str, index: Index, chunks: Sequence[Hit]) -> str:
        passages = fenced([(hit.document, index.passage(hit.chunk)) for hit in chunks])
        return f"{passages}\n\nQuestion: {question}"

    def _cited(self, text: str, chunks: Sequence[Hit]) -> tuple[int, ...]:
        return tuple(chunks[place].chunk for place in cited(text, len(chunks)))
