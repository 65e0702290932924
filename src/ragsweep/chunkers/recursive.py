"""Pieces between separators, from coarse to fine, packed."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from re import escape, finditer
from typing import ClassVar, Literal, TypeAlias

from ragsweep.chunkers.packing import Level, Packing, characters
from ragsweep.errors import InputError
from ragsweep.text.lengths import SUMMED, Ruler
from ragsweep.text.sentences import sentence_spans
from ragsweep.text.spans import chunked, cut
from ragsweep.text.words import word_spans
from ragsweep.types import Document, Span

Keep: TypeAlias = Literal["left", "right"]


def _borders(separator: str, keep: Keep, text: str) -> list[int]:
    """Where the pieces between occurrences of the separator end; it stays at the end of the left or the start of the right."""
    return [match.end() if keep == "left" else match.start() for match in finditer(escape(separator), text)]


def _units(separator: str, keep: Keep, text: str) -> list[Span]:
    """The pieces, trimmed."""
    return cut(text, _borders(separator, keep, text))


def _pieces(separator: str, keep: Keep, text: str) -> list[Span]:
    """The pieces with all their white space; with "" each character is one."""
    borders = _borders(separator, keep, text) if separator else range(1, len(text))
    return [(start, end) for start, end in pairwise((0, *borders, len(text))) if start < end]


LEVELS: Sequence[Level] = (
    partial(_units, "\n\n", "left"),
    partial(_units, "\n", "left"),
    sentence_spans,
    word_spans,
    characters,
)


@dataclass(frozen=True)
class Recursive(Packing):
    r"""Packs the pieces between "\n\n"; one over the size is packed from its lines, then sentences, words, characters.

    ``separators``, coarse to fine, take the place of these; "" as the last one allows a cut between any two characters (without
    it a piece that no separator cuts may be over the size). ``keep`` says which piece such a separator stays with.

    ``count`` is what is measured: the "chunk", from its first to its last unit, or its "pieces" one by one, with all white
    space and, in tokens, with their own special tokens. Text splitters that join pieces (LangChain's, and Chroma's in its
    chunking report) do the latter; a piece of exactly the size is whole here and cut there.
    """

    version: ClassVar[int] = 2

    separators: tuple[str, ...] | None = None
    keep: Keep = "left"
    count: Literal["chunk", "pieces"] = "chunk"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.separators is None:
            for key, value, usual in (("keep", self.keep, "left"), ("count", self.count, "chunk")):
                if value != usual:
                    raise InputError(f"{key}={value} is for separators of your own: write chunker.separators too")
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
        if self.count == "pieces":
            return [partial(_pieces, separator, self.keep) for separator in self.separators]
        coarse: list[Level] = [partial(_units, separator, self.keep) for separator in self.separators if separator]
        # Counted alone each character of a word is a word or a token: between words first, where these count.
        anywhere: list[Level] = [characters] if self.length == "characters" else [word_spans, characters]
        return [*coarse, *(anywhere if "" in self.separators else [])]

    @property
    def ruler(self) -> Ruler:
        """What measures the units."""
        return SUMMED[self.length] if self.count == "pieces" else super().ruler

    def split(self, document: Document) -> Iterator[Span]:
        """The packed spans, trimmed."""
        return chunked(document.text, super().split(document))
