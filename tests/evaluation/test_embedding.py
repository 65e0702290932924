"""The embedding stage: searching by the vectors alone, and the margin between evidence and the hardest other chunk."""

from collections.abc import Mapping
from statistics import fmean

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragsweep.embedders.queries import PreparedVectors
from ragsweep.evaluation.embedding import embedding_score, margin
from ragsweep.evaluation.ranked import ranker
from ragsweep.evaluation.requirements import touching
from ragsweep.index import Chunks, Dense, Index
from ragsweep.metrics.gains import matches
from ragsweep.retrievers import retrieve
from ragsweep.retrievers.dense import Dense as DenseRetriever
from ragsweep.setups import SENTENCE_EMBEDDER
from ragsweep.types import Document, Evidence, Place, Question

WORDS = "alpha beta gamma delta alpha zeta"
SPANS = [(0, 5), (6, 10), (11, 16), (17, 22), (23, 28), (29, 33)]  # the fifth chunk has the text of the first
DOCUMENTS = {"a": Document("a", WORDS, "")}
CHUNKS = Chunks(("a",), np.array([(0, *span) for span in SPANS], dtype=np.int64))
ROWS = np.array([0, 1, 2, 3, 0, 4])


def asked(*places: tuple[int, int]) -> Question:
    evidence = tuple(Evidence("quote", WORDS[slice(*place)], (Place("a", *place),)) for place in places)
    return Question("q", f"what of {places}?", evidence)


def index(rng: np.random.RandomState) -> Index:
    vectors = rng.standard_normal((5, 8)).astype(np.float32)
    return Index(CHUNKS, DOCUMENTS, dense=Dense(ROWS, vectors / np.linalg.norm(vectors, axis=1, keepdims=True)))


@pytest.mark.parametrize("dedupe", [None, 1.0])
def test_it_is_what_the_dense_retriever_finds(dedupe: float | None) -> None:
    rng = np.random.RandomState(0)
    searched, questions = index(rng), [asked(SPANS[chunk]) for chunk in rng.randint(6, size=70)]
    asked_by = rng.standard_normal((70, 8)).astype(np.float32)
    found = embedding_score(searched, questions, asked_by, 2, dedupe)
    views = []
    for question, vector in zip(questions, asked_by, strict=True):
        prepared = PreparedVectors([question.text], vector[None], [0.0], SENTENCE_EMBEDDER)
        hits, _ = retrieve(DenseRetriever(), searched, [question.text], prepared.of_question(), 2, dedupe)
        views.append(ranker(question, DOCUMENTS, "union")(hits).view(2))
    assert found.recall == pytest.approx(fmean(view.recall for view in views))
    assert found.mrr == pytest.approx(fmean(view.rr for view in views))
    assert 0 < found.recall < 1
    assert embedding_score(searched, questions, asked_by, 2, dedupe, searched=views) == found


def cosines(question: Question, scores: Mapping[str, float]) -> float | None:
    """The margin of a question by the score of each distinct text."""
    vectors = np.array([[scores[word]] for word in ("alpha", "beta", "gamma", "delta", "zeta")], dtype=np.float32)
    searched = Index(CHUNKS, DOCUMENTS, dense=Dense(ROWS, vectors))
    return embedding_score(searched, [question], np.ones((1, 1), np.float32), 3, None).margin


def test_the_hardest_other_chunk_decides_and_not_the_mean() -> None:
    """One embedder puts a wrong chunk above the evidence, and all others far below."""
    needs = asked(SPANS[1])
    right = {"alpha": 0.5, "beta": 0.6, "gamma": 0.5, "delta": 0.5, "zeta": 0.5}
    wrong = {"alpha": 0.9, "beta": 0.8, "gamma": 0.0, "delta": 0.0, "zeta": 0.0}
    assert cosines(needs, right) == pytest.approx(0.1) and cosines(needs, wrong) == pytest.approx(-0.1)

    def by_the_mean(scores: Mapping[str, float]) -> float:
        return scores["beta"] - fmean(score for word, score in scores.items() if word != "beta")

    assert by_the_mean(wrong) > by_the_mean(right)


def test_a_copy_of_the_evidence_is_no_hardest_other_chunk() -> None:
    """With it the margin of every embedder would be 0, the good one's as well."""
    assert cosines(asked(SPANS[0]), {"alpha": 0.9, "beta": 0.2, "gamma": 0.1, "delta": 0.1, "zeta": 0.1}) == pytest.approx(0.7)


def test_of_several_evidences_the_nearest_counts() -> None:
    scores = {"alpha": 0.9, "beta": 0.2, "gamma": 0.5, "delta": 0.1, "zeta": 0.1}
    assert cosines(asked(SPANS[1], SPANS[0]), scores) == pytest.approx(0.4)


def test_a_question_without_evidence_here_or_without_anything_else_has_no_margin() -> None:
    everything = Question("q", "?", (Evidence("file", "a", (Place("a", 0, len(WORDS)),)),))
    nowhere = Question("q", "?", (Evidence("quote", "lost", ()),))
    searched = index(np.random.RandomState(0))
    found = embedding_score(searched, [everything, nowhere, asked(SPANS[1])], np.ones((3, 8), np.float32), 6, None)
    assert found.margin_questions == 1 and found.margin is not None
    assert found.recall == pytest.approx(2 / 3)  # what is nowhere stays in this mean, as in every Recall
    none = embedding_score(searched, [everything], np.ones((1, 8), np.float32), 6, None)
    assert (none.margin, none.margin_questions) == (None, 0)
    assert margin(np.array([0.5]), np.array([], np.int64)) is None


TEXT = " one  two three \n four five six "
ends = st.integers(0, len(TEXT))
evidences = st.builds(
    lambda kind, span, number: Evidence(
        kind, "label", (Place("a", min(span), max(span), number if kind == "chunk" else None),)
    ),
    st.sampled_from(["file", "page", "chunk", "quote", "span"]),
    st.tuples(ends, ends),
    st.integers(1, 5),
)


@given(evidences, st.sets(st.sampled_from([(1, 4), (1, 9), (6, 15), (11, 21), (18, 26), (23, 30)]), min_size=1))
def test_what_touches_an_evidence_is_what_precision_counts(evidence: Evidence, spans: set[tuple[int, int]]) -> None:
    chunks = Chunks(("a",), np.array(sorted((0, *span) for span in spans), dtype=np.int64))
    documents = {"a": Document("a", TEXT, "")}
    searched = Index(chunks, documents)
    counted = matches([searched.hit(place, 0.0) for place in range(len(chunks))], [evidence], documents)
    touched = {place for span in touching(chunks, documents)(evidence) for place in range(*span)}
    assert touched == {place for place, is_counted in enumerate(counted) if is_counted}
