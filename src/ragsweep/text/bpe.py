"""The byte-pair tokens of OpenAI's models, by the extra ``tiktoken``; its encoding file is fetched once, by tiktoken itself."""

from collections.abc import Sequence
from functools import cache
from importlib.util import find_spec
from typing import TYPE_CHECKING

from ragsweep.errors import InputError

if TYPE_CHECKING:
    from tiktoken import Encoding

ENCODING = "cl100k_base"


def require() -> None:
    """Raises InputError when the package is not installed."""
    if find_spec("tiktoken") is None:
        raise InputError(f"tiktoken:{ENCODING} needs the package tiktoken: pip install 'ragsweep[tiktoken]'")


@cache
def _encoding() -> "Encoding":
    require()
    import tiktoken

    return tiktoken.get_encoding(ENCODING)


def count_tokens(texts: Sequence[str]) -> list[int]:
    """The number of tokens of each text; what looks like a special token is text."""
    return [len(_encoding().encode_ordinary(text)) for text in texts]


def token_starts(text: str) -> list[int]:
    """Where each token begins; several tokens of one character begin with it. White space is in tokens, too."""
    encoding = _encoding()
    starts: list[int] = encoding.decode_with_offsets(encoding.encode_ordinary(text))[1]
    return starts
