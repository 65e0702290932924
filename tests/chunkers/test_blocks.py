"""Tables and code: whole where they fit, cut between rows and lines where they must be."""

from itertools import pairwise
from time import process_time

import pytest

from ragsweep.chunkers.packing import Packing
from ragsweep.chunkers.paragraph import Paragraph
from ragsweep.chunkers.recursive import Recursive
from ragsweep.chunkers.section import Section
from ragsweep.chunkers.sentence import Sentence
from ragsweep.documents import parse
from ragsweep.types import Block, Document, Heading

PACKING = [Paragraph, Recursive, Sentence, Section]
HEADER = "| Plan | Days |\n|------|------|"
ROWS = ["| Basic. New | 20 |", "| Gold. Old | 25 |", "| Top. All | 30 |"]
TABLE = "\n".join([HEADER, *ROWS])
CODE = "```py\nx = 1\n\n# no heading\ny = 2\n```"


def chunks(chunker: Packing, text: str) -> list[str]:
    return [text[start:end] for start, end in chunker.split(parse(text.encode(), "a.md"))]


every_packing = pytest.mark.parametrize("chunker", PACKING)


@every_packing
def test_a_table_that_fits_is_not_cut(chunker: type[Packing]) -> None:
    text = f"One two three four five six seven eight.\n\n{TABLE}\n\nAfter it."
    assert chunks(chunker(25, 0), text) == ["One two three four five six seven eight.", TABLE, "After it."]


@every_packing
def test_a_table_that_does_not_fit_is_cut_between_rows(chunker: type[Packing]) -> None:
    text = f"Before it.\n\n{TABLE}\n\nAfter it."
    header_and_row, others = f"{HEADER}\n{ROWS[0]}", "\n".join(ROWS[1:])
    assert chunks(chunker(12, 0), text) == ["Before it.", header_and_row, others, "After it."]
    assert chunks(chunker(6, 0), text) == ["Before it.", HEADER, *ROWS, "After it."], "the header fits as one"
    assert chunks(chunker(7, 1), TABLE) == [HEADER, *ROWS], "the dashes alone are no unit to overlap with"


@every_packing
def test_whole_rows_overlap(chunker: type[Packing]) -> None:
    assert chunks(chunker(12, 6), TABLE)[1:] == ["\n".join(ROWS[:2]), "\n".join(ROWS[1:])]


@every_packing
def test_a_row_over_the_size_is_cut_between_words(chunker: type[Packing]) -> None:
    row = "| " + " ".join(f"w{place}" for place in range(20)) + " | 2 |"
    found = chunks(chunker(10, 0), f"{HEADER}\n{row}\n{ROWS[0]}")
    assert found[0] == HEADER
    assert "".join(found[1:-1]).replace(" ", "") == row.replace(" ", "")
    assert max(len(chunk.split()) for chunk in found) == 10
    assert found[-1] == ROWS[0], "pieces of a row pack among themselves"


@every_packing
def test_code_is_cut_between_lines_and_not_at_its_blank_line(chunker: type[Packing]) -> None:
    text = f"Text.\n\n{CODE}\n\nMore."
    assert CODE in chunks(chunker(11, 0), text)
    assert chunks(chunker(4, 0), text) == ["Text.", "```py\nx = 1", "# no heading", "y = 2\n```", "More."]


@every_packing
def test_a_block_right_after_a_line_of_text_is_a_unit(chunker: type[Packing]) -> None:
    text = f"As in the table:\n{TABLE}"
    assert chunks(chunker(27, 0), text) == ["As in the table:", TABLE]
    assert chunks(chunker(31, 0), text) == [text]


def test_a14_a_comment_in_code_is_no_section() -> None:
    text = "# T\n\n```py\n# not a head\n```\nend"
    assert chunks(Section(100, 0), text) == [text]
    assert chunks(Section(100, 0), "# T\n\n```py\n# not a head\nend\n\n# still code") == [
        "# T\n\n```py\n# not a head\nend\n\n# still code"
    ]
    assert chunks(Section(100, 0), "# T\n\n~~~~\n```\n# no head\n~~~\n~~~~\n# U") == [
        "# T\n\n~~~~\n```\n# no head\n~~~\n~~~~",
        "# U",
    ]


def test_without_blocks_the_same_text_is_cut_by_sentences() -> None:
    """The wrong way: what the packing chunkers did before they knew tables."""
    plain = Document("a.txt", TABLE, "")
    assert any(TABLE[start - 1] == " " for start, _ in Sentence(12, 0).split(plain) if start)


def test_a_heading_in_a_cell_cuts_nothing() -> None:
    text = "| a | b |\n# c | d |\n# After\nx"
    file = Document(
        "a.docx", text, "", headings=(Heading(1, 10, 13, "c"), Heading(1, 20, 27, "After")), blocks=(Block("table", 0, 19),)
    )
    assert [text[a:b] for a, b in Section(100, 0).split(file)] == ["| a | b |\n# c | d |", "# After\nx"]


def test_an_empty_block_is_nothing() -> None:
    assert list(Paragraph(1, 0).split(Document("a.md", "a\n \nb", "", blocks=(Block("code", 1, 3),)))) == [(0, 1), (4, 5)]


@pytest.mark.parametrize("chunker", PACKING)
def test_large_blocks_and_many_of_them_cost_no_squared_time(chunker: type[Packing]) -> None:
    def seconds(text: str, size: int, count: int) -> float:
        blocks = tuple(Block("table", start, start + size - 2, (start, start + 18)) for start in range(0, size * count, size))
        headings = tuple(Heading(2, block.end, block.end + 1, "") for block in blocks)
        start = process_time()
        assert (
            sum(1 for _ in chunker(20, 2).split(Document("a.md", text * count, "", headings=headings, blocks=blocks)))
            > count / 20
        )
        return process_time() - start

    table = "| n | d |\n|---|---|\n" + "| 1 | 2 |\n" * 3 + "\n"
    large = table[:-1] + "| 1 | 2 |\n" * 50_000 + "\n"
    assert seconds(table, len(table), 10_000) < 5
    assert seconds(large, len(large), 1) < 5


def test_chunks_of_a_long_table_never_begin_inside_a_row() -> None:
    text = "\n".join([HEADER, *(f"| Row {place}. More | {place} |" for place in range(300))])
    for chunker in PACKING:
        for length in ("words", "characters", "tokens"):
            spans = list(chunker(60, 7, length).split(parse(text.encode(), "a.md")))
            assert all(text[start - 1] == "\n" for start, _ in spans[1:])
            assert all(start < after for (start, _), (after, _) in pairwise(spans))
