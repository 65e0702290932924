"""HTML: the text that a browser shows, with its headings, tables and code."""

import codecs
import re
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, TypeAlias

from ragsweep.documents import text
from ragsweep.documents.content import Content, Parser, versions
from ragsweep.documents.writing import LINE, PARAGRAPH, Writer, fold

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode

    Item: TypeAlias = LexborNode | int | Callable[[], None]
    """A node to visit, the line ends between what was before and what comes, or a row to write."""

_BREAK = "\0"  # which no parsed page holds
_HEADING = re.compile("h([1-6])")
# Elements of which a browser with scripts shows nothing, or not as text.
_UNSEEN = {
    *("head", "script", "style", "template", "noscript", "title", "canvas", "iframe", "object", "audio", "video"),
    *("select", "datalist", "annotation", "annotation-xml", "rp", "-comment", "-cdata"),
    *("desc", "metadata", "defs", "symbol"),  # of SVG
}
_UNSEEN_STYLE = re.compile(r"(?:^|;)\s*(?:display\s*:\s*none|visibility\s*:\s*hidden)\b", re.IGNORECASE)
# The blocks of the HTML standard's style sheet (15.3, "Flow content"), the first with a margin above and below; and the text
# of SVG, which has a place of its own.
_APART = {"p", "blockquote", "dl", "fieldset", "figure", "hr", "ul", "ol", "menu", "table", "pre"}
_BLOCKS = {
    *("address", "article", "aside", "body", "caption", "center", "dd", "details", "dialog", "dir", "div", "dt", "figcaption"),
    *("footer", "form", "header", "hgroup", "html", "legend", "li", "listing", "main", "nav", "optgroup", "option", "search"),
    *("section", "summary", "td", "text", "th", "tr", "tbody", "thead", "tfoot", "plaintext", "xmp"),
}
_LISTS = {"ul", "ol", "menu", "dl"}
# https://encoding.spec.whatwg.org: what a page means by these names.
_MEANT = {
    "iso8859-1": "cp1252",
    "ascii": "cp1252",
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "shift_jis": "cp932",
    "euc_kr": "cp949",
}
_DECLARED = re.compile(rb"""<(?:meta\b[^>]*?\bcharset|\?xml\b[^>]*?\bencoding)\s*=\s*["']?\s*([\w:.-]+)""", re.IGNORECASE)
_DECLARED_WITHIN = 1024


def parser() -> Parser:
    """The parser of .html and .htm files."""
    return Parser("html", versions(3, "selectolax", "charset-normalizer"), read, apart=True)


def read(data: bytes) -> Content:
    """The visible text: a paragraph a block, a line a table row, no scripts, styles or hidden parts."""
    from selectolax.lexbor import LexborHTMLParser, SelectolaxError

    source, notices = text.decode(data, _declared(data))
    try:
        root = LexborHTMLParser(source).root
    except SelectolaxError as error:  # every text is HTML: only memory can be missing
        raise MemoryError from error
    writer = Writer()
    if root is not None:
        _Reader(writer).read(root)
    return writer.content(notices)


def _declared(data: bytes) -> str | None:
    """The encoding that the page names in its first bytes, by the name of Python's codec."""
    named = _DECLARED.search(data[:_DECLARED_WITHIN])
    try:
        codec = codecs.lookup(named[1].decode("ascii")).name if named else None
    except LookupError:
        return None
    return _MEANT.get(codec, codec) if codec else None


