"""Markdown: the source text; headings, tables and code by a real parser."""

import re
from collections.abc import Iterator, Sequence
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING

from ragsweep.documents import text
from ragsweep.documents.content import Content, Parser, versions
from ragsweep.types import Block, Heading

if TYPE_CHECKING:
    from markdown_it.token import Token

_FRONT_MATTER = re.compile(r"---[ \t]*\n.*?\n(?:---|\.\.\.)[ \t]*(?=\n|\Z)", re.DOTALL)


def parser() -> Parser:
    """The parser of .md and .markdown files."""
    return Parser("markdown", versions(6, "markdown-it-py", "charset-normalizer"), read)


def read(data: bytes) -> Content:
    """The source as it is, with the headings, tables and code of CommonMark and GitHub's tables.

    Headings (``# a`` and underlined) count outside lists, quotes and front matter; tables and code wherever they stand.
    """
    content = text.read(data)
    source = content.text
    starts = list(accumulate((len(line) + 1 for line in source.split("\n")), initial=0))
    tokens = _tokens(source)
    blocks = tuple(_blocks(source, tokens, starts))
    return Content(source, headings=tuple(_headings(tokens, starts)), notices=content.notices, blocks=blocks)


def _tokens(source: str) -> "Sequence[Token]":
    from markdown_it import MarkdownIt

    # YAML between --- lines at the top would read as an underlined heading.
    front = _FRONT_MATTER.match(source)
    body = "\n" * front[0].count("\n") + source[front.end() :] if front else source
    return MarkdownIt("commonmark").enable("table").parse(body)


def _headings(tokens: "Sequence[Token]", starts: Sequence[int]) -> Iterator[Heading]:
    for token, inline in pairwise(tokens):
        if token.type == "heading_open" and token.level == 0 and token.map:
            first, end = token.map
            yield Heading(int(token.tag[1:]), starts[first], starts[end] - 1, _title(inline))


def _blocks(source: str, tokens: "Sequence[Token]", starts: Sequence[int]) -> Iterator[Block]:
    for token in tokens:
        if token.type not in ("table_open", "fence", "code_block") or not token.map:
            continue
        first, end = (starts[line] for line in token.map)
        last = first + len(source[first:end].rstrip())  # an unclosed fence runs over the blank lines after it
        if token.type == "table_open":
            yield Block("table", first, last, header=(first, starts[token.map[0] + 2] - 1))
        else:
            yield Block("code", first, last)


def _title(inline: "Token") -> str:
    """The text of a heading without its marks; an image is its alternative text."""
    parts = (" " if child.type in ("softbreak", "hardbreak") else child.content for child in inline.children or [])
    return "".join(parts).strip()
