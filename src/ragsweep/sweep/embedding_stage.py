"""The embedding stage: the stored vectors of chunks and questions, scored by themselves."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ragsweep.embedders.prefixes import as_queries
from ragsweep.errors import InputError, StoreError
from ragsweep.evaluation.embedding import embedding_score
from ragsweep.index import Dense, Index
from ragsweep.rag_types.search import Search
from ragsweep.rag_types.simple import Simple
from ragsweep.results import EmbeddingScore, Score, View
from ragsweep.retrievers.dense import Dense as ByVectors
from ragsweep.setups import Setup, identity
from ragsweep.sweep import keys
from ragsweep.sweep.chunking import Chunking
from ragsweep.sweep.frozen import Job
from ragsweep.sweep.opening import known_equals
from ragsweep.sweep.runs import Runs


class Embeddings:
    """The score of each embedder over each chunking, computed once however many setups share it. Nothing is embedded, and
    nothing searched where a setup has: ``scores`` are those of all setups, by their ids.

    ``lost`` are the run lines that say whose vectors are no longer in the store.
    """

    def __init__(self, runs: Runs, cuts: Mapping[str, Chunking], scores: Mapping[str, Sequence[Score]]) -> None:
        self._runs, self._cuts, self._of_setups = runs, cuts, scores
        self._scores: dict[Any, EmbeddingScore | None] = {}
        self.lost: dict[str, None] = {}

    def score(self, job: Job) -> EmbeddingScore | None:
        """That of the vectors that a setup uses; None where it uses none, or they are lost, or no question is answerable."""
        setup, chunking = job.setup, self._cuts.get(job.chunking)
        if setup.embedder is None or chunking is None:
            return None
        key = _search(job)
        if key not in self._scores:
            try:
                self._scores[key] = self._score(job, chunking)
            except (StoreError, InputError) as error:
                self._scores[key] = None
                self.lost[f"no embedding stage of {job.chunking}: {error}"] = None
        return self._scores[key]

    def _score(self, job: Job, chunking: Chunking) -> EmbeddingScore | None:
        runs, setup, plan = self._runs, job.setup, self._runs.plan_of(job)
        if setup.embedder is None or plan.unprepared(job):
            return None
        texts = runs.texts[job.reading]
        questions = [question for question in texts.questions if question.answerable]
        if not questions:
            return None
        key = keys.dense_key(plan.corpora[job.reading].keys, chunking.chunker, setup.embedder)
        folder = plan.store.find("dense", key)
        if folder is None:
            raise StoreError(f"its vectors are no longer in the store {plan.store.root}")
        stored = plan.store.vectors(identity(setup.embedder))
        vectors, _, found = stored.get(as_queries([question.text for question in questions], setup.embedder))
        stored.close()
        if not np.all(found):
            raise StoreError(f"the vectors of the questions are no longer in the store {plan.store.root}")
        known = known_equals(plan.store, plan.corpora[job.reading].keys, chunking.chunker)
        index = Index(chunking.chunks, texts.documents, dense=Dense.load(folder), first_equals=known)
        rule, searched = runs.plans[0].settings.evidence_match, self._searched(job)
        return embedding_score(index, questions, vectors, setup.top_k, setup.dedupe, rule, searched)

    def _searched(self, job: Job) -> list[View] | None:
        """What a setup found that makes the same search, and got through with every question; None where there is none."""
        for other in self._runs.jobs:
            scores = self._of_setups[other.id]
            if _search(other) == _search(job) and _by_vectors(other.setup) and all(each.status != "failed" for each in scores):
                return [each.retrieved for each in scores if each.retrieved and each.repeat == 0]
        return None


def _search(job: Job) -> tuple[Any, ...]:
    """What a search by the vectors alone depends on."""
    return job.chunking, job.setup.embedder, job.setup.top_k, job.setup.dedupe


def _by_vectors(setup: Setup) -> bool:
    """Whether a setup's retrieved list is that of its question, by its vectors alone."""
    return isinstance(setup.retriever, ByVectors) and isinstance(setup.rag_type, Search | Simple)
