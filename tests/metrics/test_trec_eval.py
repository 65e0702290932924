"""Recall, MRR and nDCG are those of trec_eval where both mean the same: a hit holds one evidence at most, none comes twice."""

import platform
from random import Random

import pytest

from ragsweep.metrics.gains import found_ranks, gains
from ragsweep.metrics.mrr import reciprocal_rank
from ragsweep.metrics.ndcg import ndcg
from ragsweep.metrics.recall import recall
from ragsweep.types import Document, Evidence, Hit, Place

RANKINGS, CUTS = 1000, (1, 3, 5, 10)
IDS = [f"d{number:02}" for number in range(20)]
DOCUMENTS = {id: Document(id, "text", "") for id in IDS}


@pytest.mark.skipif(platform.machine() != "x86_64", reason="its wheels are of x86_64")
def test_a_thousand_random_rankings() -> None:
    import pytrec_eval

    random = Random(0)
    needed = {f"q{number}": random.sample(IDS, random.randint(1, 12)) for number in range(RANKINGS)}
    ranked = {id: random.sample(IDS, random.randint(1, len(IDS))) for id in needed}
    measures = {f"{name}.{','.join(map(str, CUTS))}" for name in ("recall", "ndcg_cut")} | {"recip_rank"}
    judged = pytrec_eval.RelevanceEvaluator({id: dict.fromkeys(ids, 1) for id, ids in needed.items()}, measures)
    expected = judged.evaluate({id: {hit: -float(rank) for rank, hit in enumerate(ids)} for id, ids in ranked.items()})
    assert len(expected) == RANKINGS
    for id, scores in expected.items():
        hits = [Hit(0, hit, 1, 0, 4, score=-float(rank)) for rank, hit in enumerate(ranked[id])]
        evidence = [Evidence("file", each, (Place(each, 0, 4),)) for each in needed[id]]
        gained = gains(found_ranks(hits, evidence, DOCUMENTS), depth=len(hits))
        for k in CUTS:
            assert recall(gained, len(evidence), k) == pytest.approx(scores[f"recall_{k}"], abs=1e-9)
            assert ndcg(gained, len(evidence), k) == pytest.approx(scores[f"ndcg_cut_{k}"], abs=1e-9)
        assert reciprocal_rank(gained, len(IDS)) == pytest.approx(scores["recip_rank"], abs=1e-9)
