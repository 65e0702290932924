"""Names of setups and the order of rows."""

from typing import Any

import pytest

from ragsweep.evaluation.result import result
from ragsweep.reporting.naming import chunking_name, in_order, name
from ragsweep.results import Description

SIZES = {"chunk_size": [200, 100]}


@pytest.mark.parametrize(
    ("options", "axes", "expected"),
    [
        ({"rag_type": "simple", "chunker": "word", "top_k": 5}, {}, "simple + word"),
        ({"rag_type": "simple", "chunker": "word", "retriever": "bm25"}, {"retriever": ["bm25"]}, "simple + word"),
        ({"rag_type": "simple", "chunker": "word", "chunk_size": 100}, SIZES, "chunk_size=100"),
        ({"rag_type": "simple", "chunker": "page"}, SIZES, "simple + page"),
        (
            {"chunker": "word", "retriever": "bm25"},
            {"retriever": ["bm25", "dense"], "chunker": ["word", "page"]},
            "word + bm25",
        ),
        (
            {"top_n": None, "retriever.rrf_k": 60},
            {"retriever.rrf_k": [1, 60], "top_n": [None, 2]},
            "retriever.rrf_k=60 + top_n=null",
        ),
    ],
)
def test_name(options: dict[str, Any], axes: dict[str, list[Any]], expected: str) -> None:
    assert name(options, axes) == expected


def test_a_chunking_is_named_by_its_chunker_and_what_else_cuts() -> None:
    axes = {"rag_type": ["simple", "adaptive"], "top_n": [2, 3], "chunker.chunk_overlap": [0, 5]}
    options = {"rag_type": "simple", "chunker": "word", "top_n": 3, "chunker.chunk_overlap": 5}
    assert chunking_name(options, axes) == "word + top_n=3 + chunker.chunk_overlap=5"


def test_rows_stand_by_chunker_then_other_axes_then_rag_type_as_written() -> None:
    axes = {"rag_type": ["simple", "adaptive"], "chunk_size": [200, 100], "chunker": ["word", "page"]}
    rows: list[dict[str, Any]] = [
        {"rag_type": "adaptive", "chunker": "page"},
        {"rag_type": "simple", "chunker": "other"},
        {"rag_type": "adaptive", "chunker": "word", "chunk_size": 100},
        {"rag_type": "simple", "chunker": "word", "chunk_size": 100},
        {"rag_type": "adaptive", "chunker": "word", "chunk_size": 200},
        {"rag_type": "simple", "chunker": "word", "chunk_size": 200},
    ]
    results = [result(Description("id", "name", row, 5, True, "word"), []) for row in rows]
    assert [one.setup.options for one in in_order(results, axes)] == [rows[place] for place in (5, 4, 3, 2, 0, 1)]
