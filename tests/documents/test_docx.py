"""DOCX: order, sections, changes, tables, and what an archive may not be."""

import io
import zipfile

import pytest

from ragsweep.documents import parse
from ragsweep.errors import InputError

W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
R = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
MC = "http://schemas.openxmlformats.org/markup-compatibility/2006"
RELATED = "http://schemas.openxmlformats.org/package/2006/relationships"
STYLES = """
<w:style w:type="paragraph" w:styleId="berschrift1"><w:name w:val="heading 1"/>
<w:pPr><w:outlineLvl w:val="0"/></w:pPr></w:style>
<w:style w:type="paragraph" w:styleId="Kapitel"><w:name w:val="Kapitel"/><w:basedOn w:val="berschrift1"/></w:style>
<w:style w:type="paragraph" w:styleId="TOC"><w:name w:val="TOC Heading"/><w:basedOn w:val="berschrift1"/>
<w:pPr><w:outlineLvl w:val="9"/></w:pPr></w:style>
<w:style w:type="paragraph" w:styleId="A"><w:name w:val="a"/><w:basedOn w:val="B"/></w:style>
<w:style w:type="paragraph" w:styleId="B"><w:name w:val="b"/><w:basedOn w:val="A"/></w:style>
<w:style w:type="paragraph" w:styleId="Code"><w:name w:val="Source Code"/></w:style>
<w:style w:type="paragraph" w:styleId="T"><w:name w:val="Title"/></w:style>"""


def docx(body, *, parts=(), **others):
    """A file whose body is ``body``; ``parts`` are (kind, root element, content), which the body calls rId1, rId2 ..."""
    parts = [("styles", "styles", STYLES), *parts]
    spaces = f'xmlns:w="{W}" xmlns:r="{R}" xmlns:mc="{MC}"'
    links = "".join(f'<Relationship Id="rId{n}" Type="{R}/{kind}" Target="p{n}.xml"/>' for n, (kind, _, _) in enumerate(parts))
    files = {
        "_rels/.rels": f'<Relationships xmlns="{RELATED}"><Relationship Id="x" Type="{R}/officeDocument" Target="/word/d.xml"/>'
        "</Relationships>",
        "word/d.xml": f"<w:document {spaces}><w:body>{body}</w:body></w:document>",
        "word/_rels/d.xml.rels": f'<Relationships xmlns="{RELATED}">{links}</Relationships>',
    }
    files |= {f"word/p{n}.xml": f"<w:{root} {spaces}>{content}</w:{root}>" for n, (_, root, content) in enumerate(parts)}
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in (files | others).items():
            archive.writestr(name, content)
    return data.getvalue()


def p(text, style="", inside=""):
    mark = f'<w:pStyle w:val="{style}"/>' if style else ""
    return f"<w:p><w:pPr>{mark}{inside}</w:pPr>{text if text.startswith('<') else run(text)}</w:p>"


def run(text, inside=""):
    return f'<w:r><w:rPr>{inside}</w:rPr><w:t xml:space="preserve">{text}</w:t></w:r>'


def tbl(*rows, look=""):
    cells = ["".join(f"<w:tc>{cell if cell.startswith('<') else p(cell)}</w:tc>" for cell in row) for row in rows]
    return f"<w:tbl><w:tblPr>{look}</w:tblPr>{''.join(f'<w:tr>{row}</w:tr>' for row in cells)}</w:tbl>"


def text(body, **given):
    return parse(docx(body, **given), "a.docx").text


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (p("one") + tbl(["a", "b"], ["c", "d"]) + p("two"), "one\n\na | b\nc | d\n\ntwo"),
        (p("one") + p("") + p("two"), "one\n\ntwo"),
        (p(run("in") + "<w:r><w:tab/></w:r>" + run("side")), "in\tside"),
        (p(f"<w:ins>{run('new ')}</w:ins><w:del><w:r><w:delText>old</w:delText></w:r></w:del>" + run("kept")), "new kept"),
        (p(f"<w:moveFrom>{run('here ')}</w:moveFrom><w:moveTo>{run('there')}</w:moveTo>"), "there"),
        (f"<w:ins>{p('inserted paragraph')}</w:ins><w:del>{p('deleted')}</w:del>", "inserted paragraph"),
        (p("one ", inside="<w:rPr><w:del/></w:rPr>") + p("line"), "one line"),
        (p(run("a ") + f'<w:hyperlink r:id="rId9">{run("link")}</w:hyperlink>' + run(".")), "a link."),
        (p(run("seen") + run(" hidden", "<w:vanish/>") + run(" too", '<w:vanish w:val="0"/>')), "seen too"),
        (
            p('<w:r><w:instrText>PAGEREF x</w:instrText></w:r><w:fldSimple w:instr="DATE">' + run("May") + "</w:fldSimple>"),
            "May",
        ),
        (f"<w:sdt><w:sdtPr/><w:sdtContent>{p('control')}{tbl(['a', 'b'])}</w:sdtContent></w:sdt>", "control\n\na | b"),
        (p(f"<w:ruby><w:rt>{run('kan')}</w:rt><w:rubyBase>{run('漢')}</w:rubyBase></w:ruby>"), "漢"),
        (p("a", inside='<w:numPr><w:numId w:val="1"/></w:numPr>') * 2 + p("b"), "a\na\n\nb"),
        (tbl(["a", tbl(["x", "y"])], ["b", "c"]), "a\n\nx | y\n\nb | c"),
        (tbl(["a"], ["b"]), "a\n\nb"),
        (tbl(["a", p("b") + p("c")], ["", ""], ["d", ""]), "a | b c\nd |"),
    ],
)
def test_text(body, expected):
    assert text(body) == expected


