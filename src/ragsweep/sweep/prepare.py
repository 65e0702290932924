"""Every distinct thing once, whatever the launcher: texts are embedded, indexes are assembled, all in the store."""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cache, partial
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from ragsweep import files
from ragsweep.embedders.prefixes import as_passages, as_queries
from ragsweep.errors import ServerError, VectorsError
from ragsweep.evaluation.run import queries
from ragsweep.index import Bm25Index, Dense, Sentences, SentenceSpans, Terms, distinct
from ragsweep.index.terms import Held
from ragsweep.parts import Chunker, Embedder
from ragsweep.redaction import redact
from ragsweep.retrievers import keyword_settings
from ragsweep.setups import SENTENCE_EMBEDDER, Setup, identity
from ragsweep.store import Store, VectorStore
from ragsweep.sweep import keys
from ragsweep.sweep.chunking import Chunking
from ragsweep.sweep.clock import Clock
from ragsweep.sweep.embedding import embed_passages, embed_queries, embedded
from ragsweep.sweep.plan import Plan
from ragsweep.sweep.progress import track
from ragsweep.sweep.reading import Corpus, keep_document
from ragsweep.text.copies import first_equals
from ragsweep.text.keywords import Language
from ragsweep.types import Document

FACTS, TOKENS, EQUALS = "facts.json", "tokens.json", "equals.npy"
TEXTS_HERE = 32
"""So many texts of a local model are no work for other processes: these take longer to start."""


class PlannedSetup(Protocol):
    """A setup as far as preparing asks: a planned one, or the job of a plan read back."""

    @property
    def id(self) -> str: ...  # noqa: D102
    @property
    def setup(self) -> Setup: ...  # noqa: D102
    @property
    def chunking(self) -> str: ...  # noqa: D102
    @property
    def error(self) -> str | None: ...  # noqa: D102


class Needed(Protocol):
    """What is to be prepared: a plan, or what is left of a frozen one."""

    @property
    def setups(self) -> Sequence[PlannedSetup]: ...  # noqa: D102
    @property
    def chunkings(self) -> Mapping[str, Chunking]: ...  # noqa: D102
    @property
    def corpora(self) -> Mapping[str, Corpus]: ...  # noqa: D102
    @property
    def asked(self) -> Sequence[str]: ...  # noqa: D102
    @property
    def n_jobs(self) -> int: ...  # noqa: D102


@dataclass
class Shared:
    """What the setups of a plan share, each thing once: found by walking the plan, before anything is built.

    ``passages`` are the texts of chunks and sentences to embed, by embedder, and ``asked`` those of queries, both as they are
    sent: apart, because the seconds of a query are charged to questions and so are measured one at a time. ``queries`` are
    the lists that setups ask;
    ``dense``, ``sentences`` and ``bm25`` are the index parts, by chunking; ``total`` counts a text as often as a part has it.
    ``hits``, by chunking, are the most that setups ask of: is this chunk equal to an earlier one?
    """

    plan: Needed
    passages: dict[Embedder, dict[str, None]] = field(default_factory=dict)
    asked: dict[Embedder, dict[str, None]] = field(default_factory=dict)
    queries: dict[tuple[Embedder, tuple[str, ...]], None] = field(default_factory=dict)
    dense: dict[tuple[str, Embedder], None] = field(default_factory=dict)
    sentences: dict[tuple[str, Language], tuple[SentenceSpans, list[str]]] = field(default_factory=dict)
    bm25: dict[tuple[str, Any], None] = field(default_factory=dict)
    hits: Counter[str] = field(default_factory=Counter)
    total: int = 0

    def __post_init__(self) -> None:
        self._read = cache(lambda reading, language: Terms(self.plan.corpora[reading].documents, language))
        self.passages_of = cache(self._passages_of)
        for planned in self.plan.setups:
            if planned.error is None:
                self._add_setup(planned.setup, planned.chunking)

    def _passages_of(self, chunking: str) -> list[str]:
        cut = self.plan.chunkings[chunking]
        return cut.chunks.passages(self.plan.corpora[cut.reading].documents)

    def named(self, chunking: str) -> tuple[keys.DocumentKeys, Chunker]:
        """What its parts are named by: the documents and the chunker."""
        cut = self.plan.chunkings[chunking]
        return self.plan.corpora[cut.reading].keys, cut.chunker

    def terms(self, chunking: str, language: Language) -> Held:
        """The keywords of all chunks; the documents are read once for all chunkings."""
        cut = self.plan.chunkings[chunking]
        return self._read(cut.reading, language).of(cut.chunks)

    def asks_for_copies(self, chunking: str) -> bool:
        """Whether equal chunks are found beforehand: where hits are fewer than chunks, a job compares them as they come."""
        return self.hits[chunking] >= len(self.plan.chunkings[chunking].chunks)

    @property
    def embedders(self) -> list[Embedder]:
        """The distinct embedders."""
        return list({**self.passages, **self.asked})

    @property
    def distinct(self) -> int:
        """Number of distinct texts to have vectors of."""
        return sum(len(self.texts(each)) for each in self.embedders)

    def texts(self, embedder: Embedder) -> list[str]:
        """The distinct texts to have vectors of one embedder of."""
        return list({**self.passages.get(embedder, {}), **self.asked.get(embedder, {})})

    def _add_setup(self, setup: Setup, chunking: str) -> None:
        for embedder in setup.query_embedders:
            texts = tuple(queries(setup, self.plan.asked))
            if (embedder, texts) not in self.queries:
                self.queries[embedder, texts] = None
                self._add_texts(self.asked, embedder, as_queries(texts, embedder))
        if setup.embedder is not None and (chunking, setup.embedder) not in self.dense:
            self.dense[chunking, setup.embedder] = None
            self._add_texts(self.passages, setup.embedder, as_passages(self.passages_of(chunking), setup.embedder))
        key = chunking, setup.sentence_language
        if "sentences" in setup.needs and key not in self.sentences:
            cut = self.plan.chunkings[chunking]
            self.sentences[key] = SentenceSpans.split(cut.chunks, self.plan.corpora[cut.reading].documents)
            self._add_texts(self.passages, SENTENCE_EMBEDDER, self.sentences[key][1])
        if "bm25" in setup.needs:
            self.bm25[chunking, keyword_settings(setup.retriever, setup.reranker)] = None
        if setup.chunker is not None and setup.dedupe == 1:
            self.hits[chunking] += setup.top_k * len(self.plan.asked)

    def _add_texts(self, texts: dict[Embedder, dict[str, None]], embedder: Embedder, more: Sequence[str]) -> None:
        self.total += len(more)
        texts.setdefault(embedder, {}).update(dict.fromkeys(more))


