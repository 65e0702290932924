"""The embedders of optional packages, over stand-ins for these: how they are called and what is made of the answers."""

import os
import sys
from importlib.metadata import PackageNotFoundError
from types import SimpleNamespace

import numpy as np
import pytest

from ragsweep.embedders import local, sentence_transformers, static
from ragsweep.embedders.sentence_transformers import SentenceTransformers
from ragsweep.embedders.static import Static
from ragsweep.errors import InputError

OPTIONS = pytest.mark.parametrize("option", [Static, SentenceTransformers])
TEXTS = ["day", "", "leave day", "day " * 40, "day"]


def vectors(texts):
    """Not of length 1, half precision, zeros for an empty text."""
    return np.array([[3 * text.count("d"), 4 * len(text.split())] for text in texts], dtype=np.float16)


class FakeStatic:
    calls: list = []  # noqa: RUF012

    @classmethod
    def from_pretrained(cls, path):
        cls.calls.append(path)
        return cls()

    def encode(self, texts, *, max_length, use_multiprocessing):
        assert max_length is None and not use_multiprocessing and texts
        return vectors(texts)


class FakeTransformer:
    calls: list = []  # noqa: RUF012
    max_seq_length: int | None = 8

    def __init__(self, path, *, device, model_kwargs):
        assert device == "cpu" and model_kwargs == {"use_safetensors": True}
        self.calls.append(path)

    def encode(self, texts, *, batch_size, prompt, show_progress_bar):
        assert batch_size == 1 and prompt == "" and texts
        return vectors(texts)

    def tokenizer(self, texts, *, truncation, verbose):
        assert not truncation
        return {"input_ids": [[1, *(2 for _ in text.split()), 3] for text in texts]}


@pytest.fixture(autouse=True)
def packages(monkeypatch):
    """Both packages, as far as they are called; the threads that torch was told to use."""
    FakeStatic.calls.clear()
    FakeTransformer.calls.clear()
    threads: list[int] = []
    quiet = SimpleNamespace(logging=SimpleNamespace(disable_progress_bar=lambda: None))
    monkeypatch.setitem(sys.modules, "model2vec", SimpleNamespace(StaticModel=FakeStatic))
    monkeypatch.setitem(sys.modules, "sentence_transformers", SimpleNamespace(SentenceTransformer=FakeTransformer))
    monkeypatch.setitem(sys.modules, "torch", SimpleNamespace(set_num_threads=threads.append))
    monkeypatch.setitem(sys.modules, "transformers", SimpleNamespace(utils=quiet))
    monkeypatch.setattr(local, "version", lambda package: "1.0")
    static._open.cache_clear()
    sentence_transformers._open.cache_clear()
    return threads


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "model").mkdir()
    (tmp_path / "model" / "config.json").write_text("{}")
    return tmp_path / "model"


@OPTIONS
def test_rows_are_unit_or_zero_and_the_model_is_opened_once(option, folder):
    embedder = option(str(folder))
    found = embedder.embed(TEXTS)
    assert found.dtype == np.float32
    assert np.linalg.norm(found, axis=1) == pytest.approx([1, 0, 1, 1, 1], abs=1e-6)
    assert found[0] == pytest.approx([0.6, 0.8], abs=1e-6)
    assert embedder.embed([]).shape == (0, 2)
    assert FakeStatic.calls + FakeTransformer.calls == [str(folder)]


@OPTIONS
def test_nan_is_an_error(option, folder, monkeypatch):
    for fake in (FakeStatic, FakeTransformer):
        monkeypatch.setattr(fake, "encode", lambda *_, **__: np.full((1, 2), np.nan))
    with pytest.raises(ValueError, match="NaN"):
        option(str(folder)).embed(["day"])


@OPTIONS
def test_a_folder_that_holds_another_kind_of_model_is_a_mistake(option, folder, monkeypatch):
    def refuse(*_, **__):
        raise OSError("no weights in it\nand a long explanation")

    monkeypatch.setattr(FakeStatic, "from_pretrained", refuse)
    monkeypatch.setattr(FakeTransformer, "__init__", refuse)
    with pytest.raises(InputError, match=rf"path={folder}: the model cannot be opened: no weights in it$"):
        option(str(folder)).embed(["day"])


def test_over_the_window(folder, monkeypatch):
    texts = ["day " * 6, "day " * 7]
    assert SentenceTransformers(str(folder)).over_window(texts) == [False, True]
    monkeypatch.setattr(FakeTransformer, "max_seq_length", None)
    assert SentenceTransformers(str(folder)).over_window(texts) == [False, False]
    assert Static(str(folder)).over_window(texts) == [False, False]


def test_one_thread(folder, packages):
    SentenceTransformers(str(folder)).embed(["day"])
    assert packages == [1]


@OPTIONS
def test_the_identity_is_content_and_library(option, folder, monkeypatch):
    embedder = option(str(folder))
    before = embedder.model
    (folder / "README.md").write_text("about it")
    (folder / ".gitattributes").write_text("")
    assert embedder.model == before
    moved = folder.rename(folder.parent / "moved")
    assert option(str(moved)).model == before
    (moved / "config.json").write_text("[]")
    os.utime(moved / "config.json", ns=(1, 1))
    assert option(str(moved)).model != before
    edited = option(str(moved)).model
    monkeypatch.setattr(local, "version", lambda package: "2.0")
    assert option(str(moved)).model != edited


@pytest.mark.parametrize(
    ("option", "said"),
    [(Static, r"pip install 'ragsweep\[static\]'"), (SentenceTransformers, r"pip install 'ragsweep\[sentence-transformers\]'")],
)
def test_a_missing_extra_is_named(option, said, folder, monkeypatch):
    def missing(package):
        raise PackageNotFoundError(package)

    monkeypatch.setattr(local, "version", missing)
    with pytest.raises(InputError, match=said):
        _ = option(str(folder)).model


@OPTIONS
@pytest.mark.parametrize("path", ["nowhere", "/nowhere", "./nowhere", "a/b/c", "~/nowhere"])
def test_a_folder_that_is_not_there_is_named_and_nothing_is_fetched(option, path):
    with pytest.raises(InputError, match=f"path={path}: there is no such folder$"):
        _ = option(path).model
    assert FakeStatic.calls + FakeTransformer.calls == []


@OPTIONS
def test_a_name_is_fetched_once_and_then_that_of_the_cache(option, folder, monkeypatch):
    def cached(name, *, local_files_only):
        assert local_files_only
        if not FakeStatic.calls + FakeTransformer.calls:
            raise FileNotFoundError(name)
        return str(folder)

    monkeypatch.setitem(sys.modules, "huggingface_hub", SimpleNamespace(snapshot_download=cached))
    embedder = option("owner/model")
    assert embedder.model == embedder.model == option(str(folder)).model
    assert FakeStatic.calls + FakeTransformer.calls == ["owner/model"]


@OPTIONS
def test_a_name_that_cannot_be_fetched_says_why(option, monkeypatch):
    def offline(name, *, local_files_only):
        raise FileNotFoundError("no network\nand a long explanation")

    monkeypatch.setitem(sys.modules, "huggingface_hub", SimpleNamespace(snapshot_download=offline))
    with pytest.raises(InputError, match=r"and no model of this name: no network$"):
        _ = option("owner/model").model
