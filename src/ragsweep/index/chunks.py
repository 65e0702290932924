"""Where the chunks of a chunker lie in the documents, and what they carry beside their own text."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import numpy as np
import numpy.typing as npt

from ragsweep import files
from ragsweep.errors import InputError
from ragsweep.index.arrays import load_array
from ragsweep.index.context import contexts
from ragsweep.parts import Chunker
from ragsweep.types import Document


@dataclass(frozen=True, eq=False)
class Chunks:
    """The chunks of all documents, ordered by (document id, start).

    ``documents`` are the sorted ids; ``spans`` has shape (n, 3), int64: a place in ``documents``, start, end. ``context`` has
    shape (m, 3), int64: the place of a chunk, and the start and end of a span of its document that it carries, ascending.
    """

    documents: tuple[str, ...]
    spans: npt.NDArray[np.int64]
    context: npt.NDArray[np.int64] = field(default_factory=lambda: np.zeros((0, 3), np.int64))

    def __len__(self) -> int:
        return len(self.spans)

    def span(self, chunk: int) -> tuple[str, int, int]:
        """(document id, start, end) of the chunk at a place."""
        document, start, end = self.spans[chunk].tolist()
        return self.documents[document], start, end

    def number(self, chunk: int) -> int:
        """The 1-based number of the chunk in its document."""
        return chunk - self._firsts[int(self.spans[chunk, 0])] + 1

    @cached_property
    def _firsts(self) -> list[int]:
        """The place of the first chunk of each document."""
        firsts: list[int] = np.searchsorted(self.spans[:, 0], np.arange(len(self.documents))).tolist()
        return firsts

    def text(self, chunk: int, documents: Mapping[str, Document]) -> str:
        """The text of the chunk at a place: its own span, which alone counts as evidence and in words."""
        document, start, end = self.span(chunk)
        return documents[document].text[start:end]

    def passage(self, chunk: int, documents: Mapping[str, Document]) -> str:
        """What is searched, compared and given to a generator: the context of the chunk, a line each, and its text."""
        if not len(self.context):
            return self.text(chunk, documents)
        text = documents[self.span(chunk)[0]].text
        first, after = np.searchsorted(self.context[:, 0], [chunk, chunk + 1])
        above = [text[start:end] for _, start, end in self.context[first:after].tolist()]
        return "\n".join([*above, self.text(chunk, documents)])

    def texts(self, documents: Mapping[str, Document]) -> list[str]:
        """The texts of all chunks, by place."""
        texts = [documents[name].text for name in self.documents]
        return [texts[document][start:end] for document, start, end in self.spans.tolist()]

    def passages(self, documents: Mapping[str, Document]) -> list[str]:
        """The passages of all chunks, by place."""
        own, carrying = self.texts(documents), set(self.context[:, 0].tolist())
        return [self.passage(chunk, documents) if chunk in carrying else text for chunk, text in enumerate(own)]

    def save(self, folder: Path) -> None:
        """Write ``spans.npy``, ``context.npy`` and ``documents.json``."""
        files.write_array(folder / "spans.npy", self.spans)
        files.write_array(folder / "context.npy", self.context)
        files.write(folder / "documents.json", json.dumps(self.documents).encode())

    @classmethod
    def load(cls, folder: Path) -> "Chunks":
        """Open what ``save`` wrote; the arrays stay on disk (mmap)."""
        documents = json.loads((folder / "documents.json").read_bytes())
        return cls(tuple(documents), load_array(folder / "spans.npy"), load_array(folder / "context.npy"))


def build_chunks(documents: Iterable[Document], chunker: Chunker) -> Chunks:
    """Cut all documents. Raises InputError when no chunk comes out.

    Every chunk carries the header of its table; those of a chunker with ``heading_path`` carry their headings.
    """
    ordered = sorted(documents, key=lambda document: document.id)
    headings = getattr(chunker, "heading_path", False)
    spans: list[tuple[int, int, int]] = []
    context: list[tuple[int, int, int]] = []
    for place, document in enumerate(ordered):
        own = list(chunker.split(document))
        carried = enumerate(contexts(document, own, headings), start=len(spans))
        context += [(chunk, *span) for chunk, above in carried for span in above]
        spans += [(place, *span) for span in own]
    if not spans:
        raise InputError(f"no text to search in {', '.join(document.id for document in ordered) or 'an empty selection'}")
    ids = tuple(document.id for document in ordered)
    return Chunks(ids, np.array(spans, dtype=np.int64), np.array(context, dtype=np.int64).reshape(-1, 3))


def distinct(texts: Sequence[str]) -> tuple[list[str], npt.NDArray[np.int64]]:
    """The distinct texts in the order of their first place, and for each text its row among them.

    >>> distinct(["b", "a", "b"])
    (['b', 'a'], array([0, 1, 0]))
    """
    rows: dict[str, int] = {}
    places = [rows.setdefault(text, len(rows)) for text in texts]
    return list(rows), np.array(places, dtype=np.int64)
