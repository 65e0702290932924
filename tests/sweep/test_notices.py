"""What a person should know about chunkings before comparing them."""

import numpy as np
import pytest

from ragsweep.chunkers.page import Page
from ragsweep.chunkers.word import Word
from ragsweep.index import Chunks
from ragsweep.rag_types.simple import Simple
from ragsweep.retrievers.bm25 import Bm25
from ragsweep.retrievers.dense import Dense
from ragsweep.store import Store
from ragsweep.sweep.chunking import Chunking, cut
from ragsweep.sweep.notices import chunking_notices, context_notices, said_once, script_notices
from ragsweep.types import Document, Evidence, Place, Question


def chunks(*spans):
    return Chunks(("a",), np.array([(0, start, end) for start, end in spans], dtype=np.int64))


def chunking(*spans, words=10.0, reading="pypdf"):
    return Chunking(reading, Page(), chunks(*spans), [words])


def test_mean_words_counts_every_chunk_once(tmp_path):
    found = cut(Store(tmp_path), "pypdf", [("a", "")], {"a": Document("a", "one two three four five", sha256="")}, Word(3, 1))
    assert (found.sizes, found.words) == ([3, 3], 3)


def test_chunkings_that_cut_alike_are_named_in_one_line():
    alike, other = chunking((0, 7), (8, 13)), chunking((0, 13))
    cut = {"word": alike, "page": other, "paragraph": chunking((0, 7), (8, 13)), "recursive": alike}
    assert chunking_notices(cut, set(cut)) == [
        "word, paragraph and recursive cut these files alike: comparing them shows nothing about chunking"
    ]
    assert chunking_notices({"word": alike, "recursive": alike}, {"word", "recursive"}) == [
        "word and recursive cut these files alike: comparing them shows nothing about chunking"
    ]


def test_texts_of_two_readings_are_not_cut_alike_when_they_have_the_same_lengths():
    cut = {"word": chunking((0, 7)), "page": chunking((0, 7), reading="pdfium")}
    assert chunking_notices(cut, set(cut)) == []


def test_what_all_readings_say_is_said_once_and_the_rest_with_its_reading():
    said = {"pypdf": ["a", "b", "b"], "pdfium": ["c", "a"]}
    assert said_once(said) == ["a", "with pdf=pypdf: b", "with pdf=pdfium: c"]
    assert said_once({"pdfium": ["b", "a"]}) == ["b", "a"]


def test_many_chunkings_that_cut_alike_are_named_by_the_first_of_them():
    (said,) = chunking_notices({f"word {size}": chunking((0, 7)) for size in range(9)}, set())
    assert said.startswith("word 0, word 1, word 2, word 3, word 4, word 5 and 3 more cut these files alike")


@pytest.mark.parametrize(("large", "told"), [(120.0, False), (120.1, True), (300.0, True)])
def test_mean_sizes_that_differ_by_over_20_percent(large, told):
    cut = {"a": chunking((0, 3), words=110.0), "b": chunking((0, 4), words=large), "c": chunking((0, 5), words=100.0)}
    notices = chunking_notices(cut, set(cut))
    expected = f"mean chunk words differ: c 100, b {large:.0f}; bigger chunks give the generator more room"
    assert notices == ([expected] if told else [])


def test_one_chunking_has_nothing_to_be_compared_with():
    assert chunking_notices({"word": chunking((0, 3))}, {"word"}) == []


ENGLISH, CHINESE, KOREAN, RUSSIAN = (
    "Twenty days of leave.",
    "年休二十日。",
    "연차 휴가는 이십일입니다.",
    "Отпуск длится двадцать дней.",
)


@pytest.mark.parametrize(
    ("text", "parts", "said"),
    [
        (ENGLISH + " Σ σ α β γ", {"retriever": Dense(), "rag_type": Simple()}, []),
        ("Der Urlaub dauert zwanzig Tage. Größe, façade, Đặng", {"retriever": Dense()}, []),
        (CHINESE, {}, []),  # keyword search takes pairs of letters
        (KOREAN, {}, []),
        (CHINESE, {"retriever": Dense()}, ["minilm (embedder=minilm) knows English"]),
        (RUSSIAN, {"rag_type": Simple()}, ["minilm (generator=extractive) knows English", "language=english has no stems"]),
        (RUSSIAN, {"retriever": Bm25(language="russian")}, []),
        (RUSSIAN, {"retriever": Bm25()}, ["language=english has no stems"]),
    ],
)
def test_documents_in_another_script_are_told_where_they_would_be_read_as_english(row, text, parts, said):
    documents = {id: Document(id, content, sha256="") for id, content in {"a.md": text, "b.md": ENGLISH}.items()}
    notices = script_notices([row(**parts).setup], documents)
    assert [notice.partition("; ")[2].startswith(part) for notice, part in zip(notices, said, strict=True)] == [True] * len(
        said
    )
    assert all(notice.startswith("1 of 2 documents are not in Latin script ('a.md'); ") for notice in notices)


def test_labels_of_chunks_are_of_no_context():
    labelled = Question("q", "?", (Evidence("chunk", "a.md#1", (Place("a.md", 0, 9, 1),)),))
    (said,) = context_notices([labelled], ["http", "live"])
    assert said == "http and live: labels of chunks mean those that ragsweep cuts, and no context matches one: label quotes"
    assert not context_notices([labelled], []) and not context_notices([Question("q", "?", ())], ["http"])
