"""What names each thing that is built once: the keys of store entries. No path, no job and no label is in a key."""

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from ragsweep.files import digest
from ragsweep.parts import Chunker, Component, Embedder
from ragsweep.setups import describe, identity
from ragsweep.text.keywords import Language

CHUNKS_VERSION = 3
COPIES_VERSION = 1
DENSE_VERSION = 2
QUERIES_VERSION = 2
SENTENCES_VERSION = 2
BM25_VERSION = 2
"""Each goes up when the same spans or chunks would give another part."""

Key: TypeAlias = Mapping[str, Any]
DocumentKeys: TypeAlias = Sequence[tuple[str, str]]
"""(document id, digest of its text, pages, headings and blocks), by id."""


def chunks_key(documents: DocumentKeys, chunker: Chunker) -> Key:
    """The chunks of the documents."""
    return {"documents": [list(pair) for pair in documents], "chunker": describe(chunker), "version": CHUNKS_VERSION}


def copies_key(documents: DocumentKeys, chunker: Chunker) -> Key:
    """Which chunks are equal."""
    return {**_of_chunks(documents, chunker), "version": COPIES_VERSION}


def dense_key(documents: DocumentKeys, chunker: Chunker, embedder: Embedder) -> Key:
    """The vectors of the distinct chunk texts."""
    return {**_of_chunks(documents, chunker), "embedder": identity(embedder), "version": DENSE_VERSION}


def sentences_key(documents: DocumentKeys, chunker: Chunker, embedder: Embedder, language: Language) -> Key:
    """The sentences of the chunks, their vectors and stems."""
    of = _of_chunks(documents, chunker)
    return {**of, "embedder": identity(embedder), "language": language, "version": SENTENCES_VERSION}


def bm25_key(documents: DocumentKeys, chunker: Chunker, settings: Component) -> Key:
    """The keyword index of the chunks."""
    return {**_of_chunks(documents, chunker), "bm25": describe(settings), "version": BM25_VERSION}


def queries_key(texts: Sequence[str], embedder: Embedder) -> Key:
    """The vectors of what a sweep asks."""
    return {"texts": digest(list(texts)), "embedder": identity(embedder), "version": QUERIES_VERSION}


def _of_chunks(documents: DocumentKeys, chunker: Chunker) -> dict[str, Any]:
    return {"chunks": digest(chunks_key(documents, chunker)), "chunker": describe(chunker)}
