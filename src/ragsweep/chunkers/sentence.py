"""Whole sentences, packed."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from ragsweep.chunkers.packing import Level, Packing, characters
from ragsweep.text.sentences import sentence_spans
from ragsweep.text.spans import cut
from ragsweep.text.words import word_spans
from ragsweep.types import Document, Span


@dataclass(frozen=True)
class Sentence(Packing):
    """Packs whole sentences; one over the size is packed from its words, then characters. A page border ends no sentence."""

    version: ClassVar[int] = 1

    @property
    def levels(self) -> Sequence[Level]:
        """Sentences, words, characters."""
        return sentence_spans, word_spans, characters

    def split(self, document: Document) -> Iterator[Span]:
        """The packed spans; those of a document with pages run on over the white space between them."""
        return super().split(replace(document, text=_without_page_borders(document)) if document.pages else document)


def _without_page_borders(document: Document) -> str:
    """The text with at most one line end in the white space at each page border, spaces for others: no blank line."""
    text, place = document.text, 0
    parts: list[str] = []
    for start, end in cut(text, (end for _, end in document.pages)):
        line, *more = text[place:start].split("\n", 1)
        parts += [line, *("\n" + blank.replace("\n", " ") for blank in more), text[start:end]]
        place = end
    return "".join(parts) + text[place:]
