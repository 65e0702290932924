"""Chunks as a person reads them: every word is shown, what is shared is marked, and each ending is called what it is."""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragsweep.chunkers.character import Character
from ragsweep.chunkers.page import Page
from ragsweep.chunkers.section import Section
from ragsweep.chunkers.sentence import Sentence
from ragsweep.chunkers.token import Token
from ragsweep.chunkers.word import Word
from ragsweep.documents import parse
from ragsweep.index import Chunks, build_chunks
from ragsweep.reporting.chunking import OWN, SHARED, Chunking, beside, chunk_lines, overview
from ragsweep.reporting.escape import visible
from ragsweep.types import Document, Evidence, Place, Question

TEXT = """\
# Leave

Staff get 20 days. Ask HR for
more of them.

## Bonus

| Years | Days |
|-------|------|
| 5 | 1 |
| 10 | 3 |

```
a = 1
b = 2
```

The end of it
"""


def chunking(document: Document, chunker, questions: Sequence[Question] = ()) -> Chunking:
    return Chunking("name", chunker, document, build_chunks([document], chunker), questions)


def cut_at(text: str, *before: str, document: Document | None = None) -> Chunking:
    """The document cut before each of these texts."""
    document = document or parse(text.encode(), "a.md")
    borders = [0, *(document.text.index(each) for each in before), len(document.text)]
    pieces = [(start, start + len(document.text[start:end].rstrip())) for start, end in pairwise(borders)]
    return Chunking("name", Page(), document, Chunks(("a.md",), np.array([(0, *piece) for piece in pieces])), ())


def shown(found: Chunking, place: int, **given: bool) -> list[str]:
    return [line.margin + "".join(text for text, _ in line.pieces) for line in chunk_lines(found, place, **given)]


@pytest.mark.parametrize(
    ("next_begins", "ending"),
    [
        ("Staff", "after a heading"),
        ("eave", "inside a heading"),
        ("20", "between two words"),
        ("0 days", "inside a word"),
        ("Ask", "with a sentence"),
        ("more", "with a line, inside a sentence"),
        ("## Bonus", "before a heading"),
        ("|-------", "between two rows of a table"),
        ("Days |", "inside a row of a table"),
        ("b = 2", "between two lines of code"),
        ("= 1", "inside a line of code"),
        ("```\na", "at a blank line"),
        ("The end", "at a blank line"),
    ],
)
def test_an_ending_is_called_what_it_is(next_begins: str, ending: str) -> None:
    found = cut_at(TEXT, next_begins)
    assert [shown(found, place)[-1] for place in (0, 1)] == [f"  ends {ending}", "  ends with the document"]


def test_a_page_ends_before_anything_else_and_chunks_say_their_pages() -> None:
    document = Document("a.md", "One two.\n\nThree four.\n\nFive", "", pages=((0, 10), (10, 23), (23, 27)))
    found = cut_at("", "Three", "four", document=document)
    assert [shown(found, place)[-1] for place in range(3)] == [
        "  ends with page 1",
        "  ends between two words",
        "  ends with the document",
    ]
    assert [shown(found, place)[0] for place in range(3)] == [
        "chunk 1 of 3: page 1, 2 words",
        "chunk 2 of 3: page 2, 1 word",
        "chunk 3 of 3: pages 2-3, 2 words",
    ]


def test_several_blank_lines_are_one_unless_all_is_asked_for() -> None:
    found = chunking(Document("a.md", "a\n\n \n\nb", ""), Page())
    assert shown(found, 0)[1:-1] == ["  | a", "  | ", "  | b"]
    assert shown(found, 0, full=True)[1:-1] == ["  | a", "  | ", "  |  ", "  | ", "  | b"]


@pytest.mark.parametrize(
    ("chunker", "second"),
    [
        (Word(5, 2), "chunk 2 of 4: 5 of 5 words, overlap 2 words"),
        (Character(10, 4), "chunk 2 of 4: 9 of 10 characters (4 words), overlap 3 characters (2 words)"),
        (Token(5, 2), "chunk 2 of 5: 5 of 5 tokens (4 words), overlap 2 tokens (2 words)"),  # no special tokens
        (Sentence(9, 6, "tokens"), "chunk 2 of 4: 9 of 9 tokens (5 words), overlap 4 tokens (3 words)"),  # its two with them
        (Page(), None),
    ],
)
def test_sizes_are_those_that_the_chunker_counts(chunker, second: str | None) -> None:
    found = chunking(Document("a.md", "a b. c d e. f g. h i j k l m", ""), chunker)
    if second is None:
        assert shown(found, 0)[0] == "chunk 1 of 1: 13 words"
    else:
        assert shown(found, 1)[0] == second


def test_the_overlap_is_marked_up_to_the_character() -> None:
    found = chunking(Document("a.md", "one two three four", ""), Character(9, 4))
    assert [[line for line in shown(found, place) if line.startswith((OWN, SHARED))] for place in range(2)] == [
        ["  | one two t"],
        ["  ~ wo t", "  | hree"],
    ]


def test_carried_context_and_control_codes_are_shown() -> None:
    text = "# Le\x1b[31mave\n\n## Bonus\n\n| Years | Days |\n|---|---|\n| 5 | 1 |\n| 10 | 3 |"
    found = chunking(parse(text.encode(), "a.md"), Section(10, 0))
    last = shown(found, len(found.spans) - 1)
    assert last[1:3] == ["  under # Le\\x1b[31mave > ## Bonus", "  with the header of its table: | Years | Days | / |---|---|"]
    assert "\x1b" not in "".join(line for place in range(len(found.spans)) for line in shown(found, place))


