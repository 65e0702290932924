"""Paragraphs, packed."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from ragsweep.chunkers.packing import Level, Packing, characters
from ragsweep.text.paragraphs import paragraph_spans
from ragsweep.text.sentences import sentence_spans
from ragsweep.text.words import word_spans

PROSE: Sequence[Level] = (paragraph_spans, sentence_spans, word_spans, characters)


@dataclass(frozen=True)
class Paragraph(Packing):
    """Packs blank-line blocks; a block over the size is packed from its sentences, then words, then characters."""

    version: ClassVar[int] = 2

    @property
    def levels(self) -> Sequence[Level]:
        """Paragraphs, sentences, words, characters."""
        return PROSE
