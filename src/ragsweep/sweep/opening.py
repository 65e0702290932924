"""What was prepared, opened by a job: the index of its setup and the vectors of its queries, mapped from the store."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from ragsweep.contexts.locating import Locator
from ragsweep.embedders.queries import PreparedVectors
from ragsweep.errors import StoreError
from ragsweep.evaluation.run import queries
from ragsweep.index import ABSENT, Bm25Index, Chunks, Dense, Incoming, Index, Sentences
from ragsweep.index.arrays import load_array
from ragsweep.parts import Chunker, Embedder
from ragsweep.retrievers import keyword_settings
from ragsweep.setups import SENTENCE_EMBEDDER
from ragsweep.store import Kind, Store
from ragsweep.sweep import keys
from ragsweep.sweep.frozen import FrozenPlan, Job
from ragsweep.sweep.prepare import EQUALS, TOKENS


def open_index(frozen: FrozenPlan, job: Job) -> Index:
    """The index of a job, with the parts that its setup needs, mapped from the store."""
    corpus, setup = frozen.corpora[job.reading], job.setup
    if setup.chunker is None:
        documents_read = frozen.documents[job.reading]
        return Index(ABSENT, documents_read, incoming=Incoming(Locator(documents_read)))
    store, documents, chunker = frozen.store, corpus.keys, setup.chunker
    parts: dict[str, Any] = {}
    if setup.embedder is not None:
        parts["dense"] = Dense.load(_entry(store, "dense", keys.dense_key(documents, chunker, setup.embedder)))
    if "bm25" in setup.needs:
        key = keys.bm25_key(documents, chunker, keyword_settings(setup.retriever, setup.reranker))
        parts["bm25"] = Bm25Index.load(_entry(store, "bm25", key))
    if "sentences" in setup.needs:
        key = keys.sentences_key(documents, chunker, SENTENCE_EMBEDDER, setup.sentence_language)
        parts["sentences"] = Sentences.load(_entry(store, "sentences", key))
    chunks = Chunks.load(_entry(store, "chunks", keys.chunks_key(documents, chunker)))
    return Index(chunks, frozen.documents[job.reading], first_equals=known_equals(store, documents, chunker), **parts)


def known_equals(store: Store, documents: keys.DocumentKeys, chunker: Chunker) -> npt.NDArray[np.int32] | None:
    """Which chunks are equal, where the store knows: no part that a job needs, as it can compare them."""
    folder = store.find("copies", keys.copies_key(documents, chunker))
    return load_array(folder / EQUALS) if folder else None


def open_queries(frozen: FrozenPlan, job: Job, embedder: Embedder) -> PreparedVectors:
    """The prepared vectors of what a job asks of an embedder."""
    texts = queries(job.setup, (question.text for question in frozen.corpora[job.reading].questions))
    folder = _entry(frozen.store, "queries", keys.queries_key(texts, embedder))
    matrix, seconds = (np.load(folder / f"{name}.npy") for name in ("vectors", "seconds"))
    return PreparedVectors(texts, matrix, seconds.tolist(), embedder, json.loads((folder / TOKENS).read_bytes()))


def _entry(store: Store, kind: Kind, key: Mapping[str, Any]) -> Path:
    folder = store.find(kind, key)
    if folder is None:
        raise StoreError(f"{kind}: what was prepared for this setup is no longer in the store {store.root}")
    return folder
