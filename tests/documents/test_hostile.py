"""Files made to make a parser loop, grow or read what it should not: text, or one error that names the file."""

import io
import zipfile
import zlib

import pytest

from ragsweep.documents.parsing import parse
from ragsweep.errors import InputError

W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
FONT = b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>"
PAGES = b"<</Type/Pages/Kids[3 0 R]/Count 1>>"
PAGE = b"<</Type/Page/Parent 2 0 R/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>/XObject<</X 6 0 R>>>>>>"


def stream(data: bytes, more: bytes = b"") -> bytes:
    return b"<<" + more + b"/Length %d>>stream\n" % len(data) + data + b"\nendstream"


HELLO = stream(b"BT /F1 12 Tf (hello world) Tj ET /X Do")
CATALOG = b"<</Type/Catalog/Pages 2 0 R/Outlines 7 0 R>>"


def pdf(*objects: bytes) -> bytes:
    out, places = b"%PDF-1.4\n", []
    for number, written in enumerate(objects, 1):
        places.append(len(out))
        out += b"%d 0 obj\n" % number + written + b"\nendobj\n"
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    size = len(objects) + 1
    return out + b"xref\n0 %d\n0000000000 65535 f \n%strailer<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF" % (
        size,
        table,
        size,
        len(out),
    )


def docx(body: bytes, before: bytes = b"", **others: bytes) -> bytes:
    office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument"
    relations = "http://schemas.openxmlformats.org/package/2006/relationships"
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(
            "_rels/.rels",
            f'<Relationships xmlns="{relations}"><Relationship Id="r1" Type="{office}" Target="word/d.xml"/></Relationships>',
        )
        archive.writestr(
            "word/d.xml", before + f'<w:document xmlns:w="{W}"><w:body>'.encode() + body + b"</w:body></w:document>"
        )
        for name, data in others.items():
            archive.writestr(name, data)
    return out.getvalue()


def p(text: bytes) -> bytes:
    return b"<w:p><w:r><w:t>" + text + b"</w:t></w:r></w:p>"


LOOPING_FORM = stream(b"/X Do /X Do", b"/Type/XObject/Subtype/Form/BBox[0 0 9 9]/Resources<</XObject<</X 6 0 R>>>>")
LOOPING_OUTLINE = b"<</First 7 0 R/Last 7 0 R/Title(a)/Next 7 0 R/Parent 7 0 R/Dest[3 0 R/Fit]>>"
LAUGHS = b"".join(b'<!ENTITY %c "%s">' % (98 + n, b"&%c;" % (97 + n) * 10) for n in range(9))

FILES = [
    ("form.pdf", pdf(CATALOG, PAGES, PAGE, HELLO, FONT, LOOPING_FORM, LOOPING_OUTLINE), None),
    ("pages.pdf", pdf(CATALOG, b"<</Type/Pages/Kids[2 0 R 3 0 R]/Count 2>>", PAGE, HELLO, FONT), "cyclic page references"),
    (
        "parents.pdf",
        pdf(CATALOG, b"<</Type/Pages/Parent 2 0 R/Kids[3 0 R]/Count 1>>", b"<</Type/Page/Parent 2 0 R/Contents 4 0 R>>", HELLO),
        "cannot be read as PDF",
    ),
    ("contents.pdf", pdf(CATALOG, PAGES, PAGE.replace(b"4 0 R", b"[3 0 R 3 0 R]"), HELLO, FONT), "'contents.pdf' "),
    ("nested.pdf", pdf(CATALOG, PAGES[:-2] + b"/X " + b"[" * 100_000 + b">>", PAGE, HELLO, FONT), "cannot be read as PDF"),
    (
        "bomb.pdf",
        pdf(CATALOG, PAGES, PAGE, stream(zlib.compress(bytes(200_000_000)), b"/Filter/FlateDecode"), FONT),
        "Limit reached while decompressing",
    ),
    (
        "previous.pdf",
        b"%PDF-1.4\n1 0 obj\n<</Type/Catalog>>\nendobj\nxref\n0 2\n0000000000 65535 f \n0000000009 00000 n \n"
        b"trailer<</Size 2/Root 1 0 R/Prev 45>>\nstartxref\n45\n%%EOF",
        "cannot be read as PDF",
    ),
    ("laughs.docx", docx(p(b"&j;"), b'<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa">' + LAUGHS + b"]>"), "a document type definition"),
    ("outside.docx", docx(p(b"&x;"), b'<!DOCTYPE x [<!ENTITY x SYSTEM "file:///etc/passwd">]>'), "a document type definition"),
    ("deep.docx", docx(b"<w:p>" * 10_000 + p(b"x")), "is nested more than 300 levels deep"),
    ("wide.docx", docx(p(b"x" * 1000) * 30_000), "a zip bomb"),
    ("parts.docx", docx(p(b"x"), **{f"a{n}": b"" for n in range(10_001)}), "a zip bomb"),
    ("laughs.html", b'<!DOCTYPE html [<!ENTITY a "aa"><!ENTITY b "&a;&a;">]><p>hello world &b;', None),
    ("attributes.html", b"<p " + b"a=b " * 100_000 + b">hello world</p>", None),
    ("quotes.md", b"> " * 50_000 + b"hello world", None),
    ("brackets.md", b"[" * 20_000 + b"hello world", None),
    ("lists.md", b"- " * 20_000 + b"hello world", None),
    ("nul.txt", bytes(100_000) + b"hello world", None),
]


@pytest.mark.parametrize(("id", "data", "message"), FILES, ids=[id for id, _, _ in FILES])
def test_a_file_made_to_hurt(id, data, message):
    if message is None:
        assert "hello world" in parse(data, id).text
    else:
        with pytest.raises(InputError, match=rf"'{id}' .*") as refused:
            parse(data, id)
        assert message in str(refused.value)
        assert "passwd" not in str(refused.value)
