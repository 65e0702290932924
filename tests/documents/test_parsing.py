"""Files as documents: one text, its pages and headings, and what the user is told."""

import json
from hashlib import sha256
from io import BytesIO

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pypdf import PdfReader, PdfWriter

from ragsweep.documents import from_json, parse, parser_for, to_json
from ragsweep.documents.pdf import broken_text
from ragsweep.errors import InputError

SPANISH = "Además, «los niños» dijeron: “¿cuánto cuesta?” – mañana será otro día. El año pasado costó 5 €. "


def headings(source):
    document = parse(source.encode(), "a.md")
    assert document.text == source
    return [(heading.level, heading.title, source[heading.start : heading.end]) for heading in document.headings]


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"a\r\nb\r\nc", "a\nb\nc"),
        (b"a\rb\r\rc", "a\nb\n\nc"),
        (b"\xef\xbb\xbfa", "a"),
        ("\ufeffé".encode("utf-16-le"), "é"),
        ("\ufeffa\r\nb".encode("utf-16-be"), "a\nb"),
        ("a\nb年".encode("utf-32"), "a\nb年"),
        ("\ufeffa".encode("utf-32-be"), "a"),
        (" a \t\n\x0c b\u2028c ".encode(), " a \t\n\x0c b\u2028c "),
    ],
)
def test_line_ends_and_marks_are_all_that_is_rewritten(data, text):
    document = parse(data, "a.txt")
    assert document.text == text
    assert document.sha256 == sha256(data).hexdigest()


@given(st.text(st.characters(exclude_characters="\r\ufeff\0", exclude_categories=["Cs"])).filter(lambda text: text.strip()))
def test_every_utf8_text_stays_as_it_is(text):
    assert parse(text.encode(), "a.txt").text == text


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        (SPANISH * 5, "cp1252"),
        ("Привет, мир! Как дела сегодня? Сколько дней отпуска? " * 5, "koi8_r"),
        ("黑豹队的防守只丢了三百零八分，在联赛中排名第六。" * 5, "gb18030"),
        ("Leave is 25 days. ", "utf_16_le"),
        ("年休二十日，镕。\n", "utf_16_le"),
        ("年休二十日，镕。\n", "utf_16_be"),
        ("Leave is 25 days. ", "utf_32_le"),
        ("年休二十日，镕。\n", "utf_32_be"),
        ("Grüße", "utf_32_le"),
    ],
)
def test_other_encodings_are_detected_and_reported(text, encoding):
    document = parse(text.encode(encoding), "a.txt")
    assert document.text == text
    assert document.notices == (f"'a.txt': it is not UTF-8; read as {encoding}",)


def test_utf8_with_a_nul_is_utf8():
    document = parse("o\0ce é \ue000".encode(), "a.txt")
    assert document.text == "o\0ce é \ue000"
    assert document.notices == ("'a.txt': bad_chars: 2 (NUL, lost or private-use characters)",)


@pytest.mark.parametrize(
    ("data", "id", "message"),
    [
        (b"", "empty.txt", "'empty.txt' has no text"),
        (b"\xef\xbb\xbf \n\t", "blank.md", "'blank.md' has no text"),
        ("\u200b \u2060\n\ufeff\xad".encode(), "unseen.txt", "'unseen.txt' has no text"),
        ("<p>\u200b</p>".encode(), "unseen.html", "'unseen.html' has no text"),
        (bytes(range(128, 256)) * 9, "noise.txt", "'noise.txt' is not UTF-8, and its encoding could not be detected"),
        (b"no pdf at all", "named.pdf", "'named.pdf' cannot be read as PDF"),
        (b"", "empty.pdf", "'empty.pdf' cannot be read as PDF"),
    ],
)
def test_bad_files_are_named(data, id, message):
    with pytest.raises(InputError, match=message):
        parse(data, id)


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("# T\n\n```py\n# not a head\n```\nend", [(1, "T", "# T")]),
        ("~~~~\n# no\n~~~\n# no\n~~~~\n## yes ##", [(2, "yes", "## yes ##")]),
        ("# T\n```\n# unclosed runs to the end\n## no", [(1, "T", "# T")]),
        ("    # indented code\n\n   # three spaces", [(1, "three spaces", "   # three spaces")]),
        ("Title\n=====\n\nSub\nTitle\n---\ntext", [(1, "Title", "Title\n====="), (2, "Sub Title", "Sub\nTitle\n---")]),
        ("#no space\n####### seven\n\\# escaped", []),
        ("# A *b* `c` [d](e) ![f](g) &amp;\n", [(1, "A b c d f &", "# A *b* `c` [d](e) ![f](g) &amp;")]),
        ("- # in a list\n\n> # in a quote\n\n<!--\n# comment\n-->\n\n### T", [(3, "T", "### T")]),
        ("---\ntitle: x\n# comment\n---\n# T", [(1, "T", "# T")]),
        ("text before\n\n## Ümläut 年休", [(2, "Ümläut 年休", "## Ümläut 年休")]),
        ("#\ntext", [(1, "", "#")]),
    ],
)
def test_markdown_headings(source, expected):
    assert headings(source) == expected


