"""On which pages a place lies, in words."""

from ragsweep.types import Document, Place


def pages_of(document: Document, place: Place) -> str:
    """The pages that share a non-space character with the place: ``page 4``, ``pages 4-5``; empty where there is none.

    >>> document = Document("hr.pdf", "one\\n\\ntwo\\n\\nsix", "", pages=((0, 3), (5, 8), (10, 13)))
    >>> [pages_of(document, Place("hr.pdf", *span)) for span in ((5, 8), (6, 11), (3, 5))]
    ['page 2', 'pages 2-3', '']
    """
    numbers = [
        number
        for number, (start, end) in enumerate(document.pages, 1)
        if document.text[max(start, place.start) : min(end, place.end)].strip()
    ]
    if not numbers:
        return ""
    return f"page {numbers[0]}" if len(numbers) == 1 else f"pages {numbers[0]}-{numbers[-1]}"
