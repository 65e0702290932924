"""The vectors of what is asked, embedded before the run and charged to each question that uses them."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ragsweep.embedders.prefixes import as_queries
from ragsweep.parts import Embedder

if TYPE_CHECKING:
    from ragsweep.types import Matrix, Vector


class PreparedVectors:
    """Query vectors that all questions of a job share; nothing in it changes, so questions may be asked side by side.

    ``matrix`` has shape (len(texts), d); ``seconds[i]`` is what embedding ``texts[i]`` took when it was measured.
    """

    def __init__(self, texts: Sequence[str], matrix: "Matrix", seconds: Sequence[float], embedder: Embedder) -> None:
        self.embedder = embedder
        self.rows = {text: (row, cost) for text, row, cost in zip(texts, matrix, seconds, strict=True)}

    def of_question(self) -> "QuestionVectors":
        """The vectors for one question: nothing is charged yet and nothing embedded live is remembered."""
        return QuestionVectors(self)


class QuestionVectors:
    """What one question asks for: prepared vectors; a text that was not prepared is embedded now, at the price of wall time.

    The question pays for each prepared text once, however many of its steps ask for it.
    """

    def __init__(self, prepared: PreparedVectors) -> None:
        self._prepared = prepared
        self._used: dict[str, Vector] = {}
        self._charge = 0.0

    def vector(self, text: str) -> "Vector":
        """The unit vector of a query, shape (d,)."""
        if text not in self._used:
            if text in self._prepared.rows:
                self._used[text], cost = self._prepared.rows[text]
                self._charge += cost
            else:
                embedder = self._prepared.embedder
                self._used[text] = embedder.embed(as_queries([text], embedder))[0]
        return self._used[text]

    def take_charge(self) -> float:
        """Seconds charged for prepared vectors since the last take."""
        charge, self._charge = self._charge, 0.0
        return charge
