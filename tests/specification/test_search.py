"""SPEC 5 and the rows of FAULTS on searching, each over an index small enough to check by hand."""

from dataclasses import replace
from math import log, sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragsweep.errors import InputError
from ragsweep.index import Bm25Index, Chunks, Dense, Index, distinct
from ragsweep.rerankers.blend import Blend
from ragsweep.rerankers.mmr import Mmr
from ragsweep.rerankers.none import NoReranker
from ragsweep.rerankers.overlap import Overlap
from ragsweep.retrievers import dense, retrieve
from ragsweep.retrievers.bm25 import Bm25
from ragsweep.retrievers.hybrid import Hybrid
from ragsweep.types import Document


class Asked:
    """Every query has the same vector."""

    def __init__(self, *vector):
        self.asked = np.array(vector, dtype=np.float32)

    def vector(self, text):
        return self.asked


def index_of(texts, vectors=None):
    """One chunk a document; one vector a chunk."""
    names = [f"{place:03}.txt" for place in range(len(texts))]
    documents = {name: Document(name, text, "") for name, text in zip(names, texts, strict=True)}
    chunks = Chunks(tuple(names), np.array([(place, 0, len(text)) for place, text in enumerate(texts)], dtype=np.int64))
    matrix = np.array(vectors if vectors is not None else np.zeros((len(texts), 2)), dtype=np.float32)
    return Index(chunks, documents, Dense.build(np.arange(len(texts)), matrix), Bm25Index.build(texts))


def places(hits):
    return [hit.chunk for hit in hits]


def found(retriever, index, query="q", vector=(1, 0), top_k=10, dedupe=None):
    return places(retrieve(retriever, index, [query], Asked(*vector), top_k, dedupe)[0])


def test_f1b_more_hits_asked_than_chunks():
    index = index_of(["leave one", "leave two", "leave three"], np.eye(3))
    for retriever in (Bm25(), dense.Dense(), Hybrid()):
        assert len(found(retriever, index, "leave", (1, 0, 0), top_k=10)) == 3


def test_f5b_the_best_match_is_the_fourth_chunk():
    index = index_of(["pay day", "pay week", "pay year", "leave pay leave"], [[0, 1], [0, 1], [0, 1], [1, 0]])
    for retriever in (Bm25(), dense.Dense(), Hybrid()):
        assert found(retriever, index, "leave", top_k=2)[0] == 3


@pytest.mark.parametrize("query", ["the of and", "unknown", "", "?!"])
def test_f6b_a_query_without_known_words_returns_nothing(query):
    assert found(Bm25(), index_of(["the leave of staff", "and the day"]), query) == []


def test_chunks_without_a_word_of_the_query_are_never_returned_and_so_give_no_evidence():
    index = index_of(["pay", "leave", "day"])
    assert found(Bm25(), index, "leave", top_k=3) == [1]
    padded = [place for place, _ in sorted(enumerate(index.bm25.scores("leave")), key=lambda item: -item[1])][:3]
    evidence = 0  # a list padded with zero scores "finds" it by standing in the way: recall 1.0 for a search that found nothing
    assert evidence in padded


def test_g1_a_zero_vector_scores_zero_and_never_stands_above_a_positive_score():
    index = index_of(["a", "b", "c"], [[1, 0], [sqrt(0.5), sqrt(0.5)], [0, 0]])
    assert found(dense.Dense(), index, top_k=2) == [0, 1]
    assert index.dense.scores(np.array([1, 0], dtype=np.float32))[2] == 0
    with pytest.raises(ValueError, match="NaN"):
        index_of(["a"], [[np.nan, 1]])


def test_b9_equal_scores_stand_by_place_whatever_k():
    index = index_of(["same one", "same two", "same six", "same ten"], [[1, 0]] * 4)
    for retriever in (Bm25(), dense.Dense(), Hybrid()):
        for top_k in range(1, 5):
            assert found(retriever, index, "same", top_k=top_k) == list(range(top_k))


