"""Chunks that another system cut: the contexts that it returns for one question, as they come."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

from ragsweep.contexts.locating import Locator, Returned
from ragsweep.contexts.reading import Context
from ragsweep.errors import InputError
from ragsweep.parts import Ranking
from ragsweep.types import Document, Hit


class Incoming:
    """In place of ``Chunks``: a place is the number of a context in the order of coming, 0-based, each question's own.

    ``outside`` is what ``Record.outside`` is. ``counts`` says how many contexts came ("returned"), how they were located, and
    of how many replies there were more than asked for ("over") or scores in another order ("unsorted").
    """

    def __init__(self, locator: Locator) -> None:
        self._returned = Returned(locator)
        self._hits: list[Hit] = []
        self._texts: list[str | None] = []
        self._places: dict[tuple[Context, int], int] = {}

    def of_question(self) -> "Incoming":
        """None yet, of the next question."""
        return Incoming(self._returned.locator)

    def take(self, contexts: Sequence[Context], most: int) -> Ranking:
        """The first ``most`` contexts of a reply, in its order. One that came in an earlier reply is the same chunk; of equal
        ones in a reply each is its own, as it takes a rank and room."""
        counts = self.counts
        scores = [context.score for context in contexts if context.score is not None]
        counts.update({"over": len(contexts) > most, "unsorted": scores != sorted(scores, reverse=True)})
        seen: Counter[Context] = Counter()
        ranking: Ranking = []
        for context in contexts[:most]:
            told = replace(context, score=None)
            ranking.append((self._place(told, seen[told]), context.score if context.score is not None else 0.0))
            seen[told] += 1
        return ranking

    def _place(self, context: Context, copy: int) -> int:
        if (context, copy) not in self._places:
            place = self._places[context, copy] = len(self._hits)
            self._hits.append(self._returned.hit(context, place))
            self._texts.append(context.text)
            self.counts["returned"] += 1
        return self._places[context, copy]

    @property
    def outside(self) -> Mapping[str, str]:
        """Texts that stand in no document."""
        return self._returned.outside

    @property
    def counts(self) -> Counter[str]:
        """How many contexts there were, by what they were."""
        return self._returned.counts

    def __len__(self) -> int:
        return len(self._hits)

    def span(self, chunk: int) -> tuple[str, int, int]:
        """(document id, start, end) of the context at a place."""
        hit = self._hits[chunk]
        return hit.document, hit.start, hit.end

    def number(self, chunk: int) -> int:
        """Nobody knows its number in its document."""
        return self._hits[chunk].number

    def words(self, chunk: int) -> int | None:
        """Those of what the system returned; None of a place that it only named."""
        return self._hits[chunk].words

    def text(self, chunk: int, documents: Mapping[str, Document]) -> str:
        """What the system returned, or what stands at the place that it named. Raises InputError for a file alone."""
        said, (id, start, end) = self._texts[chunk], self.span(chunk)
        if said is None and start == end:
            raise InputError(
                f"context {chunk + 1} names a file alone, so there is nothing to read: have the system return its text, its "
                "page, or start and end"
            )
        return said if said is not None else documents[id].text[start:end]

    passage = text
