"""PDF: the text of its pages, joined by a blank line that belongs to no page."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from importlib.metadata import PackageNotFoundError
from itertools import accumulate
from typing import TypeAlias

from ragsweep.documents import pdfium, pypdf
from ragsweep.documents.content import Content, Limits, Parser, Settings, versions
from ragsweep.errors import InputError
from ragsweep.text.unseen import is_blank
from ragsweep.text.words import count_words

PageTexts: TypeAlias = Callable[[bytes, Sequence[str], int], Iterable[str]]
"""(bytes, passwords to try, most pages) -> the text of each page. Raises InputError."""

_BORDER = "\n\n"
_LONG_WORD = re.compile(r"[^\W\d_]{26,}")
_SINGLE_LETTER = re.compile(r"(?<!\S)[^\W\d_](?!\S)")
_FEWEST_WORDS = 50
_MOST_LONG_WORDS = 0.03
_MOST_SINGLE_LETTERS = 0.25
_ADVICE = {"pypdf": "try pdf=pdfium", "pdfium": "look at it, and try pdf=pypdf or OCR"}


def parser(id: str, settings: Settings) -> Parser:
    """The parser of .pdf files by the library that is set. Raises InputError when it is not installed."""
    page_texts, package = {"pypdf": (pypdf.page_texts, "pypdf"), "pdfium": (pdfium.page_texts, "pypdfium2")}[settings.pdf]
    try:
        version = versions(3, package)
    except PackageNotFoundError:
        raise InputError("pdf=pdfium needs an extra: pip install 'ragsweep[pdfium]'") from None
    passwords = settings.passwords_for(id)
    read_pages = partial(read, page_texts=page_texts, passwords=passwords, limits=settings.limits, advice=_ADVICE[settings.pdf])
    return Parser(settings.pdf, version, read_pages, apart=True)


def read(data: bytes, page_texts: PageTexts, passwords: Sequence[str], limits: Limits, advice: str) -> Content:
    """The text layer of every page; page n is ``pages[n - 1]``, which is empty where the page has no text."""
    texts = list(_limited(page_texts(data, passwords, limits.pages), limits))
    ends = accumulate(len(text) + len(_BORDER) for text in texts)
    pages = tuple((end - len(_BORDER) - len(text), end - len(_BORDER)) for text, end in zip(texts, ends, strict=True))
    empty = [str(number) for number, text in enumerate(texts, 1) if is_blank(text)]
    if len(empty) == len(texts):
        raise InputError("has no text: it has no text layer (scanned pages?); run OCR on it, or leave it out of dataset.files")
    missing = [f"no text layer on {len(empty)} of {len(texts)} pages ({_some(empty)}): run OCR on it"] if empty else []
    text = _BORDER.join(texts)
    return Content(text, pages, notices=(*missing, *(f"{remark}: {advice}" for remark in broken_text(text))))


def broken_text(text: str) -> list[str]:
    """Remarks when words look glued together (over 3 % are longer than 25 letters) or torn (over 25 % are single letters).

    None about a text of fewer than 50 words, in which one or two of them would decide.
    """
    words = count_words(text)
    if words < _FEWEST_WORDS:
        return []
    long, single = len(_LONG_WORD.findall(text)), len(_SINGLE_LETTER.findall(text))
    remarks = []
    if long > _MOST_LONG_WORDS * words:
        remarks.append(f"its text looks broken, {long} of {words} words are longer than 25 letters (spaces are lost)")
    if single > _MOST_SINGLE_LETTERS * words:
        remarks.append(f"its text looks broken, {single} of {words} words are single letters (words are torn)")
    return remarks


def _limited(texts: Iterable[str], limits: Limits) -> Iterator[str]:
    """The texts, cleaned, while they are not too long together; what a page draws many times can be far more than its bytes."""
    length = 0
    for text in texts:
        length += len(text)
        limits.check_characters(length)
        yield _clean(text)


def _clean(text: str) -> str:
    """Line ends as \\n; the halves of surrogate pairs, which are no characters, joined or replaced."""
    whole = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return whole.replace("\r\n", "\n").replace("\r", "\n")


def _some(numbers: list[str]) -> str:
    return ", ".join(numbers[:10]) + (", ..." if len(numbers) > 10 else "")
