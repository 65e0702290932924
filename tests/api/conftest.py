"""The sample over one store, as Python sees it."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ragsweep import RAG, load_questions
from ragsweep.places import packaged

POLICIES = packaged("experiments") / "policies"
SETTINGS = {"chunk_size": 60, "chunk_overlap": 10, "top_k": 5, "top_n": 2}


@pytest.fixture(scope="module", autouse=True)
def one_store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RAGSWEEP_STORE", str(tmp_path_factory.mktemp("store")))
        patch.setenv("RAGSWEEP_OUTPUTS", str(tmp_path_factory.mktemp("outputs")))
        yield


@pytest.fixture(scope="module")
def rag(one_store: None) -> RAG:
    """The first setup of the sample's table, indexed."""
    return RAG(rag_type="simple", settings=SETTINGS).index(POLICIES / "documents")


@pytest.fixture
def questions() -> list[dict[str, Any]]:
    return load_questions(POLICIES / "questions.json")


@pytest.fixture
def documents() -> Path:
    return POLICIES / "documents"
