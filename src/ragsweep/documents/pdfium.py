"""The pages of a PDF by PDFium, the library of the browser Chrome; an extra."""

from collections.abc import Iterator, Sequence
from contextlib import closing
from typing import TYPE_CHECKING

from ragsweep.documents.content import ENCRYPTED, too_many_pages
from ragsweep.errors import InputError

if TYPE_CHECKING:
    from pypdfium2 import PdfDocument

_HYPHEN = "\ufffe"  # what PDFium writes for a hyphen at the end of a line where the word goes on
_NEEDS_PASSWORD = 4  # FPDF_ERR_PASSWORD of fpdfview.h


def page_texts(data: bytes, passwords: Sequence[str], most_pages: int) -> Iterator[str]:
    """The text of each page. Raises InputError for what is damaged, encrypted or too long."""
    from pypdfium2 import PdfiumError

    try:
        with closing(_opened(data, passwords)) as document:
            if len(document) > most_pages:
                raise too_many_pages(len(document), most_pages)
            for page in document:
                with closing(page), closing(page.get_textpage()) as text:
                    yield text.get_text_range().replace(_HYPHEN, "")
    except PdfiumError as error:
        raise InputError(f"cannot be read as PDF ({error}): open it and save it again") from error


def _opened(data: bytes, passwords: Sequence[str]) -> "PdfDocument":
    from pypdfium2 import PdfDocument, PdfiumError

    for password in ("", *passwords):
        try:
            return PdfDocument(data, password=password)
        except PdfiumError as error:
            if error.err_code != _NEEDS_PASSWORD:
                raise
    raise InputError(ENCRYPTED)
