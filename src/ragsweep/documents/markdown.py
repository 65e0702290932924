"""Markdown: the source text, with headings by a real parser."""

import re
from collections.abc import Iterator
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING

from ragsweep.documents import text
from ragsweep.documents.content import Content, Parser, versions
from ragsweep.types import Heading

if TYPE_CHECKING:
    from markdown_it.token import Token

_FRONT_MATTER = re.compile(r"---[ \t]*\n.*?\n(?:---|\.\.\.)[ \t]*(?=\n|\Z)", re.DOTALL)


def parser() -> Parser:
    """The parser of .md and .markdown files."""
    return Parser("markdown", versions(1, "markdown-it-py", "charset-normalizer"), read)


def read(data: bytes) -> Content:
    """The source as it is; headings are those of CommonMark (``# a`` and underlined) outside lists, quotes and front matter."""
    content = text.read(data)
    return Content(content.text, headings=tuple(_headings(content.text)), notices=content.notices)


def _headings(source: str) -> Iterator[Heading]:
    from markdown_it import MarkdownIt

    # YAML between --- lines at the top would read as an underlined heading.
    front = _FRONT_MATTER.match(source)
    body = "\n" * front[0].count("\n") + source[front.end() :] if front else source
    starts = list(accumulate((len(line) + 1 for line in source.split("\n")), initial=0))
    tokens = MarkdownIt("commonmark").parse(body)
    for token, inline in pairwise(tokens):
        if token.type == "heading_open" and token.level == 0 and token.map:
            first, end = token.map
            yield Heading(int(token.tag[1:]), starts[first], starts[end] - 1, _title(inline))


def _title(inline: "Token") -> str:
    """The text of a heading without its marks; an image is its alternative text."""
    parts = (" " if child.type in ("softbreak", "hardbreak") else child.content for child in inline.children or [])
    return "".join(parts).strip()