class _Reader:
    """Visits nodes in document order, without recursion, so that no depth of nesting is too deep."""

    def __init__(self, writer: Writer) -> None:
        self._writer = writer
        self._inline: list[str] = []

    def read(self, root: "LexborNode") -> None:
        stack: list[Item] = [PARAGRAPH, root]
        while stack:
            item = stack.pop()
            if isinstance(item, int):
                self._flush()
                self._writer.gap(item)
            elif callable(item):
                item()
            elif item.tag == "-text":
                self._inline.append(item.text_content or "")
            elif item.tag == "br":
                self._inline.append(_BREAK)
            elif not _is_unseen(item):
                stack.extend(reversed(self._visit(item)))
        self._flush()

    def _visit(self, node: "LexborNode") -> "Sequence[Item]":
        """What is to be visited in place of an element; headings and code are written at once."""
        tag = node.tag or ""
        heading = _HEADING.fullmatch(tag)
        if heading:
            self._flush()
            self._writer.heading(int(heading[1]), _text_of(node))
        elif tag == "pre":
            self._flush()
            self._writer.code(_text_of(node, "\n"))
        elif tag == "table":
            return [PARAGRAPH, *self._table(node), PARAGRAPH]
        elif tag in _APART or tag in _BLOCKS:
            gap = PARAGRAPH if tag in _APART and not (tag in _LISTS and _is_in(node, {"li", "dd"})) else LINE
            return [gap, *_children(node), gap]
        else:
            return list(_children(node))
        return []

    def _table(self, table: "LexborNode") -> "Iterator[Item]":
        """Rows as lines. A row that holds a table or a section, and a table of one column, is layout: its cells are blocks."""
        for caption in _children(table):
            if caption.tag == "caption" and not _is_unseen(caption):
                yield LINE
                yield from _children(caption)
                yield PARAGRAPH
        rows = [(row, [cell for cell in _children(row) if cell.tag in ("td", "th")]) for row in _rows(table)]
        is_layout = all(len(cells) < 2 for _, cells in rows)
        for row, cells in rows:
            seen = [cell for cell in cells if not _is_unseen(cell)]
            if is_layout or any(_holds_blocks(cell) for cell in seen):
                for cell in seen:
                    yield LINE
                    yield from _children(cell)
                    yield LINE
            else:
                header = _is_in(row, {"thead"}) or all(cell.tag == "th" for cell in cells)
                yield partial(self._writer.row, [_text_of(cell) for cell in seen], header=header)

    def _flush(self) -> None:
        lines = fold("".join(self._inline)).split(_BREAK)
        self._inline.clear()
        self._writer.text("\n".join(line.strip(" ") for line in lines), gap=0)


def _children(node: "LexborNode") -> "Iterator[LexborNode]":
    child = node.child
    while child is not None:
        yield child
        child = child.next


def _rows(table: "LexborNode") -> "Iterator[LexborNode]":
    for part in _children(table):
        if not _is_unseen(part):
            yield from (
                row for row in ([part] if part.tag == "tr" else _children(part)) if row.tag == "tr" and not _is_unseen(row)
            )


def _text_of(node: "LexborNode", line_end: str = " ") -> str:
    """All visible text in a node; ``line_end`` stands for line breaks and between blocks."""
    parts: list[str] = []
    stack: list[LexborNode | str] = [node]
    while stack:
        item = stack.pop()
        if isinstance(item, str) or item.tag in ("-text", "br"):
            text = item if isinstance(item, str) else line_end if item.tag == "br" else item.text_content or ""
            if not isinstance(item, str) or (parts and not parts[-1].endswith(line_end)):
                parts.append(text)
        elif not _is_unseen(item):
            is_block = item is not node and (item.tag in _APART or item.tag in _BLOCKS or _HEADING.fullmatch(item.tag or ""))
            border = [line_end] if is_block else []
            stack.extend(reversed([*border, *_children(item), *border]))
    return "".join(parts)


def _holds_blocks(cell: "LexborNode") -> bool:
    if cell.css_first("table") is not None:
        return True
    heading = cell.css_first("h1, h2, h3, h4, h5, h6")
    return heading is not None and fold(_text_of(heading)) != fold(_text_of(cell))


def _is_unseen(node: "LexborNode") -> bool:
    if node.tag in _UNSEEN:
        return True
    attributes = node.attributes
    return "hidden" in attributes or bool(_UNSEEN_STYLE.search(attributes.get("style") or ""))


def _is_in(node: "LexborNode", tags: set[str]) -> bool:
    return node.parent is not None and node.parent.tag in tags
