"""Windows of tokens."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from ragsweep.chunkers.sizes import DEFAULT, settle
from ragsweep.chunkers.windows import windows
from ragsweep.parts import Need
from ragsweep.text.lengths import TOKEN_STARTS, Tokens
from ragsweep.types import Document, Span


@dataclass(frozen=True)
class Token:
    """Windows of ``chunk_size`` tokens, each beginning with the last ``chunk_overlap`` of the one before it.

    Special tokens do not count, and no character is cut: one of several tokens goes into the next window whole. ``length`` is
    ``tokens`` (the bundled WordPiece) or ``tiktoken:cl100k_base``. The defaults are 200 tokens and an eighth of the size.
    """

    version: ClassVar[int] = 1
    needs: ClassVar[frozenset[Need]] = frozenset()

    chunk_size: int = DEFAULT
    chunk_overlap: int = DEFAULT
    length: Tokens = "tokens"

    def __post_init__(self) -> None:
        settle(self)

    def split(self, document: Document) -> Iterator[Span]:
        """The windows; what belongs to no token (control characters, accents) stays with the token before it."""
        starts = TOKEN_STARTS[self.length](document.text)
        firsts = [place for place, start in enumerate(starts) if place and start > starts[place - 1]]
        borders = [0, *(starts[place] for place in firsts), len(document.text)]
        return windows(document.text, borders, [0, *firsts, len(starts)], self.chunk_size, self.chunk_overlap)
