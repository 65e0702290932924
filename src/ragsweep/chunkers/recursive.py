"""Pieces between separators, from coarse to fine, packed."""

from dataclasses import dataclass
from functools import partial
from re import escape, finditer
from typing import ClassVar

from ragsweep.chunkers.packing import Packing, characters
from ragsweep.text.sentences import sentence_spans
from ragsweep.text.spans import cut
from ragsweep.text.words import word_spans
from ragsweep.types import Span


def _after(separator: str, text: str) -> list[Span]:
    """The pieces between occurrences of the separator, which stays at the end of the left piece."""
    return cut(text, (match.end() for match in finditer(escape(separator), text)))


@dataclass(frozen=True)
class Recursive(Packing):
    r"""Packs the pieces between "\n\n"; one over the size is packed from its lines, then sentences, words, characters."""

    version: ClassVar[int] = 1
    levels = (partial(_after, "\n\n"), partial(_after, "\n"), sentence_spans, word_spans, characters)
