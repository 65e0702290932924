from ragsweep.retrievers import keyword_settings
from ragsweep.retrievers.bm25 import Bm25
from ragsweep.retrievers.dense import Dense
from ragsweep.retrievers.hybrid import Hybrid


def test_the_keyword_index_of_a_setup_follows_its_retriever():
    assert keyword_settings(Bm25(k1=0.9)) == keyword_settings(Hybrid(bm25=Bm25(k1=0.9))) == Bm25(k1=0.9)
    assert keyword_settings(Dense()) == Bm25()
