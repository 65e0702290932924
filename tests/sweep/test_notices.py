"""What a person should know about chunkings before comparing them."""

import numpy as np
import pytest

from ragsweep.index import Chunks
from ragsweep.sweep.notices import chunking_notices, mean_words
from ragsweep.types import Document


def chunks(*spans):
    return Chunks(("a",), np.array([(0, start, end) for start, end in spans], dtype=np.int64))


def test_mean_words_counts_every_chunk_once():
    documents = {"a": Document("a", "one two three four five", sha256="")}
    assert mean_words(chunks((0, 7), (4, 23)), documents) == (2 + 4) / 2


def test_chunkings_that_cut_alike_are_named_in_one_line():
    alike, other = chunks((0, 7), (8, 13)), chunks((0, 13))
    cut = {"word": alike, "page": other, "paragraph": chunks((0, 7), (8, 13)), "recursive": alike}
    assert chunking_notices(cut, dict.fromkeys(cut, 10.0)) == [
        "word, paragraph and recursive cut these files alike: comparing them shows nothing about chunking"
    ]
    assert chunking_notices({"word": alike, "recursive": alike}, {"word": 1, "recursive": 1}) == [
        "word and recursive cut these files alike: comparing them shows nothing about chunking"
    ]


@pytest.mark.parametrize(("large", "told"), [(120.0, False), (120.1, True), (300.0, True)])
def test_mean_sizes_that_differ_by_over_20_percent(large, told):
    cut = {"a": chunks((0, 3)), "b": chunks((0, 4)), "c": chunks((0, 5))}
    notices = chunking_notices(cut, {"a": 110.0, "b": large, "c": 100.0})
    expected = f"mean chunk words differ: c 100, b {large:.0f}; bigger chunks give the generator more room"
    assert notices == ([expected] if told else [])


def test_one_chunking_has_nothing_to_be_compared_with():
    assert chunking_notices({"word": chunks((0, 3))}, {"word": 3.0}) == []
