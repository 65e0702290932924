"""Pieces between separators, from coarse to fine, packed."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from re import escape, finditer
from typing import ClassVar, Literal

from ragsweep.chunkers.packing import Level, Packing, characters
from ragsweep.errors import InputError
from ragsweep.text.sentences import sentence_spans
from ragsweep.text.spans import cut
from ragsweep.text.words import word_spans
from ragsweep.types import Span


def _after(separator: str, text: str) -> list[Span]:
    """The pieces between occurrences of the separator, which stays at the end of the left piece."""
    return cut(text, (match.end() for match in finditer(escape(separator), text)))


def _before(separator: str, text: str) -> list[Span]:
    """The pieces between occurrences of the separator, which stays at the start of the right piece."""
    return cut(text, (match.start() for match in finditer(escape(separator), text)))


LEVELS: Sequence[Level] = (partial(_after, "\n\n"), partial(_after, "\n"), sentence_spans, word_spans, characters)


@dataclass(frozen=True)
class Recursive(Packing):
    r"""Packs the pieces between "\n\n"; one over the size is packed from its lines, then sentences, words, characters.

    ``separators``, coarse to fine, take the place of these; "" as the last one allows a cut between any two characters (without
    it a piece that no separator cuts may be over the size). ``keep`` says which piece such a separator stays with.
    """

    version: ClassVar[int] = 2

    separators: tuple[str, ...] | None = None
    keep: Literal["left", "right"] = "left"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.separators is None:
            if self.keep != "left":
                raise InputError("keep=right is for separators of your own: write chunker.separators too")
            return
        object.__setattr__(self, "separators", tuple(self.separators))
        if not self.separators or "" in self.separators[:-1]:
            raise InputError(
                f"separators={list(self.separators)} must hold text, from coarse to fine, and '' only as the last: "
                'write separators=["\\n\\n", ". ", " ", ""]'
            )

    @property
    def levels(self) -> Sequence[Level]:
        """What the separators cut, coarse to fine."""
        if self.separators is None:
            return LEVELS
        cuts = _after if self.keep == "left" else _before
        coarse: list[Level] = [partial(cuts, separator) for separator in self.separators if separator]
        # Counted alone each character of a word is a word or a token: between words first, where these count.
        anywhere: list[Level] = [characters] if self.length == "characters" else [word_spans, characters]
        return [*coarse, *(anywhere if "" in self.separators else [])]