QUOTE = "c d e. f"
EVIDENCE = Evidence("quote", f"a.md: {QUOTE}", (Place("a.md", 5, 13),))


@pytest.mark.parametrize(
    ("chunker", "said", "counted"),
    [
        (Word(4, 0), [[2, 4], [2, 4]], "1 quote: 0 whole in one chunk, 1 cut"),
        (Word(6, 1), [[4, 4], [1, 4]], "1 quote: 1 whole in one chunk, 0 cut"),
        (Page(), [[4, 4]], "1 quote: 1 whole in one chunk, 0 cut"),
    ],
)
def test_evidence_is_whole_or_cut_and_says_how_much_is_here(chunker, said: list[list[int]], counted: str) -> None:
    found = chunking(Document("a.md", "a b. c d e. f g. h", ""), chunker, [Question("q1", "?", (EVIDENCE,))])
    expected = [
        f'  evidence of q1: whole, "{QUOTE}"'
        if here == of
        else f'  evidence of q1: cut, {here} of its {of} words are here, "{QUOTE}"'
        for here, of in said
    ]
    assert [line for place in range(len(found.spans)) for line in shown(found, place) if "evidence" in line] == expected
    assert "".join(text for text, _ in overview(found)[-1].pieces) == counted


def test_labels_of_files_pages_and_chunks() -> None:
    document = Document("a.md", "one two\n\nthree four", "", pages=((0, 9), (9, 19)))
    labels = {
        "file": Evidence("file", "a.md", (Place("a.md", 0, 19),)),
        "other": Evidence("file", "b.md", (Place("b.md", 0, 5),)),
        "page": Evidence("page", "a.md#p2", (Place("a.md", 9, 19),)),
        "chunk": Evidence("chunk", "a.md chunk 1", (Place("a.md", 0, 19, 1),)),
    }
    found = chunking(document, Word(2, 0), [Question(id, "?", (evidence,)) for id, evidence in labels.items()])
    assert [line for line in shown(found, 0) if "evidence" in line] == ["  evidence of chunk: a.md chunk 1"]
    assert [line for line in shown(found, 1) if "evidence" in line] == ["  evidence of page: a.md#p2"]
    whole = ["".join(text for text, _ in line.pieces) for line in overview(found)]
    assert whole[-1] == "the whole file is evidence of file"


def test_long_chunks_show_their_ends_and_say_how_many_words_are_left_out() -> None:
    document = Document("a.md", " ".join(f"w{number}" for number in range(500)), "")
    found = chunking(document, Page())
    text = shown(found, 0)[1:-1]
    assert text == [
        OWN + " ".join(f"w{number}" for number in range(30)),
        "  : ... 440 words more, shown with --full ...",
        OWN + " ".join(f"w{number}" for number in range(470, 500)),
    ]
    assert shown(found, 0, full=True)[1:-1] == [OWN + document.text]
    one = chunking(Document("a.md", "x" * 100_000, ""), Page())
    assert sum(map(len, shown(one, 0))) < 1500
    assert len(shown(one, 0, full=True)[1]) > 100_000


TEXTS = st.text(st.sampled_from("ab .\n|#é年\x1b\t"), min_size=1, max_size=60).filter(str.strip)


@given(TEXTS, st.integers(1, 6), st.integers(0, 5))
def test_every_character_of_a_chunk_is_shown_once_and_no_code_is_obeyed(text: str, size: int, overlap: int) -> None:
    found = chunking(Document("a.md", text, ""), Word(size, min(overlap, size - 1)))
    for place, (start, end) in enumerate(found.spans):
        lines = [line for line in shown(found, place, full=True) if line.startswith((OWN, SHARED))]
        assert "".join(line[4:] for line in lines) == visible(text[start:end].replace("\n", ""))
        assert all(line.isprintable() for line in lines)


@pytest.mark.parametrize(("first", "second"), [("aa bb\n\n", "aabb\n\n"), ("aabb\n\n", "a a b b\n\n")])
def test_chunks_of_two_readings_stand_beside_their_own_page(first: str, second: str) -> None:
    """By offset the pages would drift apart: each is longer in one reading than in the other."""
    documents = []
    for text in (first, second):
        pages = tuple((place * len(text), place * len(text) + len(text) - 2) for place in range(40))
        documents.append(Document("a.pdf", text * 40, "", pages=pages))
    left, right = (chunking(document, Page()) for document in documents)
    assert [list(row) for _, row in beside(left, right)] == [[place] for place in range(40)]


@given(TEXTS, TEXTS, st.integers(1, 6), st.integers(1, 6))
def test_two_texts_beside_each_other_lose_no_chunk(first: str, second: str, left: int, right: int) -> None:
    pair = [chunking(Document("a.md", text, ""), Word(size, 0)) for text, size in ((first, left), (second, right))]
    rows = list(beside(*pair))
    for side, found in enumerate(pair):
        assert [place for row in rows for place in row[side]] == list(range(len(found.spans)))


@given(TEXTS, st.integers(1, 6), st.integers(1, 6))
def test_beside_each_other_every_chunk_stands_once_and_in_order(text: str, left: int, right: int) -> None:
    pair = [chunking(Document("a.md", text, ""), Word(size, 0)) for size in (left, right)]
    rows = list(beside(*pair))
    for side, found in enumerate(pair):
        assert [place for row in rows for place in row[side]] == list(range(len(found.spans)))
