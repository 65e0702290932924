"""What every embedding model behind a server does: batches, checks, unit vectors, its window by estimate."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar

from ragsweep.embedders.unit import unit
from ragsweep.errors import InputError
from ragsweep.models.client import Client
from ragsweep.models.embeddings import embed
from ragsweep.models.prompts import estimated_tokens
from ragsweep.models.server import Limits, Server
from ragsweep.parts import Need
from ragsweep.types import Probed

if TYPE_CHECKING:
    from ragsweep.types import Matrix


@dataclass(frozen=True)
class Served:
    """A model at ``base_url``; see ``ragsweep.models.server`` for key and limits.

    A prefix is put before every query or passage. ``dimensions`` are asked of a model that can give fewer, None for all.
    ``batch_size`` texts are sent at once. ``verify_batch`` embeds the first text of each batch once more, alone, and fails when
    its vector is another. ``window`` is in tokens, None for what the server says; texts over it are counted (by estimate).
    """

    model: str
    base_url: str = ""
    key_env: str | None = None
    query_prefix: str = ""
    passage_prefix: str = ""
    dimensions: int | None = None
    window: int | None = None
    batch_size: int = 32
    verify_batch: bool = False
    limits: Limits = field(default=Limits())

    version: ClassVar[int] = 1
    needs: ClassVar[frozenset[Need]] = frozenset({"server"})

    def __post_init__(self) -> None:
        if not self.model.strip():
            raise InputError("model is empty: write the name that the server knows it by")
        for name in ("dimensions", "window", "batch_size"):
            value = getattr(self, name)
            if value is not None and value < 1:
                raise InputError(f"{name}={value} must be 1 or more")
        _ = self.server  # a wrong address is a mistake of the config

    @property
    def server(self) -> Server:
        """Where it is asked."""
        return Server(self.base_url, self.key_env, self.limits)

    def embed(self, texts: Sequence[str]) -> "Matrix":
        """Shape (len(texts), d), float32, rows of length 1, or 0 where the server gives zeros.

        Raises ServerError, also for a text that has no usable vector when it is sent alone.
        """
        return unit(embed(Client(self.server), self.model, texts, self.batch_size, self.dimensions, self.verify_batch))

    def probe(self) -> Probed:
        """One text embedded. Raises ServerError."""
        return Probed(self.window, self.embed(["A text."]).shape[1])

    def over_window(self, texts: Sequence[str]) -> list[bool]:
        """For each text, whether it is longer than the window by estimate; never where no window is known."""
        return [self.window is not None and estimated_tokens(text) > self.window for text in texts]
