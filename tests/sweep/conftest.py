"""A sweep made by hand over the small project: rows of parts, what they want, and a store."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ragsweep.chunkers.page import Page
from ragsweep.embedders.minilm import MiniLM
from ragsweep.generators.extractive import Extractive
from ragsweep.rag_types.search import Search
from ragsweep.rerankers.none import NoReranker
from ragsweep.retrievers.bm25 import Bm25
from ragsweep.setups import GROUPS, Setup
from ragsweep.store import Store
from ragsweep.sweep.run_settings import RunSettings
from ragsweep.sweep.wanted import Row, Wanted

PARTS = {
    "rag_type": Search(),
    "chunker": Page(),
    "embedder": MiniLM(),
    "retriever": Bm25(),
    "reranker": NoReranker(),
    "generator": Extractive(),
}


@pytest.fixture
def row() -> Callable[..., Row]:
    """A combination: keyword search over pages, but for the parts and values given."""

    def make(name: str | None = None, asked: dict[str, Any] | None = None, **given: Any) -> Row:
        values = {"top_k": 30, "top_n": 5, "dedupe": 1.0, **{key: given[key] for key in given if key not in GROUPS}}
        parts = {**PARTS, **{key: given[key] for key in given if key in GROUPS}}
        choices = {group: type(part).__name__.lower() for group, part in parts.items()}
        return Row(asked or {}, choices, Setup.of(parts, **values), name)

    return make


@pytest.fixture
def want(project: Any) -> Callable[..., Wanted]:
    """A sweep of these rows over the project's files and questions."""

    def make(*rows: Row, **given: Any) -> Wanted:
        values: dict[str, Any] = {
            "experiment": None,
            "sample": False,
            "base": project.root,
            "files": "docs",
            "questions": "questions.json",
            "root": None,
            "store": None,
            "axes": {},
            "problems": [],
        }
        of_run = {key: given.pop(key) for key in [*given] if key in RunSettings.__dataclass_fields__}
        return Wanted(rows=rows, settings=RunSettings(**{"n_jobs": 1, **of_run}), **{**values, **given})

    return make


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "store")
