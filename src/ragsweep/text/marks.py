"""Byte order marks: the encoding that the first bytes of a text name."""

import codecs

_MARKS = {  # the mark of UTF-16 is the beginning of that of UTF-32, which therefore comes first
    codecs.BOM_UTF32_LE: "utf_32",
    codecs.BOM_UTF32_BE: "utf_32",
    codecs.BOM_UTF16_LE: "utf_16",
    codecs.BOM_UTF16_BE: "utf_16",
    codecs.BOM_UTF8: "utf_8_sig",
}


def marked(data: bytes) -> str | None:
    """The encoding whose byte order mark the data begins with, None without one.

    >>> [marked("a".encode(name)) for name in ("utf-32", "utf-16", "utf-8-sig", "utf-8")]
    ['utf_32', 'utf_16', 'utf_8_sig', None]
    """
    return next((encoding for mark, encoding in _MARKS.items() if data.startswith(mark)), None)
