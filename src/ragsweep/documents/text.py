"""Plain text: any encoding to one str with \\n line ends."""

from contextlib import suppress

from ragsweep.documents.content import Content, Parser, versions
from ragsweep.errors import InputError
from ragsweep.text.marks import marked
from ragsweep.text.unseen import is_blank

# What charset-normalizer may choose from, the likelier first: the encodings of the WHATWG Encoding Standard without those of
# DOS and the old Mac OS, for which it takes Western text with curly quotes.
_ENCODINGS = [
    *("cp1252", "cp1250", "cp1251", "cp1253", "cp1254", "cp1255", "cp1256", "cp1257", "cp1258", "cp874", "koi8_r", "koi8_u"),
    *("iso8859_2", "iso8859_5", "iso8859_6", "iso8859_7", "iso8859_8", "iso8859_15"),
    *("gb18030", "big5hkscs", "euc_jp", "cp932", "cp949", "utf_16_le", "utf_16_be", "utf_16", "utf_32"),
]


def parser() -> Parser:
    """The parser of .txt files."""
    return Parser("text", versions(5, "charset-normalizer"), read, quick=True)


def read(data: bytes) -> Content:
    """The text of the file, with \\n line ends and without a byte order mark."""
    text, notices = decode(data)
    if is_blank(text):
        raise InputError("has no text: leave it out of dataset.files")
    return Content(text, notices=notices)


def decode(data: bytes, declared: str | None = None) -> tuple[str, tuple[str, ...]]:
    """The characters of a file and a notice when its encoding was guessed; ``declared`` is that which the file names.

    UTF-8 goes before what is declared, unless all is ASCII (where the declared one may be ISO-2022-JP). Raises InputError.
    """
    text, notices = _decode(data, declared)
    return text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n"), notices


def _decode(data: bytes, declared: str | None) -> tuple[str, tuple[str, ...]]:
    whole = None
    for encoding in (declared, "utf-8") if data.isascii() else ("utf-8", declared):
        with suppress(UnicodeDecodeError, LookupError):
            whole = data.decode(encoding) if encoding else whole
            if whole is not None and "\0" not in whole:
                return whole, ()
    named = marked(data)
    if named is not None and whole is None:
        with suppress(UnicodeDecodeError):
            return data.decode(named), (f"it is not UTF-8; read as {named}",)
    # UTF-16 of English is valid UTF-8, full of NUL.
    guess = _utf32(data) or (_detect(data) if whole is not None else _utf16(data) or _detect(data))
    if whole is not None and not (guess or "").startswith(("utf_16", "utf_32")):
        return whole, ()
    if guess is None:
        raise InputError("is not UTF-8, and its encoding could not be detected: save it as UTF-8")
    return data.decode(guess, "replace"), (f"it is not UTF-8; read as {guess}",)


def _utf32(data: bytes) -> str | None:
    """UTF-32 without a byte order mark: no other text holds three NUL beside each letter and none as a character."""
    for encoding in ("utf_32_le", "utf_32_be"):
        with suppress(UnicodeDecodeError):
            if "\0" not in data.decode(encoding):
                return encoding
    return None


def _utf16(data: bytes) -> str | None:
    """UTF-16 without a byte order mark: NUL, which no text in another encoding holds, is the high byte of its ASCII."""
    little, big = data[1::2].count(0), data[::2].count(0)
    if not little + big:
        return None
    encoding = "utf_16_le" if little > big else "utf_16_be"
    with suppress(UnicodeDecodeError):
        data.decode(encoding)
        return encoding
    return None


def _detect(data: bytes) -> str | None:
    """The encoding with the most coherent letters and the least mess; the likelier one when they are equal to 0.1."""
    from charset_normalizer import from_bytes

    matches = [match for match in from_bytes(data, cp_isolation=_ENCODINGS) if match.encoding in _ENCODINGS]
    matches.sort(key=lambda match: (-round(match.coherence - match.chaos, 1), _ENCODINGS.index(match.encoding)))
    return matches[0].encoding if matches else None
