"""Putting options in place and laying values over them equals Hydra's own composition of every combination."""

from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from hydra._internal.config_loader_impl import ConfigLoaderImpl
from hydra._internal.utils import create_automatic_config_search_path
from hydra.core.plugins import Plugins
from hydra.errors import HydraException
from hydra.types import RunMode
from omegaconf import OmegaConf

from ragsweep.config.compose import Composer
from ragsweep.errors import InputErrors
from ragsweep.places import EXPERIMENTS_FOLDERS, packaged


@pytest.fixture
def loader(tmp_path: Path) -> Iterator[ConfigLoaderImpl]:
    Plugins.instance()
    token = EXPERIMENTS_FOLDERS.set((tmp_path, packaged("experiments")))
    folders = create_automatic_config_search_path(None, None, str(packaged("conf")))
    folders.prepend("mine", f"file://{tmp_path / 'conf'}")
    yield ConfigLoaderImpl(folders)
    EXPERIMENTS_FOLDERS.reset(token)


def composer_of(loader: ConfigLoaderImpl, *overrides: str) -> Composer:
    return Composer(loader, loader.load_configuration("config", [*overrides], run_mode=RunMode.MULTIRUN))


def prepared(composer, combinations, loader, monkeypatch):
    """How often Hydra composes while the combinations are prepared."""
    calls = []
    compose = loader.load_configuration
    with monkeypatch.context() as patch:
        patch.setattr(loader, "load_configuration", lambda *given, **named: calls.append(given) or compose(*given, **named))
        for asked in combinations:
            composer.prepare(asked)
    return len(calls)


def by_hydra(loader: ConfigLoaderImpl, overrides: list[str]) -> Any:
    config = loader.load_configuration("config", overrides, run_mode=RunMode.RUN)
    return OmegaConf.to_container(OmegaConf.masked_copy(config, [str(key) for key in config if key != "hydra"]), resolve=True)


def test_48_combinations_equal_hydras_own_composition_and_it_composes_none_of_them(loader, monkeypatch):
    axes: dict[str, list[Any]] = {
        "rag_type": ["search", "adaptive"],
        "chunker": ["word", "paragraph", "page"],
        "retriever": ["hybrid", "bm25"],
        "chunk_size": [60, 90],
        "top_k": [5, 10],
    }
    composer = composer_of(loader)
    combinations = [dict(zip(axes, values, strict=True)) for values in product(*axes.values())]
    assert len(combinations) == 48
    assert prepared(composer, combinations, loader, monkeypatch) == 0
    for asked in combinations:
        assert composer.plain(asked) == by_hydra(loader, [f"{key}={value}" for key, value in asked.items()])


INTERACTING: dict[str, dict[str, str]] = {
    "an option writes into a part that is written before its own": {
        "conf/retriever/mine.yaml": "# @package _global_\nretriever: {_target_: x.Y}\nchunker: {chunk_overlap: 3}\n"
    },
    "an option writes what only some options of another part leave as it is": {
        "conf/chunker/mine.yaml": "# @package _global_\nchunker: {_target_: x.Y}\nretriever: {rrf_k: 9}\n"
    },
    "an option reads a file by another option": {
        "conf/retriever/mine.yaml": 'defaults: [{/tuned@_here_: "${reranker}"}, _self_]\n_target_: x.Y\n',
        **{f"conf/tuned/{name}.yaml": f"only: {name}\n" for name in ("none", "blend")},
    },
}


@pytest.mark.parametrize("files", INTERACTING.values(), ids=INTERACTING)
def test_options_that_reach_into_each_other_equal_hydras_own_composition(loader, tmp_path, files):
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    own = {group: ["mine"] if f"conf/{group}/mine.yaml" in files else [] for group in ("chunker", "retriever")}
    axes = {
        "chunker": ["word", "page", *own["chunker"]],
        "retriever": ["hybrid", "dense", *own["retriever"]],
        "reranker": ["none", "blend"],
    }
    combinations = [dict(zip(axes, values, strict=True)) for values in product(*axes.values())]
    expected = [by_hydra(loader, [f"{key}={value}" for key, value in asked.items()]) for asked in combinations]
    for order in (1, -1):
        composer = composer_of(loader)
        assert [composer.plain(asked) for asked in combinations[::order]] == expected[::order]


def test_only_choices_with_an_option_that_reaches_out_are_composed_by_hydra_each(loader, tmp_path, monkeypatch):
    (tmp_path / "conf" / "chunker").mkdir(parents=True)
    (tmp_path / "conf" / "chunker" / "mine.yaml").write_text(
        "# @package _global_\nchunker: {_target_: x.Y}\nretriever: {rrf_k: 9}\n"
    )
    axes = {"chunker": ["word", "page", "section", "mine"], "retriever": ["hybrid", "bm25", "dense"]}
    combinations = [dict(zip(axes, values, strict=True)) for values in product(*axes.values())]
    assert prepared(composer_of(loader), combinations, loader, monkeypatch) == len(axes["retriever"])


@pytest.mark.parametrize(
    ("asked", "overrides"),
    [
        ({"chunker.chunk_size": 7, "chunk_size": 60}, ["chunker.chunk_size=7", "chunk_size=60"]),
        ({"top_n": None, "dedupe": "off"}, ["top_n=null", "dedupe=off"]),
        ({"retriever.bm25.k1": 2, "retriever.fusion": "convex"}, ["retriever.bm25.k1=2", "retriever.fusion=convex"]),
        ({"retriever.bm25": {"k1": 2}}, ["retriever.bm25={k1:2}"]),
        ({"length": "tokens", "chunk_overlap": 0}, ["length=tokens", "chunk_overlap=0"]),
        ({"chunk_size": "${top_k}"}, ["chunk_size=${top_k}"]),
        ({"generator.threshold": 0.5, "rag_type": "adaptive"}, ["generator.threshold=0.5", "rag_type=adaptive"]),
    ],
)
def test_values_of_every_kind(loader, asked, overrides):
    composer = composer_of(loader)
    composer.prepare(asked)
    assert composer.plain(asked) == by_hydra(loader, overrides)


