"""What chunks carry: table headers for every chunker, headings for section, and what reads them."""

from pathlib import Path

import numpy as np
import pytest

from ragsweep.chunkers.section import Section
from ragsweep.chunkers.word import Word
from ragsweep.index import Bm25Index, Chunks, Index, SentenceSpans, build_chunks
from ragsweep.index.context import LONGEST, contexts
from ragsweep.types import Block, Document, Heading

TABLE = "| Plan | Days |\n|---|---|\n| A | 20 |\n| B | 25 |\n| C | 30 |"
HEADER = "| Plan | Days |\n|---|---|"


def document(text: str, **values: object) -> Document:
    return Document("a.md", text, "", **values)  # type: ignore[arg-type]


def with_table(before: str = "Leave.\n\n", after: str = "\n\nAsk HR.") -> Document:
    start = len(before)
    block = Block("table", start, start + len(TABLE), (start, start + len(HEADER)))
    return document(before + TABLE + after, blocks=(block,))


def carried(document: Document, *texts: str, headings: bool = False) -> list[list[str]]:
    spans = [(place := document.text.index(text), place + len(text)) for text in texts]
    return [[document.text[a:b] for a, b in above] for above in contexts(document, spans, headings)]


@pytest.mark.parametrize(
    ("chunk", "context"),
    [
        ("| A | 20 |", [HEADER]),
        ("20 |\n| B", [HEADER]),  # a window that begins inside a row
        ("| C | 30 |\n\nAsk", [HEADER]),
        (TABLE, []),  # holds its header
        ("Leave.\n\n" + TABLE, []),
        ("Days |", []),  # begins in the header itself
        ("|---|---|\n| A", []),
        ("Ask HR.", []),
        ("Leave.", []),
    ],
)
def test_the_header_of_the_table_that_a_chunk_begins_in(chunk: str, context: list[str]) -> None:
    assert carried(with_table(), chunk) == [context]


def test_a_table_without_a_header_and_code_give_nothing() -> None:
    text = "| A | 20 |\n| B | 25 |\n\nx\ny"
    blocks = (Block("table", 0, 21), Block("code", 23, 26))
    assert carried(document(text, blocks=blocks), "| B", "y") == [[], []]


LEVELS = [(1, "# Work"), (2, "## Leave"), (3, "### Days"), (2, "## Pay"), (1, "# Home")]


def headed() -> Document:
    parts, headings = ["Before."], []
    for level, line in LEVELS:
        start = len("\n".join(parts)) + 1
        headings.append(Heading(level, start, start + len(line), line.lstrip("# ")))
        parts += [line, f"one{level}{line[-1]}", f"two{level}{line[-1]}"]
    return document("\n".join(parts), headings=tuple(headings))


def test_the_headings_that_a_chunk_stands_under_and_does_not_hold() -> None:
    chunks = ["Before.", "# Work", "two1k", "## Leave", "two2e", "### Days", "two3s", "## Pay", "two2y", "# Home", "two1e"]
    assert carried(headed(), *chunks, headings=True) == [
        [],
        [],
        ["# Work"],
        ["# Work"],
        ["# Work", "## Leave"],
        ["# Work", "## Leave"],
        ["# Work", "## Leave", "### Days"],
        ["# Work"],  # Leave and Days have ended
        ["# Work", "## Pay"],
        [],
        ["# Home"],
    ]
    assert carried(headed(), *chunks) == [[]] * len(chunks)


def test_an_indented_heading_is_in_the_chunk_that_begins_with_it() -> None:
    text = "  # Work\n\nText"
    assert carried(document(text, headings=(Heading(1, 0, 8, "Work"),)), "# Work", headings=True) == [[]]


def test_a_heading_or_header_that_is_too_long_is_not_copied_to_every_chunk() -> None:
    for length, context in ((LONGEST, 1), (LONGEST + 1, 0)):
        text = "x" * length + "\ny"
        assert len(carried(document(text, headings=(Heading(1, 0, length, "x"),)), "y", headings=True)[0]) == context
        table = Block("table", 0, length + 2, (0, length))
        assert len(carried(document(text, blocks=(table,)), "y")[0]) == context


def test_thousands_of_headings_cost_no_squared_time() -> None:
    headings = tuple(Heading(2, 4 * place, 4 * place + 1, "x") for place in range(50_000))
    text = "x\ny\n" * 50_000
    assert (
        sum(map(len, contexts(document(text, headings=headings), [(4 * i + 2, 4 * i + 3) for i in range(50_000)], True)))
        == 50_000
    )


def test_a_passage_is_the_context_and_the_text(tmp_path: Path) -> None:
    first, file = Document("0.md", "No table.", ""), with_table()
    chunks = build_chunks([file, first], Word(10, 0))
    documents = {"0.md": first, "a.md": file}
    chunks.save(tmp_path)
    for each in (chunks, Chunks.load(tmp_path)):
        texts = each.texts(documents)
        assert texts == [
            "No table.",
            "Leave.\n\n| Plan | Days |\n|---|---|\n| A |",
            "20 |\n| B | 25 |\n| C |",
            "30 |\n\nAsk HR.",
        ]
        assert each.passages(documents) == [*texts[:2], f"{HEADER}\n{texts[2]}", f"{HEADER}\n{texts[3]}"]


def test_section_carries_its_headings_unless_told_not_to() -> None:
    documents = {"a.md": headed()}
    with_path, without = (build_chunks(documents.values(), Section(2, 0, heading_path=value)) for value in (True, False))
    assert np.array_equal(with_path.spans, without.spans)
    assert len(without.context) == 0
    assert without.passages(documents) == with_path.texts(documents)
    assert with_path.passages(documents)[3:5] == ["# Work\n## Leave", "# Work\n## Leave\none2e\ntwo2e"]


def test_who_reads_the_context() -> None:
    """Keywords and copies do; the sentences that extractive quotes are of the chunk's own text."""
    file = with_table()
    documents = {"a.md": file}
    chunks = build_chunks([file], Word(10, 0))
    bm25 = Bm25Index.build(chunks.passages(documents))
    index = Index(chunks, documents, bm25=bm25)
    assert [score > 0 for score in bm25.scores("plan")] == [True, True, True]
    assert "plan" in {word for gram in index.words(1).shingles for word in gram}
    assert index.text(1) == "20 |\n| B | 25 |\n| C |"
    _, texts = SentenceSpans.split(chunks, documents)
    assert sum("Plan" in text for text in texts) == 1, "the chunk that holds the header"
    assert index.hit(1, 0.5).start == file.text.index("20 |")
