"""Files -> Documents: which files are meant (`find`), and each file as one text with pages and headings (`parse`)."""

from ragsweep.documents.content import Parser
from ragsweep.documents.finding import Selection, find
from ragsweep.documents.parsing import from_json, parse, parser_for, to_json

__all__ = ["Parser", "Selection", "find", "from_json", "parse", "parser_for", "to_json"]