@dataclass(frozen=True)
class Ledger:
    """What preparing did: texts asked for, distinct ones, embedded now; parts built and found.

    By setup id: ``over_window`` counts its chunks that are over its embedder's window, ``zero_vectors`` those whose vector is
    zeros; ``index_tokens`` is what a server counted when their texts were first embedded; ``unprepared`` says why its
    embedder gave no vectors. ``lacking`` counts the texts without a vector, ``unkept`` the parts that could not be written to
    the store.
    """

    texts: int
    distinct: int
    embedded: int
    built: int
    found: int
    over_window: Mapping[str, int]
    zero_vectors: Mapping[str, int]
    index_tokens: Mapping[str, int | None]
    unprepared: Mapping[str, str]
    lacking: int
    unkept: int

    def lines(self) -> list[str]:
        """What the report says of it."""
        stored = self.distinct - self.embedded - self.lacking
        lacking = f", without a vector {self.lacking:,}" if self.lacking else ""
        return [
            f"texts {self.texts:,}, distinct {self.distinct:,}, embedded now {self.embedded:,}, from store {stored:,}{lacking}",
            f"shared parts: built {self.built}, from store {self.found}",
            *([f"warning: {self.unkept} parts could not be stored and stay in the run folder"] if self.unkept else []),
        ]


def prepare(plan: Plan, store: Store) -> Ledger:
    """Put all that the jobs of ``plan`` need into the store; says what it does on stderr."""
    keep_documents(plan, store)
    return build_shared(plan, store, Clock())


def keep_documents(plan: Plan, store: Store) -> None:
    """Store the texts of the documents, so that a run depends on no file of the user's."""
    for key, document in plan.documents():
        keep_document(store, key, document)


def build_shared(plan: Needed, store: Store, clock: Clock) -> Ledger:
    """Build all that the setups of ``plan`` share and the store does not hold."""
    before = store.built.total(), store.found.total()
    with clock.of("indexes"):
        shared = Shared(plan)
        for name, cut in plan.chunkings.items():
            store.build("chunks", keys.chunks_key(*shared.named(name)), cut.save)
            if shared.asks_for_copies(name):
                make = partial(_make_copies, cut, plan.corpora[cut.reading].documents)
                store.build("copies", keys.copies_key(*shared.named(name)), make)
    vectors = {embedder: store.vectors(identity(embedder)) for embedder in shared.embedders}
    failed = _embed(shared, vectors, clock)
    with clock.of("indexes"):
        index_facts = _assemble(shared, store, vectors, failed)
        found = _weigh(shared, store)
        lacking = sum(len(vectors[each].missing(shared.texts(each))) for each in failed)
    for kept in vectors.values():
        kept.close()
    of_setups = {
        planned.id: index_facts[planned.chunking, planned.setup.embedder]
        for planned in plan.setups
        if planned.error is None and planned.setup.embedder is not None and planned.setup.embedder not in failed
    }
    return Ledger(
        texts=shared.total,
        distinct=shared.distinct,
        embedded=sum(kept.embedded for kept in vectors.values()),
        built=store.built.total() - before[0],
        found=store.found.total() - before[1] + found,
        over_window={id: facts["over_window"] or 0 for id, facts in of_setups.items()},
        zero_vectors={id: facts["zero_vectors"] or 0 for id, facts in of_setups.items()},
        index_tokens={id: facts["tokens"] for id, facts in of_setups.items()},
        lacking=lacking,
        unkept=sum(1 for _ in store.spare.entries()) if store.spare is not None else 0,
        unprepared={planned.id: failed[each] for planned in plan.setups if (each := planned.setup.embedder) in failed},
    )


