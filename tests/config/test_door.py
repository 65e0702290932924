"""Plain values onto dataclasses: strictly, with a path and a remedy in every message."""

from typing import Any

import pytest

from ragsweep.chunkers.word import Word
from ragsweep.config import build_root, build_setup
from ragsweep.config.door import build
from ragsweep.config.root import RootConfig
from ragsweep.errors import InputErrors
from ragsweep.retrievers.bm25 import Bm25
from ragsweep.retrievers.hybrid import Hybrid

GROUPS = {
    "rag_type": {"_target_": "ragsweep.rag_types.simple.Simple"},
    "chunker": {"_target_": "ragsweep.chunkers.word.Word", "chunk_size": None, "chunk_overlap": None},
    "embedder": {"_target_": "ragsweep.embedders.minilm.MiniLM", "overflow": "pool"},
    "retriever": {"_target_": "ragsweep.retrievers.hybrid.Hybrid"},
    "reranker": {"_target_": "ragsweep.rerankers.none.NoReranker"},
    "generator": {"_target_": "ragsweep.generators.extractive.Extractive", "threshold": 0.44},
}


def messages(call: Any, *given: Any) -> list[str]:
    with pytest.raises(InputErrors) as caught:
        call(*given)
    return list(caught.value.messages)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"top_k": "5"}, "top_k='5': write a whole number"),
        ({"top_k": 5.0}, "top_k=5.0: write a whole number"),
        ({"top_k": 5.5}, "top_k=5.5: write a whole number"),
        ({"top_k": True}, "top_k=True: write a whole number"),
        (
            {"top_k": [5]},
            "top_k=[5]: write a whole number; several are an axis, under sweep or as top_k=5,10 on the command line",
        ),
        ({"top_k": 0}, "top_k=0: write a whole number of 1 or more"),
        ({"top_n": -1}, "top_n=-1: write a whole number of 1 or more"),
        ({"n_jobs": 0}, "n_jobs=0: write a whole number of 1 or more"),
        ({"chunk_size": "many"}, "chunk_size='many': write a whole number, or null"),
        ({"length": "word"}, "length='word': write 'words', 'characters', 'tokens' or 'tiktoken:cl100k_base'"),
        ({"dedupe": 0}, "dedupe=0: write a number over 0 or 'off'"),
        ({"dedupe": 1.5}, "dedupe=1.5: write a number up to 1 or 'off'"),
        ({"dedupe": True}, "dedupe=true: write a number up to 1, or off"),
        ({"dedupe": "on"}, "dedupe='on': write a number or 'off'"),
        ({"sweep": "word"}, "sweep='word': write keys and values"),
        ({"setups": {"name": "a"}}, "setups={'name': 'a'}: write a list, as in [a, b]"),
        ({"store": "here"}, "store='here': write keys and values: dir"),
        ({"store": {"dir": 3}}, "store.dir=3: write text, or null"),
        ({"store": {"folder": "x"}}, "store.folder: unknown key; known: dir"),
        ({"dataset": {"file": "x"}}, "dataset.file: unknown key; did you mean 'files'?"),
        ({"dataset": {"files": 3}}, "dataset.files=3: write text or a list, as in [a, b]"),
        ({"dataset": {"files": ["a", 3]}}, "dataset.files=['a', 3]: write text"),
        ({"topk": 3}, "topk: unknown key; did you mean 'top_k'?"),
        ({"chunkr": "word"}, "chunkr: unknown key; did you mean 'chunker'?"),
    ],
)
def test_a_wrong_root_value(values, message):
    assert messages(build_root, values) == [message]


def test_the_list_of_known_root_keys_is_what_a_user_writes():
    (message,) = messages(build_root, {"xyzzy": 1})
    known = message.removeprefix("xyzzy: unknown key; known: ").split(", ")
    assert {"chunker", "dataset", "sweep", "top_k"} <= set(known)
    assert not {"worker", "experiment_dir"} & set(known)


def test_a_null_is_the_default():
    assert (
        build_root(dict.fromkeys(["top_k", "top_n", "length", "dedupe", "sweep", "setups", "dataset", "n_jobs"]))
        == RootConfig()
    )


@pytest.mark.parametrize(("written", "threshold"), [("off", None), (False, None), (1, 1.0), (0.9, 0.9), (None, 1.0)])
def test_dedupe(written, threshold):
    assert build_root({"dedupe": written}).threshold == threshold


@pytest.mark.parametrize(("top_k", "top_n", "cut"), [(30, None, 5), (5, None, 5), (3, None, 3), (30, 7, 7)])
def test_a_null_top_n_is_five_or_top_k(top_k, top_n, cut):
    assert build_root({"top_k": top_k, "top_n": top_n}).cut == cut


def test_a_setup_of_the_defaults():
    setup = build_setup(GROUPS)
    assert (setup.chunker, setup.retriever, setup.top_k, setup.top_n, setup.dedupe) == (Word(160, 20), Hybrid(), 30, 5, 1.0)


