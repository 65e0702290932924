"""DOCX: paragraphs, tables and text boxes in document order, as they read with all changes accepted."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from xml.etree.ElementTree import Element

from ragsweep.documents.content import Content, Parser, versions
from ragsweep.documents.equations import typed
from ragsweep.documents.word_parts import Parts
from ragsweep.documents.writing import LINE, PARAGRAPH, Writer, fold
from ragsweep.documents.xml import Package

# Properties, deleted and moved-away text, field codes, the small letters over ruby text, comments and embedded objects.
_UNSEEN = {"pPr", "rPr", "del", "moveFrom", "delText", "instrText", "rt", "object", "sectPr"}
_SIGNS = {"tab": "\t", "ptab": "\t", "br": "\n", "cr": "\n", "noBreakHyphen": "-"}
_BORDERS = {"sdt", "sdtContent", "customXml", "ins", "moveTo", "smartTag"}
"""What may stand around paragraphs, rows and cells and says nothing about them."""


def parser() -> Parser:
    """The parser of .docx files."""
    return Parser("docx", versions(2), read, apart=True)


def read(data: bytes) -> Content:
    """The text of the body, with each page header before and each footer after the section that first shows it."""
    reader = _Reader(Parts(Package(data)))
    reader.read()
    return reader.writer.content()


@dataclass
class _Paragraph:
    text: str
    level: int | None
    is_code: bool
    is_item: bool


class _Reader:
    def __init__(self, parts: Parts) -> None:
        self._parts = parts
        self.writer = Writer()
        self._code: list[str] = []
        self._joined = ""  # of paragraphs whose mark was deleted, with what follows
        self._was_item = False

    def read(self) -> None:
        """Everything, into ``writer``."""
        shown: set[str] = set()
        for elements, section in self._parts.sections():
            self._around("header", section, shown)
            self.blocks(elements)
            self._around("footer", section, shown)

    def _around(self, kind: str, section: Element | None, shown: set[str]) -> None:
        for name, part in self._parts.around(kind, section):
            texts = (self._text(paragraph)[0] for paragraph in part.iter("p"))
            if name not in shown and any(char.isalpha() for text in texts for char in text):  # not only a page number
                shown.add(name)
                self.blocks(part)
                self._end()

    def blocks(self, elements: "Element | Sequence[Element]") -> None:
        """Paragraphs and tables, one after another."""
        for element in _within(elements, {"p", "tbl"}):
            if element.tag == "p":
                self._paragraph(element)
            else:
                self._end()
                self._table(element)
        self._end()

    def _paragraph(self, element: Element) -> None:
        text, boxes = self._text(element)
        if element.find("pPr/rPr/del") is not None:
            self._joined += text
        else:
            self._write(_Paragraph(self._joined + text, *self._parts.kind_of(element)))
            self._joined = ""
        for box in boxes:
            self.blocks(box)

    def _write(self, paragraph: _Paragraph) -> None:
        if paragraph.is_code:
            self._code.append(paragraph.text)
            return
        self._end_code()
        if paragraph.level is not None:
            self.writer.heading(paragraph.level, paragraph.text)
        else:
            if not (paragraph.is_item and self._was_item):
                self.writer.gap(PARAGRAPH)
            self.writer.text(paragraph.text, LINE if paragraph.is_item else PARAGRAPH)
        self._was_item = paragraph.is_item

    def _end(self) -> None:
        self._end_code()
        self._was_item = False
        if self._joined:
            self.writer.text(self._joined)
            self._joined = ""

    def _end_code(self) -> None:
        self.writer.code("\n".join(self._code))
        self._code.clear()

    def _table(self, table: Element) -> None:
        """Rows as lines. A row that holds a table or a section, and a table of one column, is layout: its cells are blocks."""
        rows = [row for row in _within(table, {"tr"}) if row.find("trPr/del") is None]
        cells = [list(_within(row, {"tc"})) for row in rows]
        is_layout = all(len(each) < 2 for each in cells)
        self.writer.gap(PARAGRAPH)
        for row, each in zip(rows, cells, strict=True):
            if is_layout or any(self._holds_blocks(cell) for cell in each):
                for cell in each:
                    self.blocks(cell)
            else:
                is_header = self._parts.is_header(table, row, is_first=row is rows[0])
                self.writer.row([self._cell(cell) for cell in each], header=is_header)
        self.writer.gap(PARAGRAPH)

    def _holds_blocks(self, cell: Element) -> bool:
        if cell.find(".//tbl") is not None:
            return True
        levels = [self._parts.kind_of(paragraph)[0] for paragraph in cell.iter("p") if fold(self._text(paragraph)[0])]
        return len(levels) > 1 and any(level is not None for level in levels)

    def _cell(self, cell: "Element | Sequence[Element]") -> str:
        texts = []
        for paragraph in _within(cell, {"p"}):
            text, boxes = self._text(paragraph)
            texts += [text, *(self._cell(box) for box in boxes)]
        return " ".join(texts)

    def _text(self, paragraph: Element) -> tuple[str, list[Element]]:
        """The text of a paragraph, and the text boxes and notes that hang on it."""
        parts: list[str] = []
        boxes: list[Element] = []
        self._inline(paragraph, parts, boxes)
        return "".join(parts), boxes

    def _inline(self, element: Element, parts: list[str], boxes: list[Element]) -> None:
        for child in _children(element):
            if child.tag in ("t", "m_t"):
                parts.append(child.text or "")
            elif child.tag in _SIGNS:
                parts.append(_SIGNS[child.tag])
            elif child.tag == "txbxContent":
                boxes.append(child)
            elif child.tag in ("footnoteReference", "endnoteReference"):
                boxes += self._parts.note(child)
            elif child.tag not in _UNSEEN and not _is_hidden(child):
                inner: list[str] = []
                self._inline(child, inner, boxes)
                parts.append(typed(child, "".join(inner)))


def _children(element: Element) -> Iterator[Element]:
    """The children; of alternatives for older programs only the first."""
    for child in element:
        if child.tag == "mc_AlternateContent":
            chosen = next((each for each in child if len(each)), None)
            yield from _children(chosen) if chosen is not None else ()
        else:
            yield child


def _within(elements: "Element | Sequence[Element]", tags: set[str]) -> Iterator[Element]:
    """The elements with these tags, looked for inside borders too."""
    for element in _children(elements) if isinstance(elements, Element) else elements:
        if element.tag in tags:
            yield element
        elif element.tag in _BORDERS:
            yield from _within(element, tags)


def _is_hidden(run: Element) -> bool:
    mark = run.find("rPr/vanish")
    return mark is not None and mark.get("val") not in ("0", "false", "off")
