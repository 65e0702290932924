"""The keyword indexes of 12 chunkings of the same files, beside bm25s on each."""

from collections.abc import Iterator
from functools import cache

from benchmarks.measuring import Comparison, Side, compared, in_turn
from benchmarks.texts import real_documents
from ragsweep.chunkers.paragraph import Paragraph
from ragsweep.chunkers.recursive import Recursive
from ragsweep.chunkers.sentence import Sentence
from ragsweep.chunkers.word import Word
from ragsweep.index import Bm25Index, Chunks, Terms, build_chunks
from ragsweep.types import Document

CHUNKERS = [kind(chunk_size=size) for kind in (Word, Sentence, Paragraph, Recursive) for size in (60, 120, 240)]
MEGABYTES = 1.7


@cache
def _cut() -> tuple[dict[str, Document], list[tuple[Chunks, list[str]]]]:
    documents = {document.id: document for document in real_documents(MEGABYTES)}
    chunkings = [build_chunks(documents.values(), chunker) for chunker in CHUNKERS]
    return documents, [(chunks, chunks.passages(documents)) for chunks in chunkings]


def compare(times: int) -> Iterator[Comparison]:
    """From cut chunks to weighted indexes; each side with its own words of a text, stemmed by the same stemmer."""
    documents, chunkings = _cut()

    def ours() -> list[Bm25Index]:
        terms = Terms(documents, "english")
        return [Bm25Index.of(terms.of(chunks)) for chunks, _ in chunkings]

    timed = in_turn(Side(ours), Side(_each), times)
    note = f"{sum(len(chunks) for chunks, _ in chunkings):,} chunks; weights alone take {_weights(times):.2f} s"
    yield compared(
        "bm25_index", f"{len(CHUNKERS)} chunkings of {MEGABYTES} MB", "bm25s tokenize + index on each", timed, 0.35, note
    )


def _each() -> list[object]:
    import bm25s
    import Stemmer

    stemmer = Stemmer.Stemmer("english")
    models = []
    for _, passages in _cut()[1]:
        model = bm25s.BM25(method="lucene", backend="numpy")
        model.index(bm25s.tokenize(passages, stopwords="en", stemmer=stemmer, show_progress=False), show_progress=False)
        models.append(model)
    return models


def _weights(times: int) -> float:
    documents, chunkings = _cut()
    terms = Terms(documents, "english")
    held = [terms.of(chunks) for chunks, _ in chunkings]
    once = Side(lambda: [Bm25Index.of(each) for each in held])
    return in_turn(once, once, times).ours
