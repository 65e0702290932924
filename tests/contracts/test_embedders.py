"""Every embedder that conf/ registers."""

import pickle
from dataclasses import is_dataclass
from pathlib import Path

import numpy as np
import pytest
import yaml

from ragsweep.setups import component_class

PATHS = sorted((Path(__file__).parents[2] / "conf/embedder").glob("*.yaml"))
EMBEDDERS = pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
TEXTS = ["annual leave", "", "a longer text about the pay day of all staff", "annual leave", "day " * 600]


def built(path):
    options = {key: value for key, value in yaml.safe_load(path.read_text("utf-8")).items() if value is not None}
    return component_class(options.pop("_target_"))(**options)


@EMBEDDERS
def test_it_is_a_frozen_dataclass_whose_yaml_shows_the_defaults(path):
    embedder = built(path)
    assert path.read_text("utf-8").startswith("# ")
    assert is_dataclass(embedder) and type(embedder).__dataclass_params__.frozen
    assert embedder.version >= 1 and embedder.needs == frozenset() and embedder.model
    assert embedder == type(embedder)() == pickle.loads(pickle.dumps(embedder))  # noqa: S301 - what loky does


@EMBEDDERS
def test_rows_are_unit_or_zero_in_order_and_do_not_depend_on_their_neighbours(path):
    embedder = built(path)
    vectors = embedder.embed(TEXTS)
    assert vectors.dtype == np.float32 and vectors.shape[0] == len(TEXTS)
    assert np.linalg.norm(vectors, axis=1) == pytest.approx([1, 0, 1, 1, 1], abs=1e-6)
    assert all(np.array_equal(embedder.embed([text])[0], row) for text, row in zip(TEXTS, vectors, strict=True))
    assert embedder.embed([]).shape == (0, vectors.shape[1])
    assert embedder.over_window(TEXTS) == [False, False, False, False, True]