def test_a_nested_part_is_built_and_its_mistakes_carry_the_whole_path():
    retriever = {"_target_": "ragsweep.retrievers.hybrid.Hybrid", "bm25": {"k1": 2, "b": None}}
    assert build_setup({**GROUPS, "retriever": retriever}).retriever == Hybrid(bm25=Bm25(k1=2.0))
    for nested, message in [
        ({"k1": "2"}, "retriever.bm25.k1='2': write a number"),
        ({"k": 2}, "retriever.bm25.k: unknown key; did you mean 'k1'?"),
        ({"b": 7}, "retriever.bm25: b=7.0 must be in 0..1: write b=0.75"),
        (3, "retriever.bm25=3: write keys and values: k1, b, language"),
    ]:
        assert messages(build_setup, {**GROUPS, "retriever": {**retriever, "bm25": nested}}) == [message]


def test_all_mistakes_of_all_parts_come_together():
    broken = {
        **GROUPS,
        "top_k": 0,
        "topn": 3,
        "chunker": {**GROUPS["chunker"], "chunk_size": 10, "chunk_overlap": 12},
        "reranker": {**GROUPS["reranker"], "topn": 3},
        "generator": {**GROUPS["generator"], "threshold": "high"},
    }
    assert messages(build_setup, broken) == [
        "top_k=0: write a whole number of 1 or more",
        "topn: unknown key; did you mean 'top_n'?",
        "chunk_overlap=12 must be smaller than chunk_size=10: write chunk_overlap=1",
        "reranker.topn: top_n is a root value: write top_n=3",
        "generator.threshold='high': write a number",
    ]


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({}, ["model: write a value for it: the name that the server knows it by", "https://api.openai.com needs a key: "]),
        ({"base_url": "http://localhost:1/v1"}, ["model: write a value for it"]),
        ({"base_url": 3, "model": "m"}, ["base_url=3: write text"]),
        (
            {"key_env": "NO_SUCH_KEY", "model": "m", "seed": "x"},
            ["seed='x': write a whole number", "variable NO_SUCH_KEY is not set"],
        ),
        ({"model": "m", "max_tokens": 0}, ["max_tokens=0 must be 1 or more"]),
    ],
)
def test_the_key_of_a_server_is_told_beside_what_else_its_part_lacks(monkeypatch, values, said):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    found = messages(build_setup, {**GROUPS, "generator": {"_target_": "ragsweep.generators.openai.OpenAI", **values}})
    assert len(found) == len(said) and all(part in each for part, each in zip(said, found, strict=True))


def test_a_wrong_root_value_is_told_once_not_for_each_part_that_takes_it_over():
    chunker = {**GROUPS["chunker"], "chunk_size": "many"}
    assert messages(build_setup, {**GROUPS, "chunk_size": "many", "chunker": chunker}) == [
        "chunk_size='many': write a whole number, or null"
    ]


@pytest.mark.parametrize("group", GROUPS)
@pytest.mark.parametrize("value", [False, None, 3, "word", ["word", "page"]])
def test_a_group_that_is_no_option(group, value):
    assert messages(build_setup, {**GROUPS, group: value}) == [
        f"{group}={value!r}: write the name of one option; several are an axis of sweep:"
    ]


@pytest.mark.parametrize(
    "target",
    ["os.system", "builtins.open", "joblib.load", "shutil.copyfile", "ragsweep_evil.Part", "os.ragsweep", "ragsweep", "", "3"],
)
def test_a_target_outside_ragsweep_is_refused_by_name(target):
    (message,) = messages(build_setup, {**GROUPS, "chunker": {"_target_": target}})
    assert message.startswith(f"chunker: _target_={target!r}: write a class inside ragsweep")


@pytest.mark.parametrize(
    ("target", "says"),
    [
        ("ragsweep.chunkers.word.Wrod", "there is no such class"),
        ("ragsweep.nowhere.Word", "there is no such class"),
        ("ragsweep.files.os.system", "there is no such class"),
        ("ragsweep.files.publish", "is no part"),
        ("ragsweep.files.os", "is no part"),
        ("ragsweep.store.Store", "is no part"),
        ("ragsweep.worker.worker", "is no part"),
    ],
)
def test_a_target_inside_ragsweep_must_be_a_part(target, says):
    (message,) = messages(build_setup, {**GROUPS, "chunker": {"_target_": target}})
    assert message.startswith(f"chunker: _target_={target!r}: {says}")


def test_a_number_for_a_float_may_be_whole_and_no_value_is_turned():
    assert build(Bm25, {"k1": 2, "b": 1}) == Bm25(2.0, 1.0)
    assert messages(build, Bm25, {"k1": True}, "bm25") == ["bm25.k1=True: write a number"]


def test_values_that_cannot_stand_together_are_told_of_the_combination():
    assert build_root({"top_k": 5, "top_n": 6}).impossible == ["top_n=6 is more than top_k=5: write top_n=5 or a larger top_k"]
    assert build_root({"top_k": 5, "top_n": 5}).impossible == []


def test_a_part_of_another_group_is_no_part():
    with pytest.raises(InputErrors, match="chunker: _target_='Dense' is no chunker: it has no method split"):
        build_setup({**GROUPS, "chunker": {"_target_": "ragsweep.retrievers.dense.Dense"}})
