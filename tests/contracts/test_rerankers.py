"""Every reranker that conf/ registers."""

from dataclasses import is_dataclass, replace
from pathlib import Path
from typing import get_args

import numpy as np
import pytest
import yaml

from ragsweep.config import door
from ragsweep.index import Bm25Index, Chunks, Dense, Index
from ragsweep.parts import Need
from ragsweep.setups import component_class, field_name
from ragsweep.types import Document
from scripted_server import Reply, scripted

PATHS = sorted((Path(__file__).parents[2] / "conf/reranker").glob("*.yaml"))
RERANKERS = pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
TEXTS = ["leave of staff", "pay day", "leave and pay", "pay day"]


class Asked:
    def vector(self, text):
        return np.array([0.6, 0.8], dtype=np.float32)


@pytest.fixture
def index():
    spans = np.array([(place, 0, len(text)) for place, text in enumerate(TEXTS)], dtype=np.int64)
    names = ("a", "b", "c", "d")
    vectors = np.array([[1, 0], [0, 1], [0.6, 0.8], [0, 1]], dtype=np.float32)
    documents = {name: Document(name, text, "") for name, text in zip(names, TEXTS, strict=True)}
    return Index(Chunks(names, spans), documents, Dense(np.arange(4), vectors), Bm25Index.build(TEXTS))


@pytest.fixture
def built():
    """A reranker of its YAML; one behind a server gets a name, and a server that finds each later text as relevant or more."""

    def order(request):
        texts = request.json.get("documents", [])
        scores = [{"index": place, "relevance_score": place // 2} for place in range(len(texts))]
        said = {"message": {"content": '{"ranking": [2, 1]}'}, "finish_reason": "stop"}
        return Reply(body={"results": scores, "choices": [said]})

    with scripted(order) as server:

        def build(path):
            written = yaml.safe_load(path.read_text("utf-8").replace("${language}", "english"))
            options = {field_name(key): value for key, value in written.items()}
            if "base_url" in options:
                options |= {"model": "m", "base_url": f"{server.url}/v1"}
                options |= {"window": 100_000} if "window" in options else {}
            return door.build(component_class(options.pop("_target_")), options)

        yield build


@RERANKERS
def test_it_is_a_frozen_dataclass_whose_yaml_shows_the_defaults(path, built):
    reranker = built(path)
    assert path.read_text("utf-8").startswith("# ")
    assert is_dataclass(reranker) and type(reranker).__dataclass_params__.frozen
    assert reranker.version >= 1 and reranker.needs <= set(get_args(Need))
    own = {name: getattr(reranker, name) for name in ("model", "base_url", "window") if hasattr(reranker, name)}
    assert reranker == type(reranker)(**own)


@RERANKERS
def test_it_gives_back_the_whole_pool_in_the_one_true_order_and_leaves_the_pool_alone(path, index, built):
    pool = [index.hit(chunk, score) for chunk, score in [(1, 0.9), (3, 0.9), (2, 0.5), (0, 0.1)]]
    before = list(pool)
    hits = built(path).rerank(index, "leave", Asked(), pool)
    assert pool == before
    assert {replace(hit, score=0.0) for hit in hits} == {replace(hit, score=0.0) for hit in pool} and len(hits) == len(pool)
    assert hits == sorted(hits, key=lambda hit: (-round(hit.score, 6), hit.chunk))
    assert hits == built(path).rerank(index, "leave", Asked(), pool)
    assert built(path).rerank(index, "leave", Asked(), []) == []