def test_bm25_counts_over_all_chunks_so_copies_lower_the_weight_of_their_words():
    texts = ["red leave", "red leave", "red day", "blue"]
    whole, one_of_each = Bm25Index.build(texts), Bm25Index.build(distinct(texts)[0])
    assert whole.scores("leave")[0] < one_of_each.scores("leave")[0]


# ---- hybrid ------------------------------------------------------------------------------------------------------------


def test_rrf_sums_reciprocal_ranks():
    index = index_of(["leave leave", "day", "leave"], [[0.6, 0.8], [1, 0], [0, 1]])
    hits, _ = retrieve(Hybrid(), index, ["leave"], Asked(1, 0), 3, None)
    scores = {hit.chunk: hit.score for hit in hits}  # dense: 1, 0, 2; bm25: 0, 2
    assert scores == {0: round(1 / 62 + 1 / 61, 6), 2: round(1 / 63 + 1 / 62, 6), 1: round(1 / 61, 6)}
    assert places(hits) == [0, 2, 1]


def test_convex_stretches_each_list():
    index = index_of(["leave leave", "day", "leave"], [[0.6, 0.8], [1, 0], [0, 1]])
    hits, _ = retrieve(Hybrid(fusion="convex", dense_weight=0.4), index, ["leave"], Asked(1, 0), 3, None)
    assert {hit.chunk: hit.score for hit in hits} == {0: 0.84, 1: 0.4, 2: 0.0}


def test_candidates_cut_each_list_before_the_fusion():
    index = index_of(["leave leave", "day", "leave"], [[0.6, 0.8], [1, 0], [0, 1]])
    assert found(Hybrid(candidates=1), index, "leave") == [0, 1]


@pytest.mark.parametrize(("top_k", "expected"), [(10, 50), (60, 60)])
def test_candidates_are_50_or_top_k(top_k, expected):
    index = index_of([f"word{place}" for place in range(80)], [[1, 0]] * 80)
    assert len(Hybrid().rank(index, "none", Asked(1, 0), top_k, top_k)) == expected


@pytest.mark.parametrize(
    ("options", "effective"),
    [
        ({}, (60, 1.0, 1.0)),
        ({"rrf_k": 10, "dense_weight": 2}, (10, 2.0, 1.0)),
        ({"fusion": "convex", "rrf_k": 10}, (None, 0.5, 0.5)),
        ({"fusion": "convex", "dense_weight": 0.7}, (None, 0.7, 0.3)),
        ({"fusion": "convex", "dense_weight": 0.7, "bm25_weight": 0.3}, (None, 0.7, 0.3)),
    ],
)
def test_the_fields_of_hybrid_hold_what_takes_effect(options, effective):
    hybrid = Hybrid(**options)
    assert (hybrid.rrf_k, hybrid.dense_weight, hybrid.bm25_weight) == effective


def test_a_weight_of_0_is_the_other_retriever_alone():
    index = index_of(["leave", "day", "leave leave"], [[1, 0], [0, 1], [0, 1]])
    assert found(Hybrid(dense_weight=0), index, "leave") == found(Bm25(), index, "leave") == [2, 0]
    assert found(Hybrid(fusion="convex", dense_weight=1), index, "leave") == found(dense.Dense(), index) == [0, 1, 2]


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Hybrid(fusion="rff"), "did you mean 'rrf'"),
        (lambda: Hybrid(fusion="sum"), "write rrf or convex"),
        (lambda: Hybrid(rrf_k=0), "rrf_k=0 must be 1 or more"),
        (lambda: Hybrid(candidates=0), "candidates=0 must be 1 or more"),
        (lambda: Hybrid(dense_weight=-1), "dense_weight=-1 .*must be 0 or more"),
        (lambda: Hybrid(dense_weight=0, bm25_weight=0), "one of them above 0"),
        (lambda: Hybrid(dense_weight=float("nan")), "must be 0 or more"),
        (lambda: Hybrid(fusion="convex", dense_weight=1.5), "must be 0 or more"),
        (lambda: Hybrid(fusion="convex", bm25_weight=1.0), "leave out bm25_weight"),
        (lambda: Bm25(k1=-0.1), "k1=-0.1 must be 0 or more"),
        (lambda: Bm25(b=1.5), "b=1.5 must be in 0..1"),
    ],
)
def test_bad_fields(make, message):
    with pytest.raises(InputError, match=message):
        make()


