"""The byte-pair tokens of OpenAI's models, by the extra ``tiktoken``; its encoding file is fetched once, by tiktoken itself."""

from collections.abc import Sequence
from functools import cache
from importlib.util import find_spec
from typing import TYPE_CHECKING

from ragsweep.errors import InputError

if TYPE_CHECKING:
    from tiktoken import Encoding

ENCODING = "cl100k_base"


FILE = "9b5ad71b2ce5302211f9c61530b329a4922fc6a4"
"""What tiktoken calls ``cl100k_base.tiktoken`` in a folder of such files: the SHA-1 of the address that it comes from."""


def require() -> None:
    """Raises InputError when the package is not installed, or its encoding file is not there and cannot be fetched."""
    _encoding()


@cache
def _encoding() -> "Encoding":
    if find_spec("tiktoken") is None:
        raise InputError(f"tiktoken:{ENCODING} needs the package tiktoken: pip install 'ragsweep[tiktoken]'")
    import tiktoken

    try:
        return tiktoken.get_encoding(ENCODING)
    except (OSError, ValueError) as error:
        raise InputError(
            f"tiktoken:{ENCODING}: its encoding file cannot be fetched ({type(error).__name__}): "
            f"put {ENCODING}.tiktoken into a folder as {FILE}, and name the folder in TIKTOKEN_CACHE_DIR"
        ) from error


def count_tokens(texts: Sequence[str]) -> list[int]:
    """The number of tokens of each text; what looks like a special token is text."""
    return [len(_encoding().encode_ordinary(text)) for text in texts]


def token_starts(text: str) -> list[int]:
    """Where each token begins; several tokens of one character begin with it. White space is in tokens, too."""
    encoding = _encoding()
    starts: list[int] = encoding.decode_with_offsets(encoding.encode_ordinary(text))[1]
    return starts
