"""Where the chunks of a chunker lie in the documents."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from ragsweep import files
from ragsweep.errors import InputError
from ragsweep.index.arrays import load_array
from ragsweep.types import Chunker, Document


@dataclass(frozen=True, eq=False)
class Chunks:
    """The chunks of all documents, ordered by (document id, start).

    ``documents`` are the sorted ids; ``spans`` has shape (n, 3), int64: a place in ``documents``, start, end.
    """

    documents: tuple[str, ...]
    spans: npt.NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.spans)

    def span(self, chunk: int) -> tuple[str, int, int]:
        """(document id, start, end) of the chunk at a place."""
        document, start, end = self.spans[chunk].tolist()
        return self.documents[document], start, end

    def number(self, chunk: int) -> int:
        """The 1-based number of the chunk in its document."""
        return chunk - int(np.searchsorted(self.spans[:, 0], self.spans[chunk, 0])) + 1

    def text(self, chunk: int, documents: Mapping[str, Document]) -> str:
        """The text of the chunk at a place."""
        document, start, end = self.span(chunk)
        return documents[document].text[start:end]

    def texts(self, documents: Mapping[str, Document]) -> list[str]:
        """The texts of all chunks, by place."""
        return [self.text(chunk, documents) for chunk in range(len(self))]

    def save(self, folder: Path) -> None:
        """Write ``spans.npy`` and ``documents.json``."""
        files.write_array(folder / "spans.npy", self.spans)
        files.write(folder / "documents.json", json.dumps(self.documents).encode())

    @classmethod
    def load(cls, folder: Path) -> "Chunks":
        """Open what ``save`` wrote; the arrays stay on disk (mmap)."""
        documents = json.loads((folder / "documents.json").read_bytes())
        return cls(tuple(documents), load_array(folder / "spans.npy"))


def build_chunks(documents: Iterable[Document], chunker: Chunker) -> Chunks:
    """Cut all documents. Raises InputError when no chunk comes out."""
    ordered = sorted(documents, key=lambda document: document.id)
    spans = [(place, *span) for place, document in enumerate(ordered) for span in chunker.split(document)]
    if not spans:
        raise InputError(f"no text to search in {', '.join(document.id for document in ordered) or 'an empty selection'}")
    return Chunks(tuple(document.id for document in ordered), np.array(spans, dtype=np.int64))


def distinct(texts: Sequence[str]) -> tuple[list[str], npt.NDArray[np.int64]]:
    """The distinct texts in the order of their first place, and for each text its row among them.

    >>> distinct(["b", "a", "b"])
    (['b', 'a'], array([0, 1, 0]))
    """
    rows: dict[str, int] = {}
    places = [rows.setdefault(text, len(rows)) for text in texts]
    return list(rows), np.array(places, dtype=np.int64)