# ---- near-copies -------------------------------------------------------------------------------------------------------

COPIES = [
    "twenty days of leave",
    "Twenty days of leave!",
    "twenty  days of leave",
    "leave lapses in March",
    "leave for parents",
]


def test_copies_are_dropped_before_the_cut_which_is_refilled():
    index = index_of(COPIES, [[1, 0], [0.9, 0], [0.8, 0], [0.7, 0], [0.6, 0]])
    hits, copies = retrieve(dense.Dense(), index, ["leave"], Asked(1, 0), 2, 1.0)
    assert (places(hits), places(copies)) == (
        [0, 3],
        [1, 2],
    )  # dropped after the cut, chunk 3 would be lost: recall 0 where it is 1
    assert found(dense.Dense(), index, top_k=2, dedupe=None) == [0, 1]


@pytest.mark.parametrize(
    ("top_k", "kept", "dropped"), [(1, [0], []), (2, [0, 3], [1, 2]), (3, [0, 3, 4], [1, 2]), (9, [0, 3, 4], [1, 2])]
)
def test_only_copies_above_the_last_kept_hit_are_given(top_k, kept, dropped):
    index = index_of([*COPIES, "leave for parents"], [[1, 0], [0.9, 0], [0.8, 0], [0.7, 0], [0.6, 0], [0.5, 0]])
    hits, copies = retrieve(dense.Dense(), index, ["leave"], Asked(1, 0), top_k, 1.0)
    assert (places(hits), places(copies)) == (kept, dropped)


def test_near_copies_by_threshold_against_any_earlier_hit():
    base = "staff may take up to twenty days of leave"  # 5 shingles
    near, other = base.replace("leave", "rest"), "nothing else is said about it here"
    index = index_of([base, other, near], [[1, 0], [0.9, 0], [0.8, 0]])  # Jaccard 4 / 6 with the first
    assert found(dense.Dense(), index, dedupe=1.0) == [0, 1, 2]
    assert found(dense.Dense(), index, dedupe=0.6) == [0, 1]


@pytest.mark.parametrize("retriever", [dense.Dense(), Hybrid(), Hybrid(fusion="convex")])
def test_a_list_that_copies_ate_is_asked_for_at_greater_depth(retriever):
    texts = ["copy"] * 90 + ["first other", "second other"]
    index = index_of(texts, [[1, 0]] * 90 + [[0.5, 0], [0.4, 0]])
    hits, copies = retrieve(retriever, index, ["copy"], Asked(1, 0), 2, 1.0)
    assert (places(hits), places(copies)) == ([0, 90], list(range(1, 90)))  # 90 stands beyond the 50 candidates


def test_the_parts_of_a_question_are_fused_and_cut():
    index = index_of(["leave rule leave", "pay rule", "leave and pay rule", "leave"])
    hits, _ = retrieve(Bm25(), index, ["leave", "pay"], Asked(1, 0), 2, None)
    assert [found(Bm25(), index, part, top_k=3) for part in ("leave", "pay")] == [[3, 0, 2], [1, 2]]
    assert [(hit.chunk, hit.score) for hit in hits] == [(1, round(1 / 61, 6)), (3, round(1 / 61, 6))]
    hits, _ = retrieve(Bm25(), index, ["leave", "pay"], Asked(1, 0), 3, None)  # at 3 both lists reach chunk 2
    assert [(hit.chunk, hit.score) for hit in hits] == [(2, round(1 / 63 + 1 / 62, 6)), (1, 0.016393), (3, 0.016393)]


def test_each_part_is_cut_to_top_k_also_where_the_retriever_returns_more():
    index = index_of(["leave", "pay", "day", "week"], [[1, 0], [0.9, 0], [0.8, 0], [0.7, 0]])
    # leave: 0, 1, 2, 3; pay: 1, 0, 2, 3. With their tails, chunk 0 would get 1/61 + 1/62.
    hits, _ = retrieve(Hybrid(), index, ["leave", "pay"], Asked(1, 0), 1, None)
    assert [(hit.chunk, hit.score) for hit in hits] == [(0, round(1 / 61, 6))]


