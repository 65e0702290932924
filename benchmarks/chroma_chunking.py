"""Recompute figures of Chroma's chunking report: [TIKTOKEN_CACHE_DIR=...] python benchmarks/chroma_chunking.py FOLDER [--dense]

The folder holds files/*.md and questions.json, the data of "Evaluating Chunking Strategies for Retrieval" (Smith and Troynikov,
2024). For each chunking: precision-omega in per cent as published and as found, mean +- population standard deviation; the
second figure places each chunk as the program of the report does, at the first occurrence of its text. With --dense also
character recall, precision and IoU of the five nearest chunks by minilm, overflow=truncate. Needs the extra tiktoken.
"""

import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from ragsweep.chunkers.recursive import Recursive
from ragsweep.chunkers.token import Token
from ragsweep.documents import parse
from ragsweep.embedders.minilm import MiniLM
from ragsweep.index import build_chunks
from ragsweep.metrics.characters import Passage, characters, precision_omega
from ragsweep.parts import Chunker
from ragsweep.types import Document

SEPARATORS = ("\n\n", "\n", ".", "?", "!", " ", "")
CL100K = "tiktoken:cl100k_base"


def recursive(size: int, overlap: int, length: str) -> Chunker:
    """The recursive splitter of the report, as a setting of ours."""
    return Recursive(size, overlap, length, SEPARATORS, "right", "pieces")  # type: ignore[arg-type]


PUBLISHED = {
    ("Recursive", 200, 0, CL100K): "29.9 +- 18.4",
    ("Recursive", 400, 0, CL100K): "17.7 +- 14.0",
    ("Recursive", 400, 200, CL100K): "13.9 +- 10.4",
    ("Recursive", 800, 400, CL100K): " 6.7 +-  5.2",
    ("Token", 200, 0, CL100K): "21.0 +- 11.9",
    ("Token", 400, 0, CL100K): "12.5 +-  8.1",
    ("Token", 400, 200, CL100K): " 8.4 +-  5.1",
    ("Token", 800, 400, CL100K): " 4.7 +-  3.1",
    ("Recursive", 200, 0, "tokens"): "31.2 +- 18.4",
    ("Recursive", 250, 0, "tokens"): "26.7 +- 18.3",
    ("Recursive", 250, 125, "tokens"): "21.9 +- 14.9",
}
DENSE = {
    (200, 0): "75.7 +- 40.7   6.5 +-  6.2   6.5 +-  6.1",
    (250, 0): "78.5 +- 39.5   5.4 +-  4.9   5.4 +-  4.9",
    (250, 125): "78.7 +- 39.2   4.9 +-  4.5   4.9 +-  4.4",
}


def passages(documents: dict[str, Document], chunker: Chunker) -> list[Passage]:
    """The chunks of all files."""
    chunks = build_chunks(documents.values(), chunker)
    return [chunks.span(place) for place in range(len(chunks))]


def as_placed(documents: dict[str, Document], chunks: Sequence[Passage]) -> Iterator[Passage]:
    """Each chunk at the first occurrence of its text, without a full stop at its end."""
    for id, start, end in chunks:
        text = documents[id].text[start:end].removesuffix(".")
        first = documents[id].text.index(text)
        yield id, first, first + len(text)


def near(chunks: Sequence[Passage], evidence: Sequence[Passage]) -> list[Passage]:
    """The chunks of the evidence's files."""
    files = {id for id, _, _ in evidence}
    return [chunk for chunk in chunks if chunk[0] in files]


def shown(values: Sequence[float]) -> str:
    """Mean and population standard deviation, in per cent."""
    return f"{100 * np.mean(values):5.2f} +- {100 * np.std(values):5.2f}"


def main(folder: Path, *, dense: bool) -> None:
    """Print one line a chunking, then one a dense search."""
    documents = {path.name: parse(path.read_bytes(), path.name) for path in sorted((folder / "files").glob("*.md"))}
    asked = json.loads((folder / "questions.json").read_text("utf-8"))
    evidence = [[(one["source"], one["start"], one["end"]) for one in question["references"]] for question in asked]
    print(f"{len(asked)} questions\nprecision-omega{'':27}published      ragsweep          placed as in the report")
    for (name, size, overlap, length), published in PUBLISHED.items():
        chunks = passages(
            documents,
            recursive(size, overlap, length) if name == "Recursive" else Token(size, overlap, length),  # type: ignore[arg-type]
        )
        columns = [
            shown([precision_omega(near(each, places), places) for places in evidence])
            for each in (chunks, list(as_placed(documents, chunks)))
        ]
        print(f"{f'{name} {size}/{overlap} {length}':40}{published:>14}   {'   '.join(columns)}", flush=True)
    if not dense:
        return
    print(f"five nearest by minilm, truncated: recall, precision, IoU\n{'':20}{'published':45}ragsweep")
    embedder = MiniLM(overflow="truncate")
    queries = embedder.embed([question["question"] for question in asked])
    for (size, overlap), published in DENSE.items():
        chunks = passages(documents, recursive(size, overlap, "tokens"))
        vectors = embedder.embed([documents[id].text[start:end] for id, start, end in chunks])
        nearest = np.argsort(-(queries @ vectors.T), axis=1, kind="stable")[:, :5]
        scores = [characters([chunks[one] for one in row], places) for row, places in zip(nearest, evidence, strict=True)]
        columns = [shown([getattr(score, key) for score in scores]) for key in ("recall", "precision", "iou")]
        print(f"{f'Recursive {size}/{overlap}':20}{published:45}{'   '.join(columns)}", flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]), dense="--dense" in sys.argv)
