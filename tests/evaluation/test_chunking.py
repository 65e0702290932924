"""What a chunking makes possible: sizes, whole quotes, precision-omega, and which evidence is reachable."""

from collections.abc import Sequence
from itertools import combinations
from random import Random

import numpy as np
import pytest

from ragsweep.evaluation.ceiling import reachable
from ragsweep.evaluation.chunking import chunking_score, precision_omegas
from ragsweep.index.chunks import Chunks
from ragsweep.metrics.characters import precision_omega
from ragsweep.metrics.gains import found_ranks
from ragsweep.types import Document, Evidence, Hit, Match, Place, Question

TEXT = "one two three four five six seven"
DOCUMENTS = {id: Document(id, TEXT, "") for id in "ab"}


def chunks(*spans: tuple[int, int, int]) -> Chunks:
    return Chunks(("a", "b"), np.array(spans, dtype=np.int64))


def quote(*places: tuple[str, int, int]) -> Evidence:
    return Evidence("quote", str(places), tuple(Place(*place) for place in places))


WITHOUT_OUTER_SPACE = [start for start in range(26) if TEXT[start : start + 8] == TEXT[start : start + 8].strip()]
CUT = chunks((0, 0, 7), (0, 8, 18), (1, 0, 13), (1, 14, 33))


def test_the_numbers() -> None:
    whole, torn, file = quote(("a", 4, 7)), quote(("a", 4, 10)), Evidence("file", "b", (Place("b", 0, 33),))
    questions = [Question("q", "?", (whole, torn)), Question("q", "?", (file, whole)), Question("q", "?", (), answerable=False)]
    found = chunking_score(CUT, [2, 2, 3, 4], questions, DOCUMENTS)
    assert (found.least_words, found.median_words, found.most_words) == (2, 2.5, 4)
    assert found.whole == 2 / 3
    # Without the question that has a file label: "two" and "th"; the space between is in no chunk.
    assert found.precision_omega == 5 / 18
    assert found.precision_omega_std == 0


def test_without_quotes_there_is_nothing_to_tell() -> None:
    found = chunking_score(CUT, [2, 2, 3, 4], [Question("q", "?", (Evidence("file", "b", (Place("b", 0, 33),)),))], DOCUMENTS)
    assert (found.whole, found.precision_omega, found.precision_omega_std) == (None, None, None)


def test_the_spread_is_of_the_whole_population() -> None:
    questions = [Question("q", "?", (quote(("a", *span)),)) for span in [(0, 7), (0, 0 + 3)]]
    found = chunking_score(CUT, [1], questions, DOCUMENTS)
    assert (found.precision_omega, found.precision_omega_std) == pytest.approx(((1 + 3 / 7) / 2, (1 - 3 / 7) / 2))


def test_of_a_quote_in_several_places_the_one_counts_that_fits_best() -> None:
    assert precision_omegas(CUT, [Question("q", "?", (quote(("b", 0, 3), ("a", 0, 3)),))]) == [3 / 7]


def test_a_quote_that_these_texts_do_not_have_fits_no_chunk() -> None:
    lost = Evidence("quote", "lost", ())
    assert precision_omegas(CUT, [Question("q", "?", (quote(("a", 0, 3)), lost))]) == [3 / (7 + 4)]
    assert chunking_score(CUT, [1], [Question("q", "?", (lost,))], DOCUMENTS).whole == 0
    assert not reachable(CUT, DOCUMENTS, 4)(lost)


def test_neighbours_by_bisection_are_those_that_touch() -> None:
    random = Random(0)
    for _ in range(200):
        spans = sorted({(random.randint(0, 1), start) for start in random.sample(range(28), 6)})
        cut = chunks(*((document, start, start + 5) for document, start in spans))
        place = (random.choice("ab"), start := random.randint(0, 25), start + random.randint(1, 8))
        every = [cut.span(chunk) for chunk in range(len(cut))]
        assert precision_omegas(cut, [Question("q", "?", (quote(place),))]) == [precision_omega(every, [place])]


def hits(cut: Chunks, chosen: Sequence[int]) -> list[Hit]:
    return [Hit(chunk, *(span := cut.span(chunk))[:1], cut.number(chunk), *span[1:], 0.5) for chunk in chosen]


@pytest.mark.parametrize("match", ["union", "single"])
@pytest.mark.parametrize(("k", "room"), [(1, None), (2, None), (3, 3)])
def test_reachable_is_that_some_choice_of_chunks_finds_it(match: Match, k: int, room: int | None) -> None:
    random = Random(1)
    answers = set()
    for _ in range(100):
        cut = chunks(*((0, start, start + 8) for start in sorted(random.sample(WITHOUT_OUTER_SPACE, 4))))
        words = [len(text.split()) for text in cut.texts(DOCUMENTS)]
        asked = quote(("a", start := random.randint(0, 25), start + random.randint(1, 12)))
        choices = [
            chosen
            for size in range(1, k + 1)
            for chosen in combinations(range(len(cut)), size)
            if room is None or sum(words[chunk] for chunk in chosen) <= room
        ]
        expected = any(found_ranks(hits(cut, chosen), [asked], DOCUMENTS, match) != [None] for chosen in choices)
        assert reachable(cut, DOCUMENTS, k, match, room)(asked) == expected
        answers.add(expected)
    assert answers == {True, False}
