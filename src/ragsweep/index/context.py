"""What a chunk carries beside its own span: the header of the table that it begins in, the headings that it stands under."""

from collections.abc import Iterable, Iterator
from itertools import chain

from ragsweep.types import Block, Document, Heading, Span

LONGEST = 1000
"""Characters of a header or heading; a longer one is text by mistake, and would be copied to every chunk below it."""


def contexts(document: Document, spans: Iterable[Span], headings: bool) -> Iterator[list[Span]]:
    """For each of a document's chunks, in order, the context spans before it: headings (only where asked for), then the
    header of a table.

    All of them end where the chunk starts or before. A chunk that holds the header, or a heading, does not carry it too.

    >>> text = "# Leave\\n\\n| Plan | Days |\\n|---|---|\\n| A | 20 |\\n| B | 25 |"
    >>> document = Document("a.md", text, "", headings=(Heading(1, 0, 7, "Leave"),), blocks=(Block("table", 9, 57, (9, 34)),))
    >>> list(contexts(document, [(0, 45), (46, 57)], headings=True))
    [[], [(0, 7), (9, 34)]]
    """
    tables, titles = list(document.blocks[::-1]), list(document.headings[::-1])
    table: Block | None = None
    path: list[Heading] = []
    for start, _ in spans:
        while tables and tables[-1].start <= start:
            table = tables.pop()
        while titles and titles[-1].start <= start:
            heading = titles.pop()
            path = [*(above for above in path if above.level < heading.level), heading]
        above = [(heading.start, heading.end) for heading in path] if headings else []
        header = [table.header] if table and table.header and start < table.end else []
        yield [span for span in chain(above, header) if span[1] <= start and span[1] - span[0] <= LONGEST]
