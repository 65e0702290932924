"""The extra tiktoken: without the package an error, with a stand-in of its two calls the same arithmetic as for WordPiece."""

import re
import sys
from collections.abc import Iterator
from importlib.machinery import ModuleSpec
from types import ModuleType

import pytest

from ragsweep.chunkers.recursive import Recursive
from ragsweep.chunkers.token import Token
from ragsweep.errors import InputError
from ragsweep.text import bpe
from ragsweep.types import Document

CL100K = "tiktoken:cl100k_base"


class Letters:
    """Tokens of up to three letters with the space before them; a character outside ASCII is a token a byte."""

    def encode_ordinary(self, text: str) -> list[bytes]:
        pieces = re.findall(r" ?[a-z]{1,3}|\s|[^\sa-z]", text)
        return [
            token
            for piece in pieces
            for token in ([piece.encode()] if piece.isascii() else [bytes([b]) for b in piece.encode()])
        ]

    def decode_with_offsets(self, tokens: list[bytes]) -> tuple[str, list[int]]:
        """As tiktoken does: a token that begins inside a character has the place of that character."""
        starts, length = [], 0
        for token in tokens:
            starts.append(max(0, length - (0x80 <= token[0] < 0xC0)))
            length += sum(not 0x80 <= byte < 0xC0 for byte in token)
        return b"".join(tokens).decode(), starts


@pytest.fixture
def letters(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    module = ModuleType("tiktoken")
    module.__spec__ = ModuleSpec("tiktoken", None)
    module.get_encoding = {"cl100k_base": Letters()}.__getitem__  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "tiktoken", module)
    bpe._encoding.cache_clear()
    yield
    bpe._encoding.cache_clear()


@pytest.mark.parametrize("chunker", [Token, Recursive])
def test_without_the_package_the_message_says_what_to_install(chunker: type[Token], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bpe, "find_spec", lambda name: None)
    with pytest.raises(InputError, match=re.escape("pip install 'ragsweep[tiktoken]'")):
        chunker(length=CL100K)  # type: ignore[arg-type]


def test_without_its_file_the_message_says_where_to_put_it(letters: None, monkeypatch: pytest.MonkeyPatch) -> None:
    def get_encoding(name: str) -> Letters:
        raise ConnectionError("no route to host")

    monkeypatch.setattr(sys.modules["tiktoken"], "get_encoding", get_encoding)
    with pytest.raises(InputError, match=r"cannot be fetched \(ConnectionError\): put .* in TIKTOKEN_CACHE_DIR"):
        Token(length=CL100K)  # type: ignore[arg-type]


@pytest.mark.usefixtures("letters")
def test_windows() -> None:
    text = "abcdef gh 年ij"  # abc|def| gh|" "|three bytes|ij
    found = [text[start:end] for start, end in Token(3, 1, CL100K).split(Document("a.md", text, ""))]  # type: ignore[arg-type]
    assert found == ["abcdef gh", "年", "ij"]  # "gh" alone lies inside the first
    assert Token(length=CL100K).chunk_size == 200  # type: ignore[arg-type]


@pytest.mark.usefixtures("letters")
def test_packing_counts_white_space_and_no_special_tokens() -> None:
    text = "abc def\n\nghi"

    def found(size: int) -> list[str]:
        chunker = Recursive(size, 0, CL100K)  # type: ignore[arg-type]
        return [text[start:end] for start, end in chunker.split(Document("a.md", text, ""))]

    assert bpe.count_tokens([text]) == [5]
    assert (found(5), found(4)) == ([text], ["abc def", "ghi"])
    assert found(1) == ["abc", "def", "ghi"]
