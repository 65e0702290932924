"""Every embedder that conf/ registers. One that needs a model is refused without it; tests/embedders have some."""

import pickle
import re
from dataclasses import MISSING, fields, is_dataclass
from pathlib import Path

import numpy as np
import pytest
import yaml

from ragsweep.config.door import build
from ragsweep.errors import InputError, InputErrors
from ragsweep.setups import component_class

PATHS = sorted((Path(__file__).parents[2] / "conf/embedder").glob("*.yaml"))
TEXTS = ["annual leave", "", "a longer text about the pay day of all staff", "annual leave", "day " * 600]


def read(path):
    options = yaml.safe_load(path.read_text("utf-8"))
    return component_class(options.pop("_target_")), options


def required(path):
    return [entry.name for entry in fields(read(path)[0]) if entry.default is MISSING]


EMBEDDERS = pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
COMPLETE = pytest.mark.parametrize(
    "path", [path for path in PATHS if not required(path) and "base_url" not in read(path)[1]], ids=lambda path: path.stem
)
INCOMPLETE = pytest.mark.parametrize("path", [path for path in PATHS if required(path)], ids=lambda path: path.stem)


@EMBEDDERS
def test_it_is_a_frozen_dataclass_whose_yaml_shows_the_defaults(path):
    cls, options = read(path)
    given = dict.fromkeys(required(path), "/nowhere")
    embedder = build(cls, {**options, **given}, "embedder")
    assert path.read_text("utf-8").startswith("# ")
    assert is_dataclass(embedder) and cls.__dataclass_params__.frozen
    assert embedder.version >= 1 and embedder.needs == frozenset({"server"} if "base_url" in options else ())
    assert isinstance(embedder.query_prefix, str) and isinstance(embedder.passage_prefix, str)
    assert embedder == cls(**given) == pickle.loads(pickle.dumps(embedder))  # noqa: S301 - what loky does


@INCOMPLETE
def test_what_has_no_default_is_asked_for(path):
    cls, options = read(path)
    with pytest.raises(InputErrors) as raised:
        build(cls, options, "embedder")
    comments = {
        name: re.search(rf"^{name}: null +# (.+)$", path.read_text("utf-8"), re.MULTILINE)[1] for name in required(path)
    }
    said = tuple(f"embedder.{name}: write a value for it: {comment}" for name, comment in comments.items())
    assert raised.value.messages == said


@pytest.mark.parametrize("path", [path for path in PATHS if "path" in required(path)], ids=lambda path: path.stem)
def test_a_missing_model_or_extra_is_one_mistake(path):
    """The packages of the extras may be installed or not."""
    cls, _ = read(path)
    with pytest.raises(InputError, match=r"^path=/nowhere: there is no such|pip install 'ragsweep\[[a-z-]+\]'"):
        _ = cls(**dict.fromkeys(required(path), "/nowhere")).model


@COMPLETE
def test_rows_are_unit_or_zero_in_order_and_do_not_depend_on_their_neighbours(path):
    cls, options = read(path)
    embedder = cls(**options)
    assert embedder.model
    vectors = embedder.embed(TEXTS)
    assert vectors.dtype == np.float32 and vectors.shape[0] == len(TEXTS)
    assert np.linalg.norm(vectors, axis=1) == pytest.approx([1, 0, 1, 1, 1], abs=1e-6)
    assert all(np.array_equal(embedder.embed([text])[0], row) for text, row in zip(TEXTS, vectors, strict=True))
    assert embedder.embed([]).shape == (0, vectors.shape[1])
    assert embedder.over_window(TEXTS) == [False, False, False, False, True]
