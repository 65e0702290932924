"""The bundled WordPiece tokenizer of MiniLM; the only user of ``tokenizers``. Nothing here adds special tokens."""

from collections.abc import Sequence
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

from ragsweep.errors import RagsweepError
from ragsweep.types import Span

if TYPE_CHECKING:
    from tokenizers import Tokenizer

CLS, SEP = 101, 102
"""Ids of the two special tokens that the model wants around its input."""
SPECIAL_TOKENS = 2

_FILE = Path(__file__).parent / "data" / "minilm-tokenizer.json"
SHA256 = "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037"


def read_tokenizer(content: bytes) -> "Tokenizer":
    """A tokenizer.json, without the truncation and padding that it asks for; "[SEP]" in a text is text."""
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_buffer(content)
    tokenizer.no_truncation()
    tokenizer.no_padding()
    tokenizer.encode_special_tokens = True
    return tokenizer


@cache
def _tokenizer() -> "Tokenizer":
    content = _FILE.read_bytes()
    if (found := sha256(content).hexdigest()) != SHA256:
        raise RagsweepError(f"{_FILE.name} is damaged (sha256 {found}, not {SHA256}): install ragsweep again")
    return read_tokenizer(content)


def encode(texts: Sequence[str]) -> list[list[int]]:
    """The token ids of each text.

    >>> encode(["Annual leave", ""])
    [[3296, 2681], []]
    """
    return [encoding.ids for encoding in _tokenizer().encode_batch_fast(texts, add_special_tokens=False)]


def count_tokens(texts: Sequence[str]) -> list[int]:
    """The number of tokens of each text."""
    return [len(encoding) for encoding in _tokenizer().encode_batch_fast(texts, add_special_tokens=False)]


def token_spans(text: str) -> list[Span]:
    """The span of each token; several tokens of one character share its span.

    >>> token_spans("Unpayable leave")
    [(0, 2), (2, 4), (4, 6), (6, 9), (10, 15)]
    """
    offsets: list[Span] = _tokenizer().encode(text, add_special_tokens=False).offsets
    return offsets