def test_under_an_experiment_whose_groups_and_values_stand_at_its_root(loader, tmp_path, monkeypatch):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "experiment.yaml").write_text(
        "rag_type: search\nchunker: page\nretriever: {rrf_k: 10}\ntop_k: 7\nsweep: {top_n: [1, 2]}\n"
    )
    composer = composer_of(loader, "experiment=mine")
    combinations = [{}, {"top_n": 2}, {"chunker": "word", "chunk_size": 9}, {"rag_type": "simple", "top_k": 3}]
    assert prepared(composer, combinations, loader, monkeypatch) == 0
    for asked in combinations:
        assert composer.plain(asked) == by_hydra(
            loader, ["experiment=mine", *(f"{key}={value}" for key, value in asked.items())]
        )
    assert composer.plain({})["retriever"]["rrf_k"] == 10


def test_under_an_experiment_that_brings_in_a_file_each_other_option_is_composed_by_hydra(loader, tmp_path, monkeypatch):
    for name, text in {
        "mine/experiment.yaml": "defaults: [/shared, override /chunker: page, _self_]\ntop_k: 7\n",
        "conf/shared.yaml": "# @package _global_\nretriever: {language: french}\n",
    }.items():
        (tmp_path / name).parent.mkdir()
        (tmp_path / name).write_text(text)
    composer = composer_of(loader, "experiment=mine")
    combinations = [{}, {"retriever": "bm25"}, {"retriever": "bm25", "chunker": "word"}]
    assert prepared(composer, combinations, loader, monkeypatch) == 2
    for asked in combinations:
        overrides = [f"{key}={value}" for key, value in asked.items()]
        assert composer.plain(asked) == by_hydra(loader, ["experiment=mine", *overrides])


def test_an_experiment_can_read_no_file_by_an_option(loader, tmp_path):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "experiment.yaml").write_text("defaults: [{optional /tuned: '${chunker}_${retriever}'}, _self_]\n")
    with pytest.raises(HydraException, match="possible interpolation keys: experiment"):
        by_hydra(loader, ["experiment=mine", "chunker=page", "retriever=bm25"])


def test_a_value_laid_over_one_combination_does_not_stay_for_the_next(loader):
    composer = composer_of(loader)
    composer.prepare({})
    before = composer.plain({})
    composer.plain({"chunk_size": 7, "retriever.bm25.k1": 9})
    assert composer.plain({}) == before


def test_a_key_that_another_option_of_the_sweep_has_is_unused_here_and_one_that_none_has_is_unknown(loader):
    composer = composer_of(loader)
    hybrid, bm25 = {"retriever": "hybrid"}, {"retriever": "bm25"}
    composer.prepare(hybrid)
    assert composer.unknown_keys({**hybrid, "retriever.k1": 2})[0].startswith("retriever.k1: unknown key")
    composer.prepare(bm25)
    assert composer.unknown_keys({**hybrid, "retriever.k1": 2}) == []
    assert composer.plain({**hybrid, "retriever.k1": 2}) == composer.plain(hybrid)
    assert composer.plain({**bm25, "retriever.bm25.k1": 2, "retriever.rrf_k": 3}) == composer.plain(bm25)


@pytest.mark.parametrize(
    ("key", "message"),
    [
        ("topk", "topk: unknown key; did you mean 'top_k'?"),
        ("dataset.file", "dataset.file: unknown key; did you mean 'files'?"),
        ("chunker.chunk_siz", "chunker.chunk_siz: unknown key; did you mean 'chunk_size'?"),
        ("chunker._target_", "chunker._target_: unknown key; known: chunk_overlap, chunk_size"),
        ("retriever.bm25.kk", "retriever.bm25.kk: unknown key; known: b, k1, language"),
        ("retriever.bm26.k1", "retriever.bm26.k1: unknown key; known: there is none"),
        ("retriever.rrf_k.deep", "retriever.rrf_k.deep: unknown key; "),
        ("reranker.topn", "reranker.topn: top_n is a root value: write top_n=3"),
        ("reranker.lambda", "reranker.lambda: unknown key; the reranker that is chosen has none"),
        ("generator.api_key", "generator.api_key: unknown key; known: language, threshold"),
    ],
)
def test_unknown_keys_at_every_level(loader, key, message):
    composer = composer_of(loader)
    composer.prepare({})
    (said,) = composer.unknown_keys({key: 3})
    assert said.startswith(message.removesuffix("known: there is none"))


def test_an_option_that_does_not_exist_is_named_and_the_default_stands_for_it(loader):
    composer = composer_of(loader)
    assert composer.unknown_options({"chunker": "wrod", "top_k": 3, "retriever": "dense"}) == [
        "chunker=wrod: there is no such option; did you mean 'word'? (chunker=? lists all)"
    ]
    assert composer.choices({"chunker": "wrod", "retriever": "dense"}) == {**composer.choices({}), "retriever": "dense"}


def test_what_an_interpolation_misses_is_named_with_its_key(loader, monkeypatch):
    monkeypatch.delenv("NOPE", raising=False)
    composer = composer_of(loader)
    composer.prepare({})
    with pytest.raises(InputErrors, match=r"^chunker.chunk_size: Environment variable 'NOPE' not found$"):
        composer.plain({"chunk_size": "${oc.env:NOPE}"})
