"""Every retriever that conf/ registers."""

from dataclasses import is_dataclass
from pathlib import Path
from typing import get_args

import numpy as np
import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from ragsweep.config.door import build
from ragsweep.index import Bm25Index, Chunks, Dense, Index
from ragsweep.parts import Need
from ragsweep.setups import component_class
from ragsweep.types import Document

ALL = sorted((Path(__file__).parents[2] / "conf/retriever").glob("*.yaml"))
PATHS = [path for path in ALL if path.stem != "http"]  # which ranks no chunks of ours: tests/retrievers/test_http.py
RETRIEVERS = pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)


def built(path):
    written = yaml.safe_load(path.read_text("utf-8").replace("${language}", "english"))
    options = {key: value for key, value in written.items() if value is not None}
    return build(component_class(options.pop("_target_")), options)


class Asked:
    def vector(self, text):
        return np.array([text.count(letter) for letter in "ab"], dtype=np.float32)


def index_of(texts):
    names = tuple(f"{place:02}" for place in range(len(texts)))
    spans = np.array([(place, 0, len(text)) for place, text in enumerate(texts)], dtype=np.int64)
    matrix = np.array([[text.count(letter) for letter in "ab"] for text in texts], dtype=np.float32)
    documents = {name: Document(name, text, "") for name, text in zip(names, texts, strict=True)}
    return Index(Chunks(names, spans), documents, Dense(np.arange(len(texts)), matrix), Bm25Index.build(texts))


@RETRIEVERS
def test_it_is_a_frozen_dataclass_whose_yaml_shows_the_defaults(path):
    retriever = built(path)
    assert path.read_text("utf-8").startswith("# ")
    assert is_dataclass(retriever) and type(retriever).__dataclass_params__.frozen
    assert retriever.version >= 1 and retriever.needs <= set(get_args(Need))
    assert retriever == type(retriever)()


@RETRIEVERS
@settings(deadline=None, max_examples=30)
@given(
    texts=st.lists(st.text("ab ", min_size=1), min_size=1, max_size=8),
    query=st.text("ab ", max_size=5),
    depth=st.integers(1, 9),
)
def test_a_ranking_is_repeatable_in_the_one_true_order_and_a_shorter_one_is_its_beginning(path, texts, query, depth):
    retriever, index = built(path), index_of(texts)
    ranking = retriever.rank(index, query, Asked(), depth, depth)
    assert ranking == retriever.rank(index, query, Asked(), depth, depth)
    assert ranking == sorted(ranking, key=lambda ranked: (-ranked[1], ranked[0]))
    assert len({place for place, _ in ranking}) == len(ranking)
    assert all(0 <= place < len(index) and score == round(score, 6) for place, score in ranking)
    whole = retriever.rank(index, query, Asked(), len(texts), len(texts))
    assert ranking[:depth] == whole[:depth]
