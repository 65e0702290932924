from ragsweep.rerankers.blend import Blend
from ragsweep.rerankers.none import NoReranker
from ragsweep.rerankers.overlap import Overlap
from ragsweep.retrievers import keyword_settings
from ragsweep.retrievers.bm25 import Bm25
from ragsweep.retrievers.dense import Dense
from ragsweep.retrievers.hybrid import Hybrid


def test_the_keyword_index_of_a_setup_follows_its_retriever_and_else_the_language_of_its_reranker():
    own = Bm25(k1=0.9, language="german")
    for reranker in (NoReranker(), Blend(), Overlap(language="french")):
        assert keyword_settings(own, reranker) == keyword_settings(Hybrid(bm25=own), reranker) == own
    assert keyword_settings(Dense(), NoReranker()) == Bm25()
    assert keyword_settings(Dense(), Blend(language="german")) == Bm25(language="german")
    assert keyword_settings(Dense(), Overlap(language="french")) == Bm25(language="french")
