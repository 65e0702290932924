"""What names a stored thing: whatever changes it changes the key, and nothing else does."""

from dataclasses import dataclass, replace
from functools import partial
from typing import Any, ClassVar

import pytest

from ragsweep.chunkers.page import Page
from ragsweep.chunkers.word import Word
from ragsweep.embedders.minilm import MiniLM
from ragsweep.files import canonical_json
from ragsweep.retrievers.bm25 import Bm25
from ragsweep.sweep import keys

DOCUMENTS = [("a.md", "1" * 64), ("b.md", "2" * 64)]


@dataclass(frozen=True)
class Fake:
    """An embedder whose model may change under the same fields."""

    model: str = "one"
    version: ClassVar[int] = 1
    needs: ClassVar[frozenset[str]] = frozenset()


@dataclass(frozen=True)
class NextWord(Word):
    version: ClassVar[int] = 2


def changed(of: Any, *variants: tuple[Any, ...]) -> None:
    """Every variant of the arguments gives a key of its own, and the same arguments the same key."""
    found = [canonical_json(of(*arguments)) for arguments in variants]
    assert len(set(found)) == len(variants)
    assert found == [canonical_json(of(*arguments)) for arguments in variants]


OTHERS = [[("a.md", "1" * 64)], [("a.md", "3" * 64), DOCUMENTS[1]], [("c.md", "1" * 64), DOCUMENTS[1]]]
CHUNKERS = [Word(60, 10), Word(60, 11), Word(61, 10), NextWord(60, 10), Page()]


@pytest.mark.parametrize("of", [keys.chunks_key, keys.copies_key])
def test_chunks_and_copies(of):
    changed(of, *((DOCUMENTS, each) for each in CHUNKERS), *((each, Word(60, 10)) for each in OTHERS))


@pytest.mark.parametrize("of", [keys.dense_key, partial(keys.sentences_key, language="english")])
def test_vectors_of_chunks_and_sentences(of):
    embedders = [Fake(), Fake("two"), MiniLM(), MiniLM("truncate")]
    changed(
        of,
        *((DOCUMENTS, each, Fake()) for each in CHUNKERS),
        *((each, Word(60, 10), Fake()) for each in OTHERS),
        *((DOCUMENTS, Word(60, 10), each) for each in embedders[1:]),
    )


def test_the_language_of_sentences():
    changed(keys.sentences_key, *((DOCUMENTS, Page(), Fake(), language) for language in ("english", "german")))


def test_keyword_index():
    settings = [Bm25(), Bm25(k1=2.0), Bm25(b=0.5), Bm25(language="german")]
    changed(keys.bm25_key, *((DOCUMENTS, Page(), each) for each in settings), *((each, Page(), Bm25()) for each in OTHERS))


def test_queries():
    changed(
        keys.queries_key, (["a", "b"], Fake()), (["b", "a"], Fake()), (["a"], Fake()), (["ab"], Fake()), (["a", "b"], Fake("2"))
    )


def test_the_version_of_a_part_is_in_its_key(monkeypatch):
    before = keys.sentences_key(DOCUMENTS, Page(), Fake(), "english"), keys.bm25_key(DOCUMENTS, Page(), Bm25())
    monkeypatch.setattr(keys, "SENTENCES_VERSION", 99)
    monkeypatch.setattr(keys, "BM25_VERSION", 99)
    assert before[0] != keys.sentences_key(DOCUMENTS, Page(), Fake(), "english")
    assert before[1] != keys.bm25_key(DOCUMENTS, Page(), Bm25())


def test_the_effective_values_decide_not_how_they_are_written():
    assert keys.chunks_key(DOCUMENTS, Word()) == keys.chunks_key(DOCUMENTS, Word(160, 20))
    assert keys.chunks_key(DOCUMENTS, replace(Word(60), chunk_overlap=7)) == keys.chunks_key(DOCUMENTS, Word(60))
