"""Opening a stored index in a job, beside mapping its arrays."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from benchmarks.measuring import Comparison, Side, compared, in_turn
from benchmarks.texts import real_chunks
from ragsweep.index import Bm25Index, Chunks, Dense

COUNT, DIMENSIONS = 100_000, 384


def compare(times: int) -> Iterator[Comparison]:
    """100,000 chunks with vectors and a keyword index."""
    with TemporaryDirectory() as name:
        folders = [Path(name) / part for part in ("chunks", "dense", "bm25")]
        for folder in folders:
            folder.mkdir()
        spans = np.stack([np.zeros(COUNT), np.arange(COUNT), np.arange(COUNT) + 1], axis=1).astype(np.int64)
        Chunks(("a.md",), spans).save(folders[0])
        Dense(np.arange(COUNT), np.zeros((COUNT, DIMENSIONS), np.float32)).save(folders[1])
        Bm25Index.build(real_chunks(COUNT)).save(folders[2])
        arrays = sorted(Path(name).glob("*/*.npy"))
        ours = Side(lambda: (Chunks.load(folders[0]), Dense.load(folders[1]), Bm25Index.load(folders[2])))
        other = Side(lambda: [np.load(path, mmap_mode="r") for path in arrays])
        timed = in_turn(ours, other, max(times, 20), clock="wall")
    row = compared("opening", f"an index of {COUNT:,} chunks, dense and bm25", "np.load(mmap) of its arrays", timed, 30.0)
    yield replace(row, ratio=1000 * (timed.ours - timed.other), unit="ms more")