def _embed(shared: Shared, vectors: Mapping[Embedder, VectorStore], clock: Clock) -> dict[Embedder, str]:
    """Embed what is not stored. Why an embedder could not: it fails the setups that need it; what it did embed is stored."""
    failed: dict[Embedder, str] = {}
    for embedder, kept in vectors.items():
        few = "server" not in embedder.needs and len(kept.missing(shared.texts(embedder))) <= TEXTS_HERE
        n_jobs = 1 if few else shared.plan.n_jobs
        try:
            with clock.of("queries"):
                kept.fill(
                    shared.asked.get(embedder, ()), partial(embedded, embed_queries, embedder, "queries embedded", n_jobs)
                )
            with clock.of("vectors"):
                kept.fill(
                    shared.passages.get(embedder, ()), partial(embedded, embed_passages, embedder, "texts embedded", n_jobs)
                )
        except (ServerError, VectorsError) as error:
            if "server" not in embedder.needs:
                raise
            failed[embedder] = redact(str(error))
    return failed


def _assemble(
    shared: Shared, store: Store, vectors: Mapping[Embedder, VectorStore], failed: Mapping[Embedder, str]
) -> dict[tuple[str, Embedder], dict[str, int | None]]:
    """The parts of indexes that hold vectors, from the stored ones. The facts of each."""
    for embedder, texts in shared.queries:
        if embedder not in failed:
            make = partial(_make_queries, vectors[embedder], as_queries(texts, embedder))
            store.build("queries", keys.queries_key(texts, embedder), make)
    facts: dict[tuple[str, Embedder], dict[str, int | None]] = {}
    for name, embedder in shared.dense:
        if embedder not in failed:
            make = partial(_make_dense, vectors[embedder], embedder, as_passages(shared.passages_of(name), embedder))
            folder = store.build("dense", keys.dense_key(*shared.named(name), embedder), make)
            facts[name, embedder] = json.loads((folder / FACTS).read_bytes())
    for (name, language), (places, sentences) in shared.sentences.items():
        make = partial(_make_sentences, vectors[SENTENCE_EMBEDDER], places, sentences, language)
        store.build("sentences", keys.sentences_key(*shared.named(name), SENTENCE_EMBEDDER, language), make)
    return facts


def _weigh(shared: Shared, store: Store) -> int:
    """Build the keyword indexes that are missing, here: to weigh terms takes no longer than to send them to another process.
    How many were there."""
    tasks = [(*each, keys.bm25_key(*shared.named(each[0]), each[1])) for each in shared.bm25]
    missing = [task for task in tasks if store.sound("bm25", task[2]) is None]
    for name, settings, key in track(missing, "keyword indexes built", len(missing)):
        store.build("bm25", key, partial(_make_bm25, shared.terms(name, settings.language), settings))
    return len(tasks) - len(missing)


def _make_bm25(held: Held, settings: Any, folder: Path) -> None:
    Bm25Index.of(held, **asdict(settings)).save(folder)


def _make_copies(cut: Chunking, documents: Mapping[str, Document], folder: Path) -> None:
    files.write_array(folder / EQUALS, first_equals(cut.chunks.passages(documents)))


def _make_queries(vectors: VectorStore, texts: Sequence[str], folder: Path) -> None:
    matrix, seconds, _ = vectors.get(texts)
    files.write(folder / TOKENS, files.strict_json(vectors.tokens(texts)))
    files.write_array(folder / "vectors.npy", matrix)
    files.write_array(folder / "seconds.npy", seconds)


def _make_dense(vectors: VectorStore, embedder: Embedder, texts: Sequence[str], folder: Path) -> None:
    unique, rows = distinct(texts)
    matrix, tokens = vectors.get(unique)[0], vectors.tokens(unique)
    Dense.build(rows, matrix).save(folder)
    over, zero = np.array(embedder.over_window(unique))[rows], np.count_nonzero(matrix, axis=1)[rows] == 0
    counted = sum(each or 0 for each in tokens) if None not in tokens else None
    facts = {"over_window": int(over.sum()), "zero_vectors": int(zero.sum()), "tokens": counted}
    files.write(folder / FACTS, files.strict_json(facts))


def _make_sentences(
    vectors: VectorStore, places: SentenceSpans, texts: Sequence[str], language: Language, folder: Path
) -> None:
    Sentences.build(places, texts, vectors.get(texts)[0], language).save(folder)
