"""Vectors of length 1, so that a product is a cosine."""

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from ragsweep.types import Matrix


def unit(vectors: "Matrix") -> "Matrix":
    """The rows of (n, d) scaled to length 1, a row of zeros as it is. Raises ValueError for NaN and infinity.

    >>> unit(np.array([[3, 4], [0, 0]], dtype=np.float32)).tolist()
    [[0.6000000238418579, 0.800000011920929], [0.0, 0.0]]
    """
    if not np.isfinite(vectors).all():
        raise ValueError("the model gave a vector with NaN or infinity")
    lengths: Matrix = np.linalg.norm(vectors, axis=1, keepdims=True)
    lengths[lengths == 0] = 1
    return vectors / lengths
