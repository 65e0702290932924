"""A job: one setup of a frozen plan, from plan.json to its records on disk. `python -m ragsweep.worker PLAN ID` runs one."""

import logging
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ragsweep.embedders.queries import PreparedVectors
    from ragsweep.index import Index
    from ragsweep.setups import Setup
    from ragsweep.store import Store
    from ragsweep.sweep.frozen import FrozenPlan
    from ragsweep.types import Embedder


def worker(plan: str, setup_id: str) -> None:
    """Answer every question of one setup that has no record yet, and append each record as it is finished.

    The truth is on disk; nothing is returned. What breaks the whole setup is written to its run.log and raised.
    """
    from ragsweep import files
    from ragsweep.evaluation.run import run
    from ragsweep.sweep.frozen import RECORDS, record_line, thaw
    from ragsweep.types import Record

    frozen = thaw(Path(plan))
    job = frozen.job(setup_id)
    folder = frozen.folder / job.folder
    files.make_folder(folder)
    done = frozen.records(job)
    asked = [(question.text, 0) for question in frozen.questions if (question.text, 0) not in done]
    if not asked:
        return

    def keep(record: Record) -> None:
        files.append_line(folder / RECORDS, record_line(job.id, record))

    with _log_to(folder / "run.log") as log:
        log.info("%s: %d questions to answer", job.name, len(asked))
        try:
            index = open_index(frozen, job.setup)
            vectors = {each: open_queries(frozen, job.setup, each) for each in job.setup.query_embedders}
            run(job.setup, index, dict.fromkeys(asked), vectors, keep)
        except Exception as error:  # what breaks the whole setup is a failure of each question that was left
            log.exception("the setup %s stopped", job.name)
            done = frozen.records(job)
            for question, repeat in dict.fromkeys(asked):
                if (question, repeat) not in done:
                    keep(Record(question, repeat, "failed", error=f"{type(error).__name__}: {error}"))
            raise


def open_index(frozen: "FrozenPlan", setup: "Setup") -> "Index":
    """The index of a setup, with the parts that it needs, mapped from the store."""
    from ragsweep.index import Bm25Index, Chunks, Dense, Index, Sentences
    from ragsweep.retrievers import keyword_settings
    from ragsweep.setups import SENTENCE_EMBEDDER
    from ragsweep.sweep import keys

    store, documents, chunker = frozen.store, frozen.document_keys, setup.chunker
    parts: dict[str, Any] = {}
    if setup.embedder is not None:
        parts["dense"] = Dense.load(_entry(store, "dense", keys.dense_key(documents, chunker, setup.embedder)))
    if "bm25" in setup.needs:
        key = keys.bm25_key(documents, chunker, keyword_settings(setup.retriever))
        parts["bm25"] = Bm25Index.load(_entry(store, "bm25", key))
    if "sentences" in setup.needs:
        key = keys.sentences_key(documents, chunker, SENTENCE_EMBEDDER)
        parts["sentences"] = Sentences.load(_entry(store, "sentences", key))
    chunks = Chunks.load(_entry(store, "chunks", keys.chunks_key(documents, chunker)))
    return Index(chunks, frozen.documents(), **parts)


def open_queries(frozen: "FrozenPlan", setup: "Setup", embedder: "Embedder") -> "PreparedVectors":
    """The prepared vectors of what a setup asks of an embedder."""
    import numpy as np

    from ragsweep.embedders.queries import PreparedVectors
    from ragsweep.evaluation.run import queries
    from ragsweep.sweep import keys

    texts = queries(setup, (question.text for question in frozen.questions))
    folder = _entry(frozen.store, "queries", keys.queries_key(texts, embedder))
    return PreparedVectors(texts, np.load(folder / "vectors.npy"), np.load(folder / "seconds.npy").tolist(), embedder)


def _entry(store: "Store", kind: Any, key: Mapping[str, Any]) -> Path:
    from ragsweep.errors import StoreError

    folder = store.find(kind, key)
    if folder is None:
        raise StoreError(f"{kind}: what was prepared for this setup is no longer in the store {store.root}")
    return folder


@contextmanager
def _log_to(path: Path) -> Iterator[logging.Logger]:
    log = logging.getLogger("ragsweep")
    handler = logging.FileHandler(path, encoding="utf-8")
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    log.addHandler(handler)
    level = log.level
    log.setLevel(logging.INFO)
    try:
        yield log
    finally:
        log.setLevel(level)
        log.removeHandler(handler)
        handler.close()


def hydra_job(config: Any) -> None:
    """The task function for Hydra's own launchers: runs the job that the sweeper named."""
    worker(config.worker.plan, config.worker.setup)


if __name__ == "__main__":
    worker(sys.argv[1], sys.argv[2])