def test_text_boxes_stand_once_after_their_paragraph():
    box = f"<w:txbxContent>{p('in the box')}</w:txbxContent>"
    both = f"<mc:AlternateContent><mc:Choice>{box}</mc:Choice><mc:Fallback>{box}</mc:Fallback></mc:AlternateContent>"
    assert text(p(run("before ") + f"<w:r>{both}</w:r>" + run("after")) + p("next")) == "before after\n\nin the box\n\nnext"


def test_notes_stand_after_their_paragraph_and_comments_nowhere():
    notes = ("footnotes", "footnotes", f'<w:footnote w:id="2">{p("The note.")}</w:footnote>')
    comments = ("comments", "comments", f'<w:comment w:id="2">{p("Remark")}</w:comment>')
    body = p(run("one") + '<w:r><w:footnoteReference w:id="2"/></w:r><w:r><w:commentReference w:id="2"/></w:r>') + p("two")
    assert text(body, parts=[notes, comments]) == "one\n\nThe note.\n\ntwo"


@pytest.mark.parametrize(("properties", "expected"), [("", ["top", "body"]), ("<w:titlePg/>", ["top", "first", "body"])])
def test_page_headers_come_first_and_only_those_that_are_shown(properties, expected):
    parts = [
        ("header", "hdr", p("top")),
        ("header", "hdr", p("first")),
        ("footer", "ftr", p("3")),
        ("header", "hdr", p("even")),
    ]
    section = (
        '<w:sectPr><w:headerReference w:type="default" r:id="rId1"/><w:headerReference w:type="first" r:id="rId2"/>'
        '<w:footerReference w:type="default" r:id="rId3"/><w:headerReference w:type="even" r:id="rId4"/>'
        f"{properties}</w:sectPr>"
    )
    assert text(p("body") + section, parts=parts).split("\n\n") == expected


def test_headings_are_known_by_their_outline_level_in_any_language():
    body = (
        p("Titel", "T")
        + p("Eins", "berschrift1")
        + p("Zwei", "Kapitel")
        + p("Inhalt", "TOC")
        + p("Drei", inside='<w:outlineLvl w:val="2"/>')
        + p("Vier", "Heading4")
        + p("loop", "A")
        + p("", "berschrift1")
    )
    document = parse(docx(body), "a.docx")
    assert [(each.level, each.title) for each in document.headings] == [
        (1, "Titel"),
        (1, "Eins"),
        (1, "Zwei"),
        (3, "Drei"),
        (4, "Vier"),
    ]
    assert [document.text[each.start : each.end] for each in document.headings] == ["Titel", "Eins", "Zwei", "Drei", "Vier"]


@pytest.mark.parametrize(
    ("look", "header"),
    [
        ("", None),
        ('<w:tblLook w:val="04A0"/>', "a | b"),
        ('<w:tblLook w:firstRow="0"/>', None),
        ('<w:tblLook w:firstRow="1"/>', "a | b"),
    ],
)
def test_tables_are_blocks_with_their_header(look, header):
    document = parse(docx(p("x") + tbl(["a", "b"], ["c", "d"], look=look)), "a.docx")
    (block,) = document.blocks
    assert (block.kind, document.text[block.start : block.end]) == ("table", "a | b\nc | d")
    assert (block.header and document.text[slice(*block.header)]) == header


def test_paragraphs_of_a_code_style_are_one_block():
    document = parse(docx(p("x") + p("def f():", "Code") + p("    pass", "Code") + p("y")), "a.docx")
    (block,) = document.blocks
    assert (block.kind, document.text[block.start : block.end]) == ("code", "def f():\n    pass")


def test_strict_files_have_other_namespaces():
    strict = (
        f'<w:document xmlns:w="http://purl.oclc.org/ooxml/wordprocessingml/main"><w:body>{p("strict")}</w:body></w:document>'
    )
    assert text("", **{"word/d.xml": strict}) == "strict"


@pytest.mark.parametrize(
    ("others", "message"),
    [
        ({"word/d.xml": '<!DOCTYPE d [<!ENTITY a "aaaa">]><d>&a;</d>'}, "a document type definition"),
        ({"word/d.xml": '<!DOCTYPE d SYSTEM "file:///etc/passwd"><d/>'}, "a document type definition"),
        ({"word/d.xml": "<a>" * 301 + "</a>" * 301}, "nested more than 300 levels"),
        ({"word/d.xml": "<a><b></a>"}, "cannot be read as DOCX"),
        ({"word/d.xml": "<a/>"}, "it holds no document"),
        ({"word/media/bomb.bin": bytes(30_000_000)}, "a zip bomb"),
        ({f"word/{n}": "" for n in range(10_001)}, "parts, more than 10000"),
    ],
)
def test_archives_that_are_refused(others, message):
    with pytest.raises(InputError, match=f"'a.docx'.*{message}"):
        parse(docx(p("text"), **others), "a.docx")


def test_a_small_file_may_be_compressed_well():
    assert text(p("text"), **{"word/media/blank.bmp": bytes(15_000_000)}) == "text"


def test_damaged_and_encrypted_files_are_named():
    data = docx(p("text"))
    damaged = data.replace(data[60:70], b"\xff" * 10)
    for bad in (data[:200], damaged, b"PK\x03\x04", b"text", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600)):
        with pytest.raises(InputError, match=r"'a.docx' (cannot be read as DOCX|is encrypted or an old .doc)"):
            parse(bad, "a.docx")
