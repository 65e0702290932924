"""http: a system of yours behind an address, which finds contexts by itself."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from ragsweep.contexts.reading import Context, contexts_of_reply
from ragsweep.index import Index
from ragsweep.models.client import Client
from ragsweep.models.server import Limits, Server
from ragsweep.parts import Need, QueryVectors, Ranking
from ragsweep.types import Probed


@dataclass(frozen=True)
class Http:
    """A system at ``base_url``, all of it, that is told a question and k, and returns contexts (docs/recorded-runs.md).

    ``model`` is a name for what answers there, by default its address; see ``ragsweep.models.server`` for key and limits.
    """

    base_url: str
    model: str = ""
    key_env: str | None = None
    limits: Limits = field(default=Limits())

    version: ClassVar[int] = 2
    needs: ClassVar[frozenset[Need]] = frozenset({"server", "contexts"})

    def __post_init__(self) -> None:
        if not self.model.strip():
            object.__setattr__(self, "model", self.server.base_url)
        _ = self.server  # a wrong address is a mistake of the config

    @property
    def server(self) -> Server:
        """Where it is asked."""
        return Server(self.base_url, self.key_env, self.limits)

    def ready(self) -> "Http":
        """Itself. Raises InputError when the key is not there."""
        self.server.key()
        return self

    def probe(self) -> Probed:
        """One context. Raises ServerError."""
        self.contexts("Are you there?", 1)
        return Probed()

    def contexts(self, question: str, k: int) -> Sequence[Context]:
        """What it returns for a question. Raises ServerError."""
        return Client(self.server).call("", {"question": question, "k": k}, contexts_of_reply)

    def rank(self, index: Index, query: str, vectors: QueryVectors, depth: int, top_k: int) -> Ranking:
        """The contexts that it returns, in its order, at most ``top_k``, whatever ``depth``. Raises ServerError."""
        incoming = index.incoming
        if incoming is None:
            raise TypeError("retriever=http ranks no chunks of ours")
        # They are found while the reply is read, so that this takes none of the system's seconds.
        return Client(self.server).call(
            "", {"question": query, "k": top_k}, lambda reply: incoming.take(contexts_of_reply(reply), top_k)
        )
