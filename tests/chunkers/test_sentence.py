import pytest

from ragsweep.chunkers.sentence import Sentence
from ragsweep.types import Block, Document


def chunks(chunker: Sentence, text: str, **values: object) -> list[str]:
    return [text[start:end] for start, end in chunker.split(Document("a.pdf", text, "", **values))]  # type: ignore[arg-type]


def test_whole_sentences_are_packed_over_paragraphs() -> None:
    text = "One two. Three.\n\nFour five six. Dr. Li is seven."
    assert chunks(Sentence(6, 0), text) == ["One two. Three.\n\nFour five six.", "Dr. Li is seven."]
    assert chunks(Sentence(7, 3), text) == ["One two. Three.\n\nFour five six.", "Four five six. Dr. Li is seven."]


def test_a_sentence_over_the_size_is_cut_between_words_apart_from_its_neighbours() -> None:
    assert chunks(Sentence(3, 0), "One. Two three four five. Six.") == ["One.", "Two three four", "five.", "Six."]


PAGES = ["The leave of staff\nends in", "the year after. It lapses. Then", "more\n"]


@pytest.mark.parametrize("joint", ["\n\n", "\n \n", "\n\n\n\n"])
def test_a_page_border_ends_no_sentence(joint: str) -> None:
    text = joint.join(PAGES)
    edges, place = [], 0
    for page in PAGES:
        edges.append((place, place + len(page)))
        place += len(page) + len(joint)
    first = f"{PAGES[0]}{joint}the year after."
    assert chunks(Sentence(9, 0), text, pages=tuple(edges)) == [first, f"It lapses. Then{joint}more"]
    assert chunks(Sentence(8, 0), text)[0] == PAGES[0], "without pages a blank line ends one"


def test_a_blank_line_inside_a_page_still_ends_one() -> None:
    text = "Heading\n\nThe text goes\n\non. End."
    assert chunks(Sentence(4, 0), text, pages=((0, 22), (24, len(text)))) == ["Heading", "The text goes\n\non.", "End."]


def test_a_table_over_a_page_border_is_still_cut_between_rows() -> None:
    text = "| 1 | 2 |\n\n| 3 | 4 |"
    table = Block("table", 0, len(text))
    assert chunks(Sentence(6, 0), text, pages=((0, 9), (11, 20)), blocks=(table,)) == ["| 1 | 2 |", "| 3 | 4 |"]
