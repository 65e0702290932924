import pytest

from ragsweep.chunkers.section import Section
from ragsweep.documents import parse
from ragsweep.types import Document

TEXT = """Before.

# Work

## Leave
Twenty days.

They lapse.

### Sick leave

A note. It is kept.

## Pay
Monthly."""


def chunks(chunker: Section, text: str) -> list[str]:
    return [text[start:end] for start, end in chunker.split(parse(text.encode(), "a.md"))]


def test_a_heading_and_its_own_text_up_to_the_next_of_any_level() -> None:
    assert chunks(Section(), TEXT) == [
        "Before.",
        "# Work",
        "## Leave\nTwenty days.\n\nThey lapse.",
        "### Sick leave\n\nA note. It is kept.",
        "## Pay\nMonthly.",
    ]


@pytest.mark.parametrize(
    ("size", "expected"),
    [
        (6, ["## Leave\nTwenty days.\n\nThey lapse."]),
        (5, ["## Leave\nTwenty days.", "They lapse."]),
        (3, ["## Leave\nTwenty", "days.", "They lapse."]),
    ],
)
def test_one_over_the_size_is_split_by_paragraphs_sentences_words(size: int, expected: list[str]) -> None:
    assert chunks(Section(size, 0), TEXT)[2:][: len(expected)] == expected


def test_pieces_overlap_inside_their_section_only() -> None:
    assert chunks(Section(4, 2), "# A\nb c. d e.\n\n# F\ng") == ["# A\nb c.", "b c. d e.", "# F\ng"]


def test_a_file_without_headings_is_one_section() -> None:
    assert chunks(Section(), "One.\n\nTwo.") == ["One.\n\nTwo."]
    assert list(Section().split(Document("a.txt", " \n", ""))) == []
