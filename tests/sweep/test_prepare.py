"""Every distinct thing once: shown by an embedder that counts, over several chunkers and sizes."""

import json
import threading
import time
from collections import Counter
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest

from ragsweep import setups
from ragsweep.chunkers.page import Page
from ragsweep.chunkers.paragraph import Paragraph
from ragsweep.chunkers.word import Word
from ragsweep.rag_types.adaptive import Adaptive
from ragsweep.rag_types.simple import Simple
from ragsweep.retrievers.bm25 import Bm25
from ragsweep.retrievers.dense import Dense
from ragsweep.retrievers.hybrid import Hybrid
from ragsweep.store import Store
from ragsweep.sweep import embedding, keys, prepare
from ragsweep.sweep.frozen import PLAN, FrozenCorpus, FrozenPlan, freeze
from ragsweep.sweep.opening import open_index, open_queries
from ragsweep.sweep.plan import make_plan
from ragsweep.text.copies import first_equals


@dataclass(frozen=True)
class Counting:
    """Embeds a text as its first letters, and keeps every call."""

    name: str = "one"
    pause: float = 0.0
    version: ClassVar[int] = 1
    needs: ClassVar[frozenset[str]] = frozenset()
    query_prefix: ClassVar[str] = ""
    passage_prefix: ClassVar[str] = ""
    calls: ClassVar[list[list[str]]] = []

    @property
    def model(self) -> str:
        return self.name

    def embed(self, texts):
        if texts != ["warm-up"]:
            Counting.calls.append(list(texts))
        time.sleep(self.pause)
        letters = [[ord(letter) for letter in text.ljust(8)[:8]] for text in texts]
        matrix = np.array(letters, dtype=np.float32)
        return matrix / np.linalg.norm(matrix, axis=1, keepdims=True)

    def over_window(self, texts):
        return [len(text) > 30 for text in texts]

    @property
    def times(self) -> Counter:
        return Counter(text for call in self.calls for text in call)


@pytest.fixture(autouse=True)
def counting(monkeypatch):
    """One embedder for retrieval and for the sentences."""
    Counting.calls.clear()
    for module in (setups, prepare):
        monkeypatch.setattr(module, "SENTENCE_EMBEDDER", Counting())
    return Counting()


@pytest.fixture
def rows(row, counting):
    """Two retrievers, two RAG types and five chunkings, which share many texts."""
    chunkers = [Word(5, 1), Word(5, 2), Word(6, 1), Paragraph(6, 0), Page()]
    return [
        row(name=f"{place}{type(rag).__name__}{type(retriever).__name__}", chunker=chunker, **parts)
        for place, chunker in enumerate(chunkers)
        for rag in (Simple(), Adaptive())
        for retriever in (Dense(), Hybrid())
        for parts in [{"rag_type": rag, "retriever": retriever, "embedder": counting}]
    ]


def test_every_distinct_text_once_over_all_chunkings_and_none_in_a_second_run(want, rows, store, counting):
    plan = make_plan(want(*rows), store)
    assert Counting.calls == []  # the plan computes nothing
    ledger = prepare.prepare(plan, store)
    warm = counting.times
    questions = plan.asked
    texts = {text for cut in plan.chunkings.values() for text in cut.chunks.texts(plan.any_corpus.documents)}
    assert texts | set(questions) <= set(warm)
    assert set(warm.values()) == {1}
    assert (ledger.distinct, ledger.embedded) == (len(warm), len(warm))
    assert ledger.texts > 1.5 * ledger.distinct

    Counting.calls.clear()
    again = Store(store.root)
    second = prepare.prepare(make_plan(want(*rows), again), again)
    assert Counting.calls == []
    assert (second.embedded, second.built, second.distinct) == (0, 0, ledger.distinct)
    assert second.found == ledger.built
    assert second.over_window == ledger.over_window


def test_the_lines_of_the_ledger_add_up(want, rows, store):
    first = prepare.prepare(make_plan(want(*rows[:4]), store), store)
    assert first.lines() == [
        f"texts {first.texts:,}, distinct {first.distinct:,}, embedded now {first.distinct:,}, from store 0",
        f"shared parts: built {first.built}, from store 0",
    ]
    more = prepare.prepare(make_plan(want(*rows), store), store)
    assert more.lines()[0].endswith(f"embedded now {more.embedded:,}, from store {more.distinct - more.embedded:,}")
    assert 0 < more.embedded < more.distinct


def test_queries_are_embedded_alone_and_passages_in_batches(want, rows, store):
    plan = make_plan(want(*rows), store)
    prepare.prepare(plan, store)
    questions = set(plan.asked)
    assert all(len(call) == 1 for call in Counting.calls if questions & set(call))
    assert max(map(len, Counting.calls)) > 1


def test_the_seconds_of_a_query_are_its_own(want, row, store, monkeypatch):
    plan = make_plan(want(row(retriever=Dense(), embedder=Counting())), store)
    clock = iter(range(1000))
    monkeypatch.setattr(embedding, "perf_counter", lambda: next(clock) ** 2)
    prepare.prepare(plan, store)
    texts = plan.asked
    folder = store.find("queries", keys.queries_key(texts, Counting()))
    seconds = np.load(folder / "seconds.npy").tolist()
    # Longest first: 1 - 0, 9 - 4, 25 - 16.
    ordered = sorted(texts, key=len, reverse=True)
    assert [seconds[texts.index(text)] for text in ordered] == [1, 5, 9]
    assert np.load(folder / "vectors.npy").shape == (3, 8)


