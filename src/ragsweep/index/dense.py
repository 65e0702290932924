"""The vectors of the chunks."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from ragsweep import files
from ragsweep.index.arrays import load_array

if TYPE_CHECKING:
    from ragsweep.types import Matrix, Vector


@dataclass(frozen=True, eq=False)
class Dense:
    """Unit vectors of the distinct chunk texts.

    ``rows`` has shape (n,), int64: the row of each chunk's text in ``vectors``, shape (u, d), float32. A row is all zeros
    for a text without tokens.
    """

    rows: npt.NDArray[np.int64]
    vectors: "Matrix"

    @classmethod
    def build(cls, rows: npt.NDArray[np.int64], vectors: "Matrix") -> "Dense":
        """Raises ValueError when a number is not finite."""
        if not np.isfinite(vectors).all():
            raise ValueError("a chunk vector holds NaN or infinity")
        return cls(rows, vectors)

    def scores(self, vector: "Vector") -> npt.NDArray[np.float32]:
        """Shape (n,): the cosine of each chunk to a unit vector, in -1..1; 0 for a zero vector.

        One matrix-vector product over the distinct texts: a batched product would differ in the last bits, and equal texts
        score equal. Raises ValueError when the vector has another length or is not finite.
        """
        if vector.shape != self.vectors.shape[1:] or not np.isfinite(vector).all():
            raise ValueError(
                f"the query vector {vector.shape} is not finite or does not fit the chunk vectors {self.vectors.shape}"
            )
        scores: npt.NDArray[np.float32] = (self.vectors @ vector)[self.rows]
        return scores

    def save(self, folder: Path) -> None:
        """Write ``rows.npy`` and ``vectors.npy``."""
        files.write_array(folder / "rows.npy", self.rows)
        files.write_array(folder / "vectors.npy", self.vectors)

    @classmethod
    def load(cls, folder: Path) -> "Dense":
        """Open what ``save`` wrote; the arrays stay on disk (mmap)."""
        return cls(load_array(folder / "rows.npy"), load_array(folder / "vectors.npy"))
