"""Which setups make the search of the embedding stage."""

import pytest

from ragsweep.rag_types.adaptive import Adaptive
from ragsweep.rag_types.search import Search
from ragsweep.rag_types.simple import Simple
from ragsweep.rerankers.blend import Blend
from ragsweep.retrievers.dense import Dense
from ragsweep.retrievers.hybrid import Hybrid
from ragsweep.sweep.embedding_stage import _by_vectors


@pytest.mark.parametrize(
    ("parts", "expected"),
    [
        ({"rag_type": Search(), "retriever": Dense()}, True),
        ({"rag_type": Simple(), "retriever": Dense(), "reranker": Blend()}, True),  # reranked is not retrieved
        ({"rag_type": Adaptive(), "retriever": Dense()}, False),  # its list may be that of parts, or of a rewrite
        ({"rag_type": Search(), "retriever": Hybrid()}, False),
    ],
)
def test_a_list_by_the_vectors_of_the_question_alone(row, parts, expected):
    assert _by_vectors(row(**parts).setup) is expected