# ---- rerankers ---------------------------------------------------------------------------------------------------------


def pool_of(index, *chunks):
    return [index.hit(chunk, 1 - rank / 10) for rank, chunk in enumerate(chunks)]


def test_none_keeps_order_and_scores():
    index = index_of(["a", "b", "c"])
    assert NoReranker().rerank(index, "b", Asked(1, 0), pool_of(index, 2, 0, 1)) == pool_of(index, 2, 0, 1)


def test_blend_is_the_mean_of_two_population_z_scores_over_the_pool():
    index = index_of(["leave", "day", "week"], [[0, 1], [0.6, 0.8], [1, 0]])
    hits = Blend().rerank(index, "leave", Asked(1, 0), pool_of(index, 0, 1, 2))
    dense_scores, words = np.array([0, 0.6, 1]), np.array([1.0, 0, 0])
    expected = sum(0.5 * (scores - scores.mean()) / scores.std(ddof=0) for scores in (dense_scores, words))
    assert {hit.chunk: hit.score for hit in hits} == pytest.approx(dict(enumerate(expected)), abs=1e-6)
    assert places(hits) == [2, 0, 1]


def test_blend_measures_against_the_pool_not_against_the_index():
    # Chunk 2 is far off in meaning and outside the pool: z-scores over the index would press the dense difference of the
    # pool together, so that the words decide and the other chunk wins.
    texts = ["pay and leave", "leave leave pay", "stone", "rock"]
    index = index_of(texts, [[0.6, 0.8], [0.5, sqrt(0.75)], [-1, 0], [-0.9, 0]])
    query, asked = "leave leave pay day", Asked(1, 0)
    both = [index.dense.scores(asked.asked), index.bm25.scores(query)]
    whole = sum((scores - scores.mean()) / scores.std() for scores in both)
    hits = Blend().rerank(index, query, asked, pool_of(index, 1, 0))
    assert [hit.score for hit in hits] == [0.0, 0.0] and places(hits) == [0, 1]
    assert whole[1] > whole[0]


def test_blend_computes_both_scores_for_every_chunk_whoever_found_it():
    # The retriever was dense: with its scores alone, or with bm25 left at 0 for what bm25 did not return, 0 would stay first.
    index = index_of(["nothing", "leave", "day"], [[1, 0], [0.95, 0], [0.9, 0]])
    pool, _ = retrieve(dense.Dense(), index, ["leave"], Asked(1, 0), 3, None)
    assert places(pool) == [0, 1, 2]
    assert places(Blend().rerank(index, "leave", Asked(1, 0), pool)) == [1, 0, 2]


def test_blend_of_scores_that_do_not_differ_keeps_places_in_order():
    index = index_of(["day", "day", "day"], [[0.1, 0]] * 3)
    hits = Blend().rerank(index, "leave", Asked(1, 0), pool_of(index, 2, 0, 1))
    assert [(hit.chunk, hit.score) for hit in hits] == [(0, 0.0), (1, 0.0), (2, 0.0)]
    assert Blend().rerank(index, "leave", Asked(1, 0), []) == []


def test_overlap_adds_half_the_covered_share_to_the_stretched_retrieval_score():
    # Over 4 chunks: "leave" is in two, "week" in one, "gym" in none; idf ln(5/3), ln(5/2), ln(5).
    index = index_of(["leave of staff", "leave week", "pay day", "pay"])
    pool = [replace(index.hit(chunk, 0), score=score) for chunk, score in [(2, 0.9), (0, 0.5), (1, 0.1)]]
    leave, week, gym = log(5 / 3), log(5 / 2), log(5)
    total = leave + week + gym
    expected = {2: 1.0, 0: 0.5 + 0.5 * leave / total, 1: 0.5 * (leave + week) / total}
    hits = Overlap().rerank(index, "Leave week gym, leave", Asked(1, 0), pool)
    assert {hit.chunk: hit.score for hit in hits} == pytest.approx(expected, abs=1e-6)
    assert places(hits) == [2, 0, 1]


