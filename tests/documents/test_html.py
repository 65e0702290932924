"""HTML: what a browser shows, section by section and row by row."""

import pytest

from ragsweep.documents import parse
from ragsweep.errors import InputError


def read(source):
    return parse(source.encode() if isinstance(source, str) else source, "a.html")


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("<p>one\n  two</p><p>three", "one two\n\nthree"),
        ("a<script>x()</script><style>p{}</style><!-- c --><template>t</template><noscript>n</noscript>b", "ab"),
        ("<title>T</title><p>shown</p><p hidden>h</p><p style='color:red; DISPLAY : none'>d</p>", "shown"),
        ("<p>a<br>b<br><br>c</p>", "a\nb\n\nc"),
        ("<div>a</div><div>b</div>c", "a\nb\nc"),
        ("<ul><li>a<li>b<ul><li>c</ul></ul><p>d", "a\nb\nc\n\nd"),
        ("<dl><dt>a<dd>b</dl>", "a\nb"),
        ("<p>H<sub>2</sub>O, <b>bold</b><i> it</i> &amp; caf&eacute;&nbsp;x &lt;", "H2O, bold it & café\u00a0x <"),
        ("<a href=x>link</a> <img alt=picture> end", "link end"),
        ("<select><option>a<option>b</select><button>Go</button>", "Go"),
        ("<details><summary>How long?</summary>25 days.</details>", "How long?\n25 days."),
        (
            "<p>Fig. 1</p><svg><title>t</title><defs><text>d</text></defs>"
            "<text>25 <tspan>days</tspan></text><text>leave</text></svg>",
            "Fig. 1\n\n25 days\nleave",
        ),
        ("<p>a<p><p> <p>b", "a\n\nb"),
        ("<math><semantics>x<annotation>\\x</annotation></semantics></math>", "x"),
        ("<h1>A</h1>text<h2>B <em>c</em></h2>", "A\n\ntext\n\nB c"),
        ("<table><tr><td>a<td>b<tr><td> c\n<td><p>d<p>e</table>f", "a | b\nc | d e\n\nf"),
        ("<table><caption>C</caption><tr><td>a<td></table>", "C\n\na |"),
        ("<table><tr><td>layout</table>x", "layout\n\nx"),
        ("<table><tr><td>a<td><table><tr><td>x<td>y</table><tr><td>b<td>c</table>", "a\n\nx | y\n\nb | c"),
        ("<table><tr><td>nav<td><h1>T</h1>text</table>", "nav\n\nT\n\ntext"),
        ("<table><tr hidden><td>a<td>b<tr><td hidden>c<td>d<td>e</table>", "d | e"),
        ("<pre>\n  a\n\n b<br>c\n</pre>", "  a\n\n b\nc"),
        ("x</p></div></table><b>unclosed", "x\n\nunclosed"),
        ("a\0b", "ab"),
        ("plain text, no tag", "plain text, no tag"),
    ],
)
def test_visible_text(source, text):
    assert read(source).text == text


def test_headings_are_sections_but_not_in_cells():
    document = read("<h1>A</h1><h3> B\n<small>c</small></h3><h2></h2><table><tr><th><h4>D</h4><th>E</table><h6>F")
    assert [(each.level, each.title) for each in document.headings] == [(1, "A"), (3, "B c"), (6, "F")]
    assert [document.text[each.start : each.end] for each in document.headings] == ["A", "B c", "F"]


@pytest.mark.parametrize(
    ("rows", "header"),
    [
        ("<tr><td>a<td>b<tr><td>c<td>d", None),
        ("<tr><th>a<th>b<tr><td>c<td>d", "a | b"),
        ("<thead><tr><td>a<td>b</thead><tr><td>c<td>d", "a | b"),
        ("<thead><tr><th>a<th>b<tr><th>x<th>y</thead><tr><td>c<td>d", "a | b\nx | y"),
        ("<tr><th>a<td>b<tr><th>c<td>d", None),
        ("<tr><td>c<td>d<tr><th>a<th>b", None),
    ],
)
def test_tables_are_blocks_with_their_header(rows, header):
    document = read(f"<p>x</p><table>{rows}</table><pre>code</pre>")
    table, code = document.blocks
    assert (table.kind, document.text[: table.start], document.text[table.end :]) == ("table", "x\n\n", "\n\ncode")
    assert (table.header and document.text[slice(*table.header)]) == header
    assert (code.kind, document.text[code.start : code.end], code.header) == ("code", "code", None)


EURO = "<p>Müller zahlt 5 € – “gern”"


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"\xef\xbb\xbf" + EURO.encode(), EURO),
        (("\ufeff" + EURO).encode("utf-16-le"), EURO),
        (EURO.encode(), EURO),
        (("<meta charset=iso-8859-1>" + EURO).encode("cp1252"), EURO),
        (("<META HTTP-EQUIV=x content='text/html; charset=windows-1252'>" + EURO).encode("cp1252"), EURO),
        (("<?xml version='1.0' encoding='cp1252'?>" + EURO).encode("cp1252"), EURO),
        (("<meta charset=latin1>" + EURO).encode(), EURO),  # it is UTF-8 all the same
        ("<meta charset='gb2312'><p>年休二十日，镕".encode("gb18030"), "<p>年休二十日，镕"),
        ("<meta charset=Shift_JIS><p>休暇は二十日①".encode("cp932"), "<p>休暇は二十日①"),
        ("<meta charset=iso-2022-jp><p>休暇は二十日".encode("iso-2022-jp"), "<p>休暇は二十日"),
        (b"<meta charset=no-such><p>plain", "<p>plain"),
    ],
)
def test_encodings(data, text):
    document = read(data)
    assert document.text == text.removeprefix("<p>")
    assert all("not UTF-8" in notice for notice in document.notices)


def test_other_encodings_are_detected():
    document = read("Привет, мир! Как дела сегодня? Сколько дней отпуска? ".encode("koi8_r") * 5)
    assert document.text.startswith("Привет, мир!")
    assert document.notices == ("'a.html': it is not UTF-8; read as koi8_r",)


@pytest.mark.parametrize("source", ["", " ", "<p></p>", "<script>x</script>", "<img src=x>", "<table><tr><td></table>"])
def test_a_page_without_text_is_named(source):
    with pytest.raises(InputError, match=r"'a.html' has no text"):
        read(source)


@pytest.mark.parametrize("tag", ["div", "b", "table><tr><td", "ul><li", "blockquote", "span"])
def test_deep_nesting_is_read(tag):
    assert read(f"<{tag}>" * 3000 + "deep").text == "deep"
