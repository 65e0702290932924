"""Files -> Documents: which files are meant (`find`), and each as one text with pages, headings, tables and code (`parse`)."""

from ragsweep.documents.apart import parse_apart
from ragsweep.documents.content import Limits, Parser, PdfReader, Settings
from ragsweep.documents.finding import Selection, find, read_bytes, would_find
from ragsweep.documents.parsing import from_json, parse, parser_for, to_json

__all__ = [
    "Limits",
    "Parser",
    "PdfReader",
    "Selection",
    "Settings",
    "find",
    "from_json",
    "parse",
    "parse_apart",
    "parser_for",
    "read_bytes",
    "to_json",
    "would_find",
]
