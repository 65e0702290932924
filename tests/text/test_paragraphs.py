import pytest

from ragsweep.text.paragraphs import paragraph_spans


@pytest.mark.parametrize(
    ("text", "paragraphs"),
    [
        ("one\nblock", ["one\nblock"]),
        ("a\n\nb", ["a", "b"]),
        ("\n\n a\n \t\n\n\nb \n", ["a", "b"]),
        (" \n\n ", []),
        ("", []),
    ],
)
def test_paragraphs(text: str, paragraphs: list[str]) -> None:
    assert [text[start:end] for start, end in paragraph_spans(text)] == paragraphs