def test_overlap_weighs_stems_by_idf():
    # Both chunks hold one of two stems: by a plain share they tie and place decides; "week" is the rarer one.
    index = index_of(["leave", "week", "leave day", "leave pay"])
    hits = Overlap().rerank(index, "leave week", Asked(1, 0), [index.hit(0, 1.0), index.hit(1, 1.0)])
    assert places(hits) == [1, 0]


@pytest.mark.parametrize("query", ["the of and", "unknown"])
def test_overlap_without_a_known_stem_keeps_the_order(query):
    index = index_of(["leave", "week", "day"])
    assert places(Overlap().rerank(index, query, Asked(1, 0), pool_of(index, 2, 0, 1))) == [2, 0, 1]


def test_mmr_is_near_to_the_question_and_unlike_what_is_chosen():
    # Chunk 1 is nearly chunk 0; by the question alone the order is 0, 1, 2.
    relevance, up = [0.95, 0.94, 0.8], [sqrt(1 - 0.95**2), sqrt(1 - 0.94**2), -0.6]
    index, asked = index_of(["a", "b", "c"], list(zip(relevance, up, strict=True))), Asked(1, 0)
    pool = pool_of(index, 2, 0, 1)
    assert places(Mmr(lambda_=1.0).rerank(index, "q", asked, pool)) == [0, 1, 2]
    hits = Mmr().rerank(index, "q", asked, pool)
    cosine = {place: relevance[0] * relevance[place] + up[0] * up[place] for place in (1, 2)}
    assert places(hits) == [0, 2, 1]
    assert hits[0].score == pytest.approx(0.7 * 0.95, abs=1e-6)
    assert hits[1].score == pytest.approx(0.7 * 0.8 - 0.3 * cosine[2], abs=1e-6)
    assert hits[2].score == pytest.approx(0.7 * 0.94 - 0.3 * cosine[1], abs=1e-6)


def test_mmr_looks_at_the_nearest_of_the_chosen_not_at_their_mean():
    # Chosen: 0, then 1 at a right angle. Chunk 2 equals 1: near to one of them, half as near on average.
    index = index_of(["a", "b", "c", "d"], [[1, 0, 0], [0, 1, 0], [0, 1, 0], [0.5, 0.5, sqrt(0.5)]])
    hits = Mmr(lambda_=0.5).rerank(index, "q", Asked(sqrt(0.5), 0.7, 0.1), pool_of(index, 0, 1, 2, 3))
    assert places(hits)[-1] == 2


def test_mmr_gives_no_bonus_for_being_opposite_and_its_scores_never_rise():
    index = index_of(["a", "b", "c"], [[1, 0], [-1, 0], [0, 1]])
    hits = Mmr(lambda_=0.3).rerank(index, "q", Asked(1, 0), pool_of(index, 0, 1, 2))
    assert [(hit.chunk, hit.score) for hit in hits] == [(0, 0.3), (2, 0.0), (1, -0.3)]


def test_mmr_of_equal_chunks_chooses_by_place():
    index = index_of(["a", "a", "a"], [[1, 0]] * 3)
    assert places(Mmr().rerank(index, "q", Asked(1, 0), pool_of(index, 2, 1, 0))) == [0, 1, 2]
    assert places(Mmr(lambda_=0.0).rerank(index, "q", Asked(1, 0), pool_of(index, 2, 1, 0))) == [0, 1, 2]


@given(st.lists(st.tuples(st.floats(-1, 1), st.floats(-1, 1)), min_size=1, max_size=8), st.floats(0, 1))
def test_mmr_is_in_the_one_true_order_for_any_vectors(vectors, lambda_):
    matrix = np.array(vectors)
    matrix = matrix / np.maximum(np.linalg.norm(matrix, axis=1, keepdims=True), 1e-9)
    index = index_of(["a"] * len(vectors), matrix)
    hits = Mmr(lambda_=lambda_).rerank(index, "q", Asked(0.6, 0.8), pool_of(index, *range(len(vectors))))
    assert hits == sorted(hits, key=lambda hit: (-hit.score, hit.chunk)) and len(hits) == len(vectors)
