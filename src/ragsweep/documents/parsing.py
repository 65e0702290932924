"""One file as one Document: the parser of its type, the hash of its bytes, and what the user should know about it."""

import re
from collections.abc import Mapping
from dataclasses import asdict
from hashlib import sha256
from pathlib import PurePath
from typing import Any

from ragsweep.documents import docx, html, markdown, pdf, text
from ragsweep.documents.content import Parser, Settings
from ragsweep.errors import InputError
from ragsweep.types import Block, Document, Heading

_PARSERS = {
    ".txt": text.parser,
    ".md": markdown.parser,
    ".markdown": markdown.parser,
    ".html": html.parser,
    ".htm": html.parser,
    ".docx": docx.parser,
}
_PDF = ".pdf"
SUPPORTED = " ".join([*_PARSERS, _PDF])
# NUL, the replacement character, and the three private use areas.
_DEFAULT = Settings()
_BAD_CHARACTERS = re.compile("[\0\ufffd\ue000-\uf8ff\U000f0000-\U000ffffd\U00100000-\U0010fffd]")


def is_supported(path: str | PurePath) -> bool:
    """Whether there is a parser for files with this suffix (in any case)."""
    return PurePath(path).suffix.lower() in (*_PARSERS, _PDF)


def parser_for(id: str, settings: Settings = _DEFAULT) -> Parser:
    """The parser for a document id. Nothing is read. Raises InputError when it cannot be had as ``settings`` say."""
    suffix = PurePath(id).suffix.lower()
    return pdf.parser(id, settings) if suffix == _PDF else _PARSERS[suffix]()


def parse(data: bytes, id: str, settings: Settings = _DEFAULT) -> Document:
    """The file as a Document, in this process. Raises InputError, naming the file, when it yields no text."""
    try:
        content = parser_for(id, settings).read(data)
        settings.limits.check_characters(len(content.text))
    except InputError as error:
        raise InputError(f"{id!r} {error}") from error
    bad = len(_BAD_CHARACTERS.findall(content.text))
    notices = [*content.notices, *([f"bad_chars: {bad} (NUL, lost or private-use characters)"] if bad else [])]
    named = tuple(f"{id!r}: {notice}" for notice in notices)
    return Document(id, content.text, sha256(data).hexdigest(), content.pages, content.headings, named, content.blocks)


def to_json(document: Document) -> dict[str, Any]:
    """The document as JSON values, for the store."""
    return asdict(document)


def from_json(value: Mapping[str, Any]) -> Document:
    """The document that ``to_json`` wrote, also after a round trip through JSON text."""
    spans = tuple((start, end) for start, end in value["pages"])
    headings = tuple(Heading(**heading) for heading in value["headings"])
    blocks = tuple(Block(**{**block, "header": block["header"] and tuple(block["header"])}) for block in value["blocks"])
    notices = tuple(value["notices"])
    return Document(**{**value, "pages": spans, "headings": headings, "notices": notices, "blocks": blocks})
