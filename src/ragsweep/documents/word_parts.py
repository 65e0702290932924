"""The parts of a Word file beside its text: what styles mean, and what page headers, footers and notes it has."""

import re
from collections.abc import Iterator, Sequence
from xml.etree.ElementTree import Element

from ragsweep.documents.xml import Package
from ragsweep.errors import InputError

_HEADING = re.compile(r"heading ?([1-9])", re.IGNORECASE)
_CODE = {"code", "code block", "html code", "html preformatted", "preformatted text", "source code"}
_OFF = ("0", "false", "off")
_FIRST_ROW = 0x0020  # a bit of w:tblLook (ECMA-376, 17.4.55)
_NO_LEVEL = 9


class Parts:
    """A Word file. Raises InputError when it has no document."""

    def __init__(self, package: Package) -> None:
        self._package = package
        kinds = dict(package.related("").values())
        main = kinds.get("officeDocument", "word/document.xml")
        root = package.tree(main)
        body = root.find("body") if root is not None else None
        if body is None:
            raise InputError("cannot be read as DOCX (it holds no document): open it and save it again")
        self._body = body
        self._related = package.related(main)
        self._styles = {each.get("styleId", ""): each for each in self._part("styles").findall("style")}
        self._settings = self._part("settings")
        self._notes = {
            f"{kind}Reference": {note.get("id"): note for note in self._part(f"{kind}s")} for kind in ("footnote", "endnote")
        }

    def sections(self) -> Iterator[tuple[Sequence[Element], Element | None]]:
        """The children of the body section by section, each with the properties that say which headers it has."""
        elements: list[Element] = []
        for child in self._body:
            properties = child if child.tag == "sectPr" else child.find("pPr/sectPr")
            elements.append(child)
            if properties is not None:
                yield elements, properties
                elements = []
        if elements:
            yield elements, None

    def around(self, kind: str, section: Element | None) -> Iterator[tuple[str, Element]]:
        """The page headers or footers of a section that some page may show, by the name of their part."""
        if section is None:
            return
        unused = {
            "first": not _is_on(section, "titlePg"),
            "even": not _is_on(self._settings, "evenAndOddHeaders"),
        }
        for reference in section.findall(f"{kind}Reference"):
            if unused.get(reference.get("type", "")):
                continue
            _, name = self._related.get(reference.get("r_id", ""), ("", ""))
            part = self._package.tree(name) if name else None
            if part is not None:
                yield name, part

    def note(self, reference: Element) -> list[Element]:
        """The footnote or endnote that is referred to, if it is there."""
        note = self._notes[reference.tag].get(reference.get("id"))
        return [note] if note is not None else []

    def kind_of(self, paragraph: Element) -> tuple[int | None, bool, bool]:
        """Of a paragraph: the level when it is a heading, whether it is code, whether it is an item of a list."""
        properties = paragraph.find("pPr")
        if properties is None:
            return None, False, False
        style = _value(properties, "pStyle") or ""
        names = [_value(each, "name") or "" for each in self._ancestors(style)] or [style]
        numbered = _value(properties, "numPr/numId")
        is_code = any(name.casefold() in _CODE for name in names)
        return self._level(properties, style, names[0]), is_code, numbered not in (None, "0")

    def _level(self, properties: Element, style: str, name: str) -> int | None:
        outlines = [_value(properties, "outlineLvl"), *(_value(each, "pPr/outlineLvl") for each in self._ancestors(style))]
        for outline in outlines:
            if outline is not None and outline.isdigit():
                return int(outline) + 1 if int(outline) < _NO_LEVEL else None
        named = _HEADING.fullmatch(name)
        return int(named[1]) if named else 1 if name.casefold() == "title" else None

    def is_header(self, table: Element, row: Element, *, is_first: bool) -> bool:
        """Whether a row repeats on every page, or is the first where the table's look sets the first row apart."""
        if _is_on(row, "trPr/tblHeader"):
            return True
        look = table.find("tblPr/tblLook")
        if look is None or not is_first:
            return False
        bits = look.get("val", "0")
        return look.get("firstRow", "") in ("1", "true", "on") or bool(
            re.fullmatch("[0-9A-Fa-f]{1,8}", bits) and int(bits, 16) & _FIRST_ROW
        )

    def _ancestors(self, style: str) -> Iterator[Element]:
        """A style and those that it builds on."""
        seen = set()
        while style in self._styles and style not in seen:
            seen.add(style)
            yield self._styles[style]
            style = _value(self._styles[style], "basedOn") or ""

    def _part(self, kind: str) -> Element:
        name = next((name for each, name in self._related.values() if each == kind), None)
        tree = self._package.tree(name) if name else None
        return tree if tree is not None else Element("none")


def _value(element: Element, path: str) -> str | None:
    found = element.find(path)
    return found.get("val") if found is not None else None


def _is_on(element: Element, path: str) -> bool:
    found = element.find(path)
    return found is not None and found.get("val") not in _OFF
