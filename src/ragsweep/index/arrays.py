"""Arrays on disk: ``.npy`` without pickle."""

from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from ragsweep import files


def save_array(path: Path, array: npt.NDArray[Any]) -> None:
    """Write one array, C-ordered."""
    stream = BytesIO()
    np.save(stream, np.ascontiguousarray(array), allow_pickle=False)
    files.publish(path, stream.getvalue())


def load_array(path: Path) -> npt.NDArray[Any]:
    """Open one array read-only and mapped, so that jobs share its memory. Raises ValueError when it would need pickle."""
    array: npt.NDArray[Any] = np.load(path, mmap_mode="r", allow_pickle=False)
    return array
