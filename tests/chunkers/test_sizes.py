import pytest

from ragsweep.chunkers.paragraph import Paragraph
from ragsweep.chunkers.recursive import Recursive
from ragsweep.chunkers.sizes import settled
from ragsweep.chunkers.word import Word
from ragsweep.errors import InputError


@pytest.mark.parametrize(
    ("length", "given", "effective"),
    [
        ("words", (None, None), (160, 20)),
        ("tokens", (None, None), (200, 25)),
        ("characters", (None, None), (1000, 125)),
        ("words", (7, None), (7, 0)),
        ("words", (8, None), (8, 1)),
        ("words", (8, 0), (8, 0)),
        ("words", (None, 0), (160, 0)),
        ("tokens", (3, None), (3, 0)),
    ],
)
def test_effective_values(length: str, given: tuple[int | None, int | None], effective: tuple[int, int]) -> None:
    assert settled(length, *given) == effective  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (("words", 10, 12), "chunk_overlap=12 must be smaller than chunk_size=10: write chunk_overlap=1"),
        (("words", 10, 10), "chunk_overlap=10 must be smaller than chunk_size=10: write chunk_overlap=1"),
        (("words", 10, -1), "chunk_overlap=-1 must be 0 or more: write chunk_overlap=0"),
        (("words", 0, None), "chunk_size=0 must be 1 or more words: write chunk_size=160"),
        (("characters", -5, None), "chunk_size=-5 must be 1 or more characters: write chunk_size=1000"),
        (("tokens", 2, None), "chunk_size=2 must be 3 or more tokens: write chunk_size=200"),
        (("word", 5, 1), "length='word' is no unit of length: did you mean 'words'?"),
    ],
)
def test_mistakes_name_the_field_and_the_fix(values: tuple[str, int, int | None], message: str) -> None:
    with pytest.raises(InputError) as error:
        settled(*values)  # type: ignore[arg-type]
    assert str(error.value) == message


@pytest.mark.parametrize("chunker", [Word, Paragraph, Recursive])
def test_the_fields_hold_the_effective_values(chunker: type) -> None:
    built = chunker(chunk_size=80)
    assert (built.chunk_size, built.chunk_overlap) == (80, 10)
    assert built == chunker(80, 10) != chunker(80, 0)
    with pytest.raises(InputError):
        chunker(10, 10)