def test_two_that_start_together_embed_once(want, row, project):
    root, errors = project.root / "shared", []
    slow = Counting(pause=0.05)

    def one():
        try:
            store = Store(root)
            plan = make_plan(want(row(chunker=Word(3, 0), retriever=Dense(), embedder=slow)), store)
            start.wait()
            prepare.prepare(plan, store)
        except BaseException as error:
            errors.append(error)

    start = threading.Barrier(2)
    threads = [threading.Thread(target=one) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    assert set(slow.times.values()) == {1}


def test_only_what_is_used_is_prepared(want, row, store):
    ledger = prepare.prepare(make_plan(want(row(), row(name="k1", retriever=Bm25(k1=2.0))), store), store)
    assert Counting.calls == []
    assert (ledger.texts, ledger.distinct, ledger.embedded) == (0, 0, 0)
    assert {entry.kind for entry in store.entries()} == {"documents", "chunks", "copies", "bm25"}
    assert sum(entry.kind == "bm25" for entry in store.entries()) == 2


def test_chunks_over_the_window_are_counted_copies_too(want, row, store, project):
    (project.root / "docs" / "copy.md").write_text((project.root / "docs" / "leave.md").read_text())
    plan = make_plan(want(row(retriever=Dense(), embedder=Counting())), store)
    assert prepare.prepare(plan, store).over_window == {plan.setups[0].id: 3}


def test_chunks_over_the_window_are_those_of_each_embedder(want, row, store):
    class Wide(Counting):
        def over_window(self, texts):
            return [False for _ in texts]

    rows = [row(name=each.__name__, retriever=Dense(), embedder=each()) for each in (Counting, Wide)]
    plan = make_plan(want(*rows), store)
    narrow, wide = (planned.id for planned in plan.setups)
    assert prepare.prepare(plan, store).over_window == {narrow: 2, wide: 0}


def frozen_of(plan, folder):
    """A plan of one setup as its job reads it, and the setup."""
    freeze(plan, folder)
    (planned,), (corpus,) = plan.setups, plan.corpora.values()
    content = json.loads((folder / PLAN).read_bytes())
    files = content["corpora"][planned.reading]["files"]
    return FrozenPlan(folder, content, plan.settings, [], {planned.reading: FrozenCorpus(files, corpus.questions)}), planned


def test_query_and_passage_of_one_text_have_a_vector_each_when_their_prefixes_differ(want, row, store, project):
    class Prefixed(Counting):
        query_prefix: ClassVar[str] = "q: "
        passage_prefix: ClassVar[str] = "p: "

    text = (project.root / "docs" / "leave.md").read_text()
    project.questions([{"id": "q", "question": text, "required_evidence_ids": ["leave.md"]}])
    plan = make_plan(want(row(retriever=Dense(), embedder=Prefixed())), store)
    prepare.prepare(plan, store)
    assert {f"q: {text}", f"p: {text}"} < set(Prefixed().times) and text not in Prefixed().times
    frozen, planned = frozen_of(plan, project.root)
    passages = open_index(frozen, planned).dense.vectors
    query = open_queries(frozen, planned, Prefixed()).of_question().vector(text)
    assert np.array_equal(query, Prefixed().embed([f"q: {text}"])[0])
    assert not any(np.array_equal(query, row) for row in passages)
    assert any(np.array_equal(Prefixed().embed([f"p: {text}"])[0], row) for row in passages)


@pytest.mark.parametrize(
    ("dedupe", "top_k", "known"),
    [(1.0, 30, True), (0.9, 30, False), (None, 30, False), (1.0, 1, False)],  # 3 hits, and more chunks than that
)
def test_equal_chunks_are_found_beforehand_where_as_many_hits_are_compared(want, row, store, project, dedupe, top_k, known):
    plan = make_plan(want(row(chunker=Word(5, 1), dedupe=dedupe, top_k=top_k, top_n=1)), store)
    prepare.prepare(plan, store)
    frozen, planned = frozen_of(plan, project.root)
    index = open_index(frozen, planned)
    assert len(index) > 3
    assert (index.first_equals is not None) == known
    assert not known or np.array_equal(index.first_equals, first_equals([index.passage(place) for place in range(len(index))]))


def test_a_setup_that_cannot_be_cut_asks_for_nothing(want, row, store, project):
    class Broken(Page):
        def split(self, document):
            raise RuntimeError("no")

    plan = make_plan(want(row(name="a"), row(name="b", chunker=Broken(), retriever=Dense(), embedder=Counting())), store)
    prepare.prepare(plan, store)
    assert Counting.calls == []


def test_the_key_of_an_entry_says_what_it_is(want, row, store):
    prepare.prepare(make_plan(want(row(chunker=Word(5, 1), retriever=Dense(), embedder=Counting())), store), store)
    described = {entry.kind: json.dumps(entry.key) for entry in store.entries()}
    assert '"chunk_size": 5' in described["chunks"]
    assert '"name": "one"' in described["dense"]
    assert '"parser"' in described["documents"]
