"""Settings of Python: the defaults of conf/ as Hydra composes them, and the same door."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hydra._internal.config_loader_impl import ConfigLoaderImpl
from hydra._internal.utils import create_automatic_config_search_path
from hydra.core.plugins import Plugins
from hydra.types import RunMode
from omegaconf import OmegaConf

from ragsweep.config import build_root, build_setup
from ragsweep.config.root import of_files, of_run
from ragsweep.config.settings import Asked, wanted
from ragsweep.options import options
from ragsweep.places import packaged
from ragsweep.setups import GROUPS


@pytest.fixture(scope="module")
def loader() -> Iterator[ConfigLoaderImpl]:
    Plugins.instance()
    yield ConfigLoaderImpl(create_automatic_config_search_path(None, None, str(packaged("conf"))))


NEEDED = {"model": "some-model", "path": "some-path"}
"""What options without a default ask for; a part that is not there is refused by both in the same words."""
CHOICES = [
    {group: list(options(group))[place % len(options(group))] for group in GROUPS}
    for place in range(max(len(options(group)) for group in GROUPS))
]
"""Every option at least once."""


@pytest.mark.parametrize("chosen", CHOICES, ids=lambda each: " ".join(each.values()))
def test_every_option_is_what_hydra_composes(loader: ConfigLoaderImpl, chosen: dict[str, str]) -> None:
    values = {"chunk_size": 70, "language": "german", "top_k": 12}
    overrides = [f"{key}={value}" for key, value in {**chosen, **values}.items()]
    config = loader.load_configuration("config", overrides, run_mode=RunMode.RUN)
    composed: Any = OmegaConf.to_container(
        OmegaConf.masked_copy(config, [str(key) for key in config if key != "hydra"]), resolve=True
    )
    own = {}
    for group in GROUPS:
        missing = {key: value for key, value in NEEDED.items() if key in composed[group] and composed[group][key] is None}
        composed[group] |= missing
        own |= {f"{group}.{key}": value for key, value in missing.items()}
    want = wanted("docs", "questions.json", [Asked({**chosen, **values, **own})], {})
    try:
        setup = build_setup({**composed, "dataset": {}})
    except ValueError as error:
        assert want.problems == list(error.messages)  # type: ignore[attr-defined]
        return
    assert want.problems == []
    (row,) = want.rows
    assert (row.setup, row.choices) == (setup, chosen)
    root = build_root(composed)
    assert want.settings == replace(of_run(root), n_jobs=1)
    assert {key: getattr(want, key) for key in of_files(root)} == of_files(root)


def test_nested_and_dotted_settings_are_the_same_and_later_ones_win() -> None:
    dotted = {
        "retriever": "hybrid",
        "retriever.bm25.k1": 1.2,
        "retriever.rrf_k": 10,
        "chunk_size": np.int64(90),
        "store.dir": Path("s"),
    }
    nested = {"retriever": {"bm25": {"k1": 1.2}, "rrf_k": 10}, "chunk_size": 90, "store": {"dir": "s"}}
    one, two = (wanted("docs", "q.json", [Asked()], settings) for settings in (dotted, nested))
    assert one.rows == two.rows
    assert (one.store, two.store) == ("s", "s")
    assert one.written == ["retriever", "chunk_size", "store", "retriever.bm25", "retriever.rrf_k"]
    over = wanted("docs", "q.json", [Asked({"retriever.rrf_k": 5, "chunk_size": None}, name="a")], dotted)
    assert over.problems == []
    assert (over.rows[0].setup.retriever.rrf_k, over.rows[0].setup.chunker.chunk_size) == (5, 160)
    assert over.rows[0].setup.retriever.bm25 == one.rows[0].setup.retriever.bm25


def test_shared_settings_of_an_option_are_unused_by_a_setup_of_another() -> None:
    shared = {"chunker": "recursive", "chunker.keep": "right", "chunker.separators": ["\n"], "chunk_overlap": 0}
    want = wanted("docs", "q.json", [Asked({"chunker": "word"}, name="a"), Asked(name="b")], shared)
    assert want.problems == []
    assert want.rows[1].setup.chunker.keep == "right"
    wrong = wanted("docs", "q.json", [Asked({"chunker": "word"}, name="a")], {**shared, "chunker.kep": "left"})
    assert [said.partition(";")[0] for said in wrong.problems] == ["setup 'a': chunker.kep: unknown key"]
