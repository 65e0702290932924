"""The parts of an index: what they hold, and that they come back from disk bit by bit."""

from dataclasses import dataclass
from itertools import chain
from math import log

import bm25s
import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ragsweep.errors import InputError
from ragsweep.index import Bm25Index, Chunks, Dense, Index, Sentences, SentenceSpans, build_chunks, distinct
from ragsweep.index.terms import Held
from ragsweep.text.keywords import keywords
from ragsweep.types import Document


@dataclass(frozen=True)
class Lines:
    def split(self, document):
        start = 0
        for line in document.text.splitlines(keepends=True):
            if line.strip():
                yield start, start + len(line.rstrip())
            start += len(line)


DOCUMENTS = {
    id: Document(id, text, "") for id, text in {"b": "Two.\n\nOne. Two.\n", "empty": "\n", "a": "One.\nTwo.\n"}.items()
}


@pytest.fixture
def chunks():
    return build_chunks(DOCUMENTS.values(), Lines())


def test_chunks_stand_by_document_id_and_start(chunks):
    index = Index(chunks, DOCUMENTS)
    assert len(index) == 4
    assert [index.text(chunk) for chunk in range(4)] == chunks.texts(DOCUMENTS) == ["One.", "Two.", "Two.", "One. Two."]
    hits = [index.hit(chunk, 0.5) for chunk in range(4)]
    assert [(hit.document, hit.number, hit.start, hit.end) for hit in hits] == [
        ("a", 1, 0, 4),
        ("a", 2, 5, 9),
        ("b", 1, 0, 4),
        ("b", 2, 6, 15),
    ]


def test_documents_without_any_chunk_are_named():
    with pytest.raises(InputError, match="no text to search in empty"):
        build_chunks([DOCUMENTS["empty"]], Lines())


def test_an_index_is_embedded_once_per_distinct_text(chunks):
    texts, rows = distinct(chunks.texts(DOCUMENTS))
    assert texts == ["One.", "Two.", "One. Two."]
    dense = Dense.build(rows, np.eye(3, dtype=np.float32))
    assert dense.scores(np.array([0, 1, 0], dtype=np.float32)).tolist() == [0, 1, 1, 0]


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_vectors_that_are_not_finite_are_refused(bad):
    matrix = np.array([[1, bad]], dtype=np.float32)
    with pytest.raises(ValueError, match="NaN"):
        Dense.build(np.zeros(1, dtype=np.int64), matrix)
    with pytest.raises(ValueError, match="not finite"):
        Dense.build(np.zeros(1, dtype=np.int64), np.eye(1, 2, dtype=np.float32)).scores(matrix[0])


def test_a_query_of_another_dimension_is_refused():
    with pytest.raises(ValueError, match="does not fit"):
        Dense.build(np.zeros(1, dtype=np.int64), np.eye(1, 2, dtype=np.float32)).scores(np.ones(3, dtype=np.float32))


def test_bm25_is_the_formula_of_lucene():
    texts = ["fee fee leave", "leave", "salary day week", "day"]
    score = Bm25Index.build(texts, k1=1.2, b=0.5).scores("fees")
    idf, mean = log(1 + (4 - 1 + 0.5) / (1 + 0.5)), 8 / 4
    assert score[0] == pytest.approx(idf * 2 / (2 + 1.2 * (1 - 0.5 + 0.5 * 3 / mean)), rel=1e-6)
    assert score[1:].tolist() == [0, 0, 0]


corpora = st.lists(st.lists(st.sampled_from("abcdefgh"), max_size=30), min_size=1, max_size=20).filter(any)


@given(corpora, st.floats(0, 5), st.floats(0, 1))
@example([["a", "b", "a"], [], ["b"], ["a"] * 20], 1.5, 0.75)
@example([["a"], ["a"]], 0.0, 1.0)
def test_bm25_weights_are_those_of_bm25s_to_the_bit(corpus, k1, b):
    vocabulary = {term: place for place, term in enumerate(dict.fromkeys(chain.from_iterable(corpus)))}
    ids = [[vocabulary[term] for term in terms] for terms in corpus]
    model = bm25s.BM25(k1=k1, b=b, method="lucene", backend="numpy")
    model.index((ids, vocabulary), create_empty_token=False, show_progress=False)
    held = Held(np.array(list(chain.from_iterable(ids)), np.int32), np.cumsum([len(each) for each in ids]), vocabulary)
    ours = Bm25Index.of(held, k1, b)
    assert ours.starts.tolist() == model.scores["indptr"].tolist()
    assert ours.chunks.tolist() == model.scores["indices"].tolist()
    assert ours.weights.dtype == np.float32
    assert ours.weights.tolist() == model.scores["data"].tolist()


def test_bm25_scores_are_those_of_bm25s():
    texts = ["red apple pie", "green apple", "apple apple tree", "a pear", "pie of pear and apple"]
    model = bm25s.BM25(backend="numpy", method="lucene")
    model.index([keywords(text) for text in texts], show_progress=False)
    ours = Bm25Index.build(texts).scores("apple pie pie")
    assert ours.tolist() == model.get_scores(keywords("apple pie pie")).tolist()


@pytest.mark.parametrize("texts", [["the", "..."], ["", "day"]])
def test_bm25_of_chunks_without_words(texts):
    assert Bm25Index.build(texts).scores("the night").tolist() == [0, 0]


def test_sentences_of_overlapping_chunks_are_embedded_once(chunks):
    places, texts = SentenceSpans.split(chunks, DOCUMENTS)
    assert texts == ["One.", "Two."]
    sentences = Sentences.build(places, texts, np.eye(2, dtype=np.float32))
    assert [sentences.of(chunk) for chunk in range(4)] == [[(0, 4, 0)], [(5, 9, 1)], [(0, 4, 1)], [(6, 10, 0), (11, 15, 1)]]
    assert sentences.idf("two") == pytest.approx(log(3 / 2))
    assert sentences.idf("unknown") == pytest.approx(log(3))
    with pytest.raises(ValueError, match="NaN"):
        Sentences.build(places, texts, np.full((2, 2), np.nan, dtype=np.float32))


def test_all_parts_come_back_from_disk(chunks, tmp_path):
    _, rows = distinct(chunks.texts(DOCUMENTS))
    places, sentences = SentenceSpans.split(chunks, DOCUMENTS)
    parts = [
        chunks,
        Dense.build(rows, np.random.default_rng(0).random((3, 5), dtype=np.float32)),
        Bm25Index.build(["年休二十日", "two two", "one"]),
        Bm25Index.build(["the"]),
        Sentences.build(places, sentences, np.ones((2, 5), dtype=np.float32)),
    ]
    for number, part in enumerate(parts):
        folder = tmp_path / str(number)
        folder.mkdir()
        part.save(folder)
        assert {path.suffix for path in folder.iterdir()} <= {".npy", ".json"}
        again = type(part).load(folder)
        (copy := tmp_path / f"{number} again").mkdir()
        again.save(copy)
        assert [path.read_bytes() for path in sorted(folder.iterdir())] == [
            path.read_bytes() for path in sorted(copy.iterdir())
        ]
    loaded = Bm25Index.load(tmp_path / "2")
    assert loaded.scores("二十 two").tolist() == parts[2].scores("二十 two").tolist() != [0, 0, 0]


def test_a_pickle_in_the_place_of_an_array_is_refused(chunks, tmp_path):
    chunks.save(tmp_path)
    np.save(tmp_path / "spans.npy", np.array([{"side": "effect"}], dtype=object), allow_pickle=True)
    with pytest.raises(ValueError, match=r"[Oo]bject|pickle"):
        Chunks.load(tmp_path)