@pytest.mark.parametrize(
    ("source", "kind", "block", "header"),
    [
        ("text\n\na | b\n---|---\n1 | 2\nlazy\n\nend", "table", "a | b\n---|---\n1 | 2\nlazy", "a | b\n---|---"),
        ("# T\n| a |\n|---|", "table", "| a |\n|---|", "| a |\n|---|"),
        (
            "> | a | b |\n> |:-:|--:|\n> | 1 | 2 |\n",
            "table",
            "> | a | b |\n> |:-:|--:|\n> | 1 | 2 |",
            "> | a | b |\n> |:-:|--:|",
        ),
        ("a\n```py\nx\n\ny | z\n---|---\n```\nb", "code", "```py\nx\n\ny | z\n---|---\n```", None),
        ("~~~\nunclosed\n\nruns on\n\n \n", "code", "~~~\nunclosed\n\nruns on", None),
        ("- ```\n  x\n  ```\n- y", "code", "- ```\n  x\n  ```", None),
        ("a\n\n    x\n\n    y\n\n\nb", "code", "    x\n\n    y", None),
        ("---\na: x\n---\n\n```\nx\n```", "code", "```\nx\n```", None),
    ],
)
def test_markdown_tables_and_code(source, kind, block, header):
    (found,) = parse(source.encode(), "a.md").blocks
    assert (found.kind, source[found.start : found.end]) == (kind, block)
    assert (source[slice(*found.header)] if found.header else None) == header


@pytest.mark.parametrize("source", ["a\n---\nx", "a | b\n- | -\n", "a `b` c", "a | b"])
def test_what_is_no_block(source):
    assert parse(source.encode(), "a.md").blocks == ()


def test_plain_text_has_no_headings():
    assert parse(b"# no heading", "a.txt").headings == ()


def test_pages_of_a_pdf_are_joined_by_what_belongs_to_none(pdf):
    document = parse(pdf(["one\ntwo", "three", "four"]), "a.pdf")
    assert [document.text[start:end] for start, end in document.pages] == ["one\ntwo", "three", "four"]
    assert document.text == "one\ntwo\n\nthree\n\nfour"
    assert document.notices == ()


def test_pages_without_text_keep_their_numbers(pdf):
    document = parse(pdf(["", "two", ""]), "a.pdf")
    assert [document.text[start:end] for start, end in document.pages] == ["", "two", ""]
    assert document.notices == ("'a.pdf': no text layer on 2 of 3 pages (1, 3): run OCR on it",)


def test_a_pdf_without_text_is_an_error_that_names_it(pdf):
    with pytest.raises(InputError, match=r"'scan.pdf' has no text: it has no text layer"):
        parse(pdf(["", ""]), "scan.pdf")


def test_halves_of_surrogate_pairs_become_one_lost_character(pdf):
    document = parse(pdf(["A Bold"], to_unicode="<41> <D835>"), "a.pdf")
    assert document.text.encode() == "\ufffd Bold".encode()
    assert "bad_chars: 1" in document.notices[-1]


def test_a_truncated_pdf_is_named(pdf):
    with pytest.raises(InputError, match=r"'cut.pdf' (cannot be read|has no text)"):
        parse(pdf(["one"])[:300], "cut.pdf")


@pytest.mark.parametrize(("password", "readable"), [("", True), ("secret", False)])
def test_an_encrypted_pdf_opens_only_without_a_password(pdf, password, readable):
    writer = PdfWriter(clone_from=PdfReader(BytesIO(pdf(["one"]))))
    writer.encrypt(user_password=password, owner_password="owner", algorithm="AES-256")
    data = BytesIO()
    writer.write(data)
    if readable:
        assert parse(data.getvalue(), "a.pdf").text == "one"
    else:
        with pytest.raises(InputError, match=r"'a.pdf' is encrypted: write in dataset.passwords the name of an environment"):
            parse(data.getvalue(), "a.pdf")


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("word " * 97 + "w" * 26 + " " + "w" * 26 + " " + "w" * 26, 0),
        ("word " * 96 + ("w" * 26 + " ") * 4, 1),
        ("word " * 96 + ("w" * 25 + " ") * 4, 0),
        ("word " * 75 + "w " * 25, 0),
        ("word " * 74 + "w " * 26, 1),
        ("年休二十日。" * 50, 0),
        ("年 休 二 十 日 " * 10, 1),
        ("w w here is all", 0),  # too few words to tell
        ("", 0),
    ],
)
def test_broken_text_is_over_3_percent_long_words_or_25_percent_single_letters(text, count):
    assert len(broken_text(text)) == count


def test_parsers_are_known_before_anything_is_read():
    names = {"a.TXT": "text", "b.md": "markdown", "b.markdown": "markdown", "c.Pdf": "pypdf", "d.HTM": "html", "e.docx": "docx"}
    assert {id: parser_for(id).name for id in names} == names
    assert "pypdf " in parser_for("c.pdf").version


def test_json_round_trip(pdf):
    for document in (parse(pdf(["one", ""]), "a.pdf"), parse(b"# T\n\n| a |\n|---|\n\n    code", "a.md")):
        assert from_json(json.loads(json.dumps(to_json(document)))) == document
