"""One chunk a page."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from ragsweep.parts import Need
from ragsweep.text.spans import cut
from ragsweep.types import Document, Span


@dataclass(frozen=True)
class Page:
    """One chunk a page that holds any text; a document without pages is one chunk."""

    version: ClassVar[int] = 1
    needs: ClassVar[frozenset[Need]] = frozenset()

    def split(self, document: Document) -> Iterator[Span]:
        """The pages, trimmed."""
        return iter(cut(document.text, (end for _, end in document.pages)))
