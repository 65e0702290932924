"""A transformer as an ONNX file, run by onnxruntime on one thread, and texts that are longer than its window."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

from ragsweep.embedders.unit import unit
from ragsweep.errors import InputError

if TYPE_CHECKING:
    from ragsweep.types import Matrix

Overflow: TypeAlias = Literal["pool", "truncate"]
"""A text over the window is the scaled mean of its windows' unit vectors, or its first window."""
Pooling: TypeAlias = Literal["mean", "cls"]
"""The vector of a window: the mean of its token vectors, special tokens included, or that of its first token."""
INPUTS = ("input_ids", "attention_mask", "token_type_ids")


class Transformer:
    """An opened model. ``before`` and ``after`` are the ids of the special tokens around a text.

    ``batch`` windows are run together. 1 unless the model is known to give the same bits for any batch: one whose activations
    are quantised takes its scale from the whole batch. Raises InputError for a file that is no such model.
    """

    def __init__(
        self, path: Path, before: Sequence[int], after: Sequence[int], pooling: Pooling = "mean", batch: int = 1
    ) -> None:
        import onnxruntime

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1  # setups run side by side, a core each
        options.log_severity_level = 4  # what goes wrong is raised too
        try:
            self._session = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
        except Exception as error:
            raise InputError(f"{path}: onnxruntime cannot open it: {error}") from error
        self._path = path
        self._inputs = [each.name for each in self._session.get_inputs()]
        if unknown := sorted(set(self._inputs) - set(INPUTS)):
            raise InputError(f"{path}: the model asks for {', '.join(unknown)}, not only for {', '.join(INPUTS)}")
        outputs = [each.name for each in self._session.get_outputs() if len(each.shape) == 3]
        if not outputs:
            raise InputError(f"{path}: the model gives no vector for each token: export it for feature-extraction")
        self._output = outputs[0]
        self._before, self._after, self._pooling, self._batch = tuple(before), tuple(after), pooling, batch
        self._dimension = self._run([()]).shape[1]

    def embed(self, texts: Sequence[Sequence[int]], window: int, overflow: Overflow) -> "Matrix":
        """Shape (len(texts), d), float32, of texts given as token ids: rows of length 1, or 0 for a text without tokens.

        ``window`` counts the special tokens. Raises ValueError when the model gives NaN.
        """
        size = window - len(self._before) - len(self._after)
        windows: list[Sequence[int]] = []
        owners: list[int] = []
        for text, ids in enumerate(texts):
            starts = range(0, len(ids), size) if overflow == "pool" else range(min(1, len(ids)))
            windows += [ids[start : start + size] for start in starts]
            owners += [text] * len(starts)
        sums = np.zeros((len(texts), self._dimension), dtype=np.float32)
        for owner, vector in zip(owners, unit(self._embed_windows(windows)), strict=True):
            sums[owner] += vector
        return unit(sums)

    def _embed_windows(self, windows: Sequence[Sequence[int]]) -> "Matrix":
        """Shape (len(windows), d); those of similar length are run together."""
        vectors = np.zeros((len(windows), self._dimension), dtype=np.float32)
        by_length = sorted(range(len(windows)), key=lambda place: len(windows[place]))
        for start in range(0, len(by_length), self._batch):
            places = by_length[start : start + self._batch]
            vectors[places] = self._run([windows[place] for place in places])
        return vectors

    def _run(self, windows: Sequence[Sequence[int]]) -> "Matrix":
        """Shape (len(windows), d): padded to the last and longest, pooled over each window's own tokens."""
        tokens = [[*self._before, *ids, *self._after] for ids in windows]
        ids = np.zeros((len(tokens), len(tokens[-1])), dtype=np.int64)
        mask = np.zeros_like(ids)
        for row, each in enumerate(tokens):
            ids[row, : len(each)] = each
            mask[row, : len(each)] = 1
        values = dict(zip(INPUTS, (ids, mask, np.zeros_like(ids)), strict=True))
        try:
            (hidden,) = self._session.run([self._output], {name: values[name] for name in self._inputs})
        except Exception as error:
            said = f"the model fails on {ids.shape[1]} tokens; is its window smaller?"
            raise InputError(f"{self._path}: {said} {error}") from error
        used = [1 if self._pooling == "cls" else len(each) for each in tokens]
        means: Matrix = np.stack([row[:count].mean(axis=0, dtype=np.float32) for row, count in zip(hidden, used, strict=True)])
        return means
