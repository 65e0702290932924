"""The pages of a PDF by pypdf."""

import logging
from collections.abc import Iterator, Sequence
from io import BytesIO

from ragsweep.documents.content import ENCRYPTED, too_many_pages
from ragsweep.errors import InputError


def page_texts(data: bytes, passwords: Sequence[str], most_pages: int) -> Iterator[str]:
    """The text of each page. Raises InputError for what is damaged, encrypted or too long."""
    from pypdf import PdfReader

    logging.getLogger("pypdf").setLevel(logging.CRITICAL)  # its remarks name no file
    try:
        reader = PdfReader(BytesIO(data))
        if reader.is_encrypted and not any(reader.decrypt(password) for password in ("", *passwords)):
            raise InputError(ENCRYPTED)
        if len(reader.pages) > most_pages:
            raise too_many_pages(len(reader.pages), most_pages)
        for page in reader.pages:
            yield page.extract_text()
    except (InputError, MemoryError):
        raise
    except Exception as error:  # what a damaged file makes pypdf raise is not limited to its own errors
        raise InputError(f"cannot be read as PDF ({type(error).__name__}: {error}): open it and save it again") from error
