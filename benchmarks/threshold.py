"""Recompute the threshold of the extractive generator: python benchmarks/threshold.py XQUAD_FOLDER

The folder holds files/p000.txt, p001.txt, ... and questions.json (the English part of XQuAD, one file label a question).
Each question is answered twice from three paragraphs: the best three of all (should be answered), and the best three when
its own paragraph is taken out (should be refused). The threshold is the one that refuses most with at least 90 % kept,
chosen on even-numbered paragraphs; odd-numbered ones tell how good it is.
"""

import json
import sys
from pathlib import Path

import numpy as np

from ragsweep.chunkers.page import Page
from ragsweep.embedders.minilm import MiniLM
from ragsweep.embedders.queries import PreparedVectors
from ragsweep.generators.extractive import sentence_scores
from ragsweep.index import Bm25Index, Dense, Index, Sentences, SentenceSpans, build_chunks
from ragsweep.retrievers import retrieve
from ragsweep.retrievers.hybrid import Hybrid
from ragsweep.types import Document

TOP = 3
KEPT = 0.9


def paragraphs_index(folder: Path) -> Index:
    """One chunk a paragraph, with all parts."""
    texts = {path.name: path.read_text("utf-8") for path in sorted((folder / "files").glob("*.txt"))}
    documents = {name: Document(name, text, sha256=name) for name, text in texts.items()}
    chunks = build_chunks(documents.values(), Page())
    places, sentences = SentenceSpans.split(chunks, documents)
    return Index(
        chunks,
        documents,
        Dense(np.arange(len(chunks)), MiniLM().embed(chunks.texts(documents))),
        Bm25Index.build(chunks.texts(documents)),
        Sentences.build(places, sentences, MiniLM().embed(sentences)),
    )


def best_scores(index: Index, questions: list[tuple[str, str]]) -> np.ndarray:
    """Shape (questions, 2): the best sentence score with the own paragraph in reach, and without it."""
    texts = list(dict.fromkeys(text for text, _ in questions))
    vectors = PreparedVectors(texts, MiniLM().embed(texts), [0.0] * len(texts), MiniLM()).of_question()
    rows = []
    for text, own in questions:
        hits, _ = retrieve(Hybrid(), index, [text], vectors, TOP + 1, dedupe=None)
        others = [hit for hit in hits if hit.document != own]
        views = (hits[:TOP], others[:TOP])
        rows.append([max(one.score for one in sentence_scores(index, text, vectors, view)) for view in views])
    return np.array(rows)


def main(folder: Path) -> None:
    """Print the threshold chosen on even paragraphs and a table for both halves."""
    asked = [
        (one["question"], one["required_evidence_ids"][0]) for one in json.loads((folder / "questions.json").read_text("utf-8"))
    ]
    scores = best_scores(paragraphs_index(folder), asked)
    even = np.array([int(own[1:4]) % 2 == 0 for _, own in asked])
    grid = np.round(np.arange(0.30, 0.61, 0.01), 2)
    chosen = max(threshold for threshold in grid if (scores[even, 0] >= threshold).mean() >= KEPT)
    print(f"chosen on even-numbered paragraphs: {chosen:.2f}")
    print("threshold  kept even  refused even  kept odd  refused odd")
    for threshold in np.round(np.arange(chosen - 0.04, chosen + 0.045, 0.01), 2):
        shares = [
            share
            for half in (even, ~even)
            for share in ((scores[half, 0] >= threshold).mean(), (scores[half, 1] < threshold).mean())
        ]
        print(
            f"{threshold:9.2f}" + "".join(f"{share:{width}.1%}" for share, width in zip(shares, (11, 14, 10, 13), strict=True))
        )


if __name__ == "__main__":
    main(Path(sys.argv[1]))
