"""The vectors of what is asked, embedded before the run and charged to each question that uses them."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ragsweep.embedders.prefixes import as_queries
from ragsweep.parts import Embedder
from ragsweep.types import Call

if TYPE_CHECKING:
    from ragsweep.types import Matrix, Vector


class PreparedVectors:
    """Query vectors that all questions of a job share; nothing in it changes, so questions may be asked side by side.

    ``matrix`` has shape (len(texts), d); ``seconds[i]`` is what embedding ``texts[i]`` took when it was measured, ``tokens[i]``
    what a model server counted then, None where it did not tell.
    """

    def __init__(
        self,
        texts: Sequence[str],
        matrix: "Matrix",
        seconds: Sequence[float],
        embedder: Embedder,
        tokens: Sequence[int | None] | None = None,
    ) -> None:
        self.embedder = embedder
        took = zip(seconds, tokens or [None] * len(texts), strict=True)
        self.rows = {text: (row, *cost) for text, row, cost in zip(texts, matrix, took, strict=True)}

    def of_question(self) -> "QuestionVectors":
        """The vectors for one question: nothing is charged yet and nothing embedded live is remembered."""
        return QuestionVectors(self)


class QuestionVectors:
    """What one question asks for: prepared vectors; a text that was not prepared is embedded now, at the price of wall time.

    The question pays for each prepared text once, however many of its steps ask for it: its seconds and, where a model server
    made the vector, that call.
    """

    def __init__(self, prepared: PreparedVectors) -> None:
        self._prepared = prepared
        self._used: dict[str, Vector] = {}
        self._seconds = 0.0
        self._calls: list[Call] = []

    def vector(self, text: str) -> "Vector":
        """The unit vector of a query, shape (d,)."""
        if text not in self._used:
            embedder = self._prepared.embedder
            if text in self._prepared.rows:
                self._used[text], seconds, tokens = self._prepared.rows[text]
                self._seconds += seconds
                if "server" in embedder.needs:
                    self._calls.append(Call(0, seconds, 0.0, tokens, model=embedder.model, shared=True))
            else:
                self._used[text] = embedder.embed(as_queries([text], embedder))[0]
        return self._used[text]

    def take_charge(self) -> tuple[float, list[Call]]:
        """The seconds charged for prepared vectors since the last take, and the calls among them."""
        charge = self._seconds, self._calls
        self._seconds, self._calls = 0.0, []
        return charge
