"""The vectors of what is asked, embedded before the run and charged to each question that uses them."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ragsweep.embedders.prefixes import as_queries
from ragsweep.parts import Embedder

if TYPE_CHECKING:
    from ragsweep.types import Matrix, Vector


class PreparedVectors:
    """Prepared query vectors first; a text that was not prepared is embedded now, at the price of wall time.

    ``matrix`` has shape (len(texts), d); ``seconds[i]`` is what embedding ``texts[i]`` took when it was measured. A question
    pays for each prepared text once, however many of its steps ask for it.
    """

    def __init__(self, texts: Sequence[str], matrix: "Matrix", seconds: Sequence[float], embedder: Embedder) -> None:
        self._prepared = {text: (row, cost) for text, row, cost in zip(texts, matrix, seconds, strict=True)}
        self._embedder = embedder
        self.begin()

    def begin(self) -> None:
        """Start a new question: nothing is charged yet and nothing embedded live is remembered."""
        self._used: dict[str, Vector] = {}
        self._charge = 0.0

    def vector(self, text: str) -> "Vector":
        """The unit vector of a query, shape (d,)."""
        if text not in self._used:
            if text in self._prepared:
                self._used[text], cost = self._prepared[text]
                self._charge += cost
            else:
                self._used[text] = self._embedder.embed(as_queries([text], self._embedder))[0]
        return self._used[text]

    def take_charge(self) -> float:
        """Seconds charged for prepared vectors since the last take."""
        charge, self._charge = self._charge, 0.0
        return charge
