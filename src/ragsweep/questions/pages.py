"""On which pages a place lies, as numbers and in words."""

from ragsweep.types import Document, Place


def page_numbers(document: Document, start: int, end: int) -> list[int]:
    """The 1-based numbers of the pages that share a non-space character with a span."""
    return [
        number
        for number, (begin, stop) in enumerate(document.pages, 1)
        if document.text[max(begin, start) : min(stop, end)].strip()
    ]


def pages_of(document: Document, place: Place) -> str:
    """``page_numbers`` in words: ``page 4``, ``pages 4-5``; empty where there is none.

    >>> document = Document("hr.pdf", "one\\n\\ntwo\\n\\nsix", "", pages=((0, 3), (5, 8), (10, 13)))
    >>> [pages_of(document, Place("hr.pdf", *span)) for span in ((5, 8), (6, 11), (3, 5))]
    ['page 2', 'pages 2-3', '']
    """
    numbers = page_numbers(document, place.start, place.end)
    if not numbers:
        return ""
    return f"page {numbers[0]}" if len(numbers) == 1 else f"pages {numbers[0]}-{numbers[-1]}"
