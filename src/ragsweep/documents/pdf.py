"""PDF by pypdf: the text of its pages, joined by a blank line that belongs to no page."""

import logging
import re
from io import BytesIO
from itertools import accumulate

from ragsweep.documents.content import Content, Parser, versions
from ragsweep.errors import InputError
from ragsweep.text.words import count_words

_BORDER = "\n\n"
_LONG_WORD = re.compile(r"[^\W\d_]{26,}")
_SINGLE_LETTER = re.compile(r"(?<!\S)[^\W\d_](?!\S)")
_MOST_LONG_WORDS = 0.03
_MOST_SINGLE_LETTERS = 0.25


def parser() -> Parser:
    """The parser of .pdf files."""
    return Parser("pdf", versions(2, "pypdf"), read)


def read(data: bytes) -> Content:
    """The text layer of every page; page n is ``pages[n - 1]``, which is empty where the page has no text."""
    texts = _page_texts(data)
    ends = accumulate(len(text) + len(_BORDER) for text in texts)
    pages = tuple((end - len(_BORDER) - len(text), end - len(_BORDER)) for text, end in zip(texts, ends, strict=True))
    empty = [str(number) for number, text in enumerate(texts, 1) if not text or text.isspace()]
    if len(empty) == len(texts):
        raise InputError("has no text: it has no text layer (scanned pages?); run OCR on it, or leave it out of dataset.files")
    missing = [f"no text layer on {len(empty)} of {len(texts)} pages ({_some(empty)}): run OCR on it"] if empty else []
    text = _BORDER.join(texts)
    return Content(text, pages, notices=(*missing, *broken_text(text)))


def broken_text(text: str) -> list[str]:
    """Notices when words look glued together (over 3 % are longer than 25 letters) or torn (over 25 % are single letters)."""
    words = count_words(text)
    long, single = len(_LONG_WORD.findall(text)), len(_SINGLE_LETTER.findall(text))
    notices = []
    if long > _MOST_LONG_WORDS * words:
        notices.append(f"its text looks broken: {long} of {words} words are longer than 25 letters (spaces are lost)")
    if single > _MOST_SINGLE_LETTERS * words:
        notices.append(f"its text looks broken: {single} of {words} words are single letters (words are torn)")
    return notices


def _page_texts(data: bytes) -> list[str]:
    from pypdf import PdfReader
    from pypdf.errors import FileNotDecryptedError

    logging.getLogger("pypdf").setLevel(logging.CRITICAL)  # its remarks name no file
    try:
        return [_clean(page.extract_text()) for page in PdfReader(BytesIO(data)).pages]
    except FileNotDecryptedError as error:
        raise InputError("is encrypted: save a copy without a password") from error
    except Exception as error:  # what a damaged file makes pypdf raise is not limited to its own errors
        raise InputError(f"cannot be read as PDF ({type(error).__name__}: {error}): open it and save it again") from error


def _clean(text: str) -> str:
    """Line ends as \\n; the halves of surrogate pairs, which are no characters, joined or replaced."""
    whole = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return whole.replace("\r\n", "\n").replace("\r", "\n")


def _some(numbers: list[str]) -> str:
    return ", ".join(numbers[:10]) + (", ..." if len(numbers) > 10 else "")
