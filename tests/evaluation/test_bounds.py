"""Floor and ceiling against the metrics themselves: every choice of chunks tried, every shuffle scored."""

from collections.abc import Sequence
from itertools import combinations
from math import comb
from random import Random

import numpy as np
import pytest

from ragsweep.evaluation import ceiling as ceiling_module
from ragsweep.evaluation.ceiling import ceiling
from ragsweep.evaluation.floor import SHUFFLES, floor
from ragsweep.index.chunks import Chunks
from ragsweep.metrics.gains import found_ranks
from ragsweep.types import Document, Evidence, EvidenceKind, Hit, Match, Place, Question


def spans_of(cuts: Sequence[tuple[int, int]], documents: int = 1) -> Chunks:
    """The same chunks in each of the documents a, b, ..."""
    spans = [(document, *span) for document in range(documents) for span in cuts]
    return Chunks(tuple("abcdefghijklmnopqrstuvwxyz"[:documents]), np.array(spans, dtype=np.int64))


def question(*evidence: Evidence) -> Question:
    return Question("q", "?", evidence)


def quote(*places: tuple[str, int, int], kind: EvidenceKind = "quote") -> Evidence:
    return Evidence(kind, str(places), tuple(Place(*place) for place in places))


def recall(chosen: Sequence[Hit], asked: Question, documents: dict[str, Document], match: Match = "union") -> float:
    return sum(rank is not None for rank in found_ranks(chosen, asked.evidence, documents, match)) / len(asked.evidence)


def random_case(seed: int) -> tuple[Chunks, Question, dict[str, Document], int]:
    """A text with white space, chunks that may overlap or leave gaps, and evidence anywhere in it."""
    random = Random(seed)
    text = f"x{''.join(random.choice('ab  ') for _ in range(random.randint(6, 16)))}y"
    spans: list[tuple[int, int]] = []
    for begin in sorted(random.sample(range(len(text)), random.randint(1, 5))):
        piece = text[begin : begin + random.randint(2, 7)]
        start, end = begin + len(piece) - len(piece.lstrip()), begin + len(piece.rstrip())
        if start < end and (not spans or (start > spans[-1][0] and end > spans[-1][1])):
            spans.append((start, end))
    evidence = []
    for _ in range(random.randint(1, 4)):
        starts = [random.randrange(len(text)) for _ in range(random.randint(1, 2))]
        places = [("a", start, min(len(text), start + random.randint(1, 9))) for start in starts]
        evidence.append(quote(*places, kind=random.choice(["quote", "page", "span", "file"])))
    return spans_of(spans or [(0, 1)]), question(*evidence), {"a": Document("a", text, "")}, random.randint(1, 3)


def hits_of(chunks: Chunks) -> list[Hit]:
    return [
        Hit(place, *(chunks.span(place)[0], chunks.number(place), *chunks.span(place)[1:]), score=0)
        for place in range(len(chunks))
    ]


@pytest.mark.parametrize("match", ["union", "single"])
@pytest.mark.parametrize("seed", range(150))
def test_equal_to_trying_everything(seed: int, match: Match, monkeypatch: pytest.MonkeyPatch) -> None:
    chunks, asked, documents, k = random_case(seed)
    hits = hits_of(chunks)
    best = max(recall(chosen, asked, documents, match) for chosen in combinations(hits, min(k, len(hits))))
    assert ceiling(chunks, [asked], documents, k, match) == (pytest.approx(best), True)
    shuffles = np.random.RandomState(0)
    drawn = [[hits[place] for place in shuffles.permutation(len(hits))[:k]] for _ in range(SHUFFLES)]
    mean = np.mean([recall(chosen, asked, documents, match) for chosen in drawn])
    assert floor(chunks, [asked], documents, k, match) == pytest.approx(mean)

    monkeypatch.setattr(ceiling_module, "SEARCHED", 0)
    bound, exact = ceiling(chunks, [asked], documents, k, match)
    assert bound == pytest.approx(best) if exact else bound >= best - 1e-9


WORDS = "aa bb cc dd ee ff gg hh ii jj kk ll mm nn"
PIECES = [(start, start + 2) for start in range(0, len(WORDS), 3)]
ONE = {"a": Document("a", WORDS, "")}


def test_the_floor_is_near_its_closed_form() -> None:
    asked = question(quote(("a", 0, 2)), quote(("a", 3, 8)))
    one_of_14 = 5 / 14
    both_of_14 = comb(12, 3) / comb(14, 5)
    assert floor(spans_of(PIECES), [asked], ONE, k=5) == pytest.approx((one_of_14 + both_of_14) / 2, abs=0.05)


def test_the_floor_of_fewer_chunks_than_k_is_the_ceiling() -> None:
    asked = question(quote(("a", 0, 8)), quote(("a", 0, 20)))
    chunks = spans_of([(0, 5), (6, 11)])
    assert floor(chunks, [asked], ONE, k=5) == 0.5
    assert ceiling(chunks, [asked], ONE, k=5) == (0.5, True)


def test_unanswerable_questions_have_no_part_in_either() -> None:
    asked = [question(quote(("a", 0, 2))), Question("none", "?", (), answerable=False)]
    assert floor(spans_of(PIECES), asked, ONE, k=14) == 1
    assert ceiling(spans_of(PIECES), asked, ONE, k=14) == (1, True)


@pytest.mark.parametrize(
    ("needed", "k", "expected"),
    [
        pytest.param(12, 5, (5 / 12, True), id="twelve are searched"),
        pytest.param(13, 5, (5 / 13, False), id="thirteen are bounded"),
        pytest.param(13, 13, (1, True), id="all of them fit, nothing to search"),
    ],
)
def test_where_the_ceiling_is_exact(needed: int, k: int, expected: tuple[float, bool]) -> None:
    asked = question(*(quote(("a", *span)) for span in PIECES[:needed]))
    assert ceiling(spans_of(PIECES), [asked], ONE, k) == (pytest.approx(expected[0]), expected[1])


def test_the_best_choice_is_not_the_greedy_one() -> None:
    """The chunk that holds most, a, belongs to no best pair."""
    documents = {id: Document(id, "word", "") for id in "abc"}
    chunks = spans_of([(0, 4)], documents=3)
    holders = ["ab", "ab", "ac", "ac", "bc"]
    asked = question(*(quote(*((id, 0, 4) for id in held)) for held in holders), quote(("b", 0, 4)), quote(("c", 0, 4)))
    assert ceiling(chunks, [asked], documents, k=1) == (pytest.approx(4 / 7), True)
    assert ceiling(chunks, [asked], documents, k=2) == (1, True)


def test_halves_that_others_need_anyway_complete_a_quote() -> None:
    """A quote stands whole in one chunk and cut in two elsewhere; both halves are needed too, so two chunks find all three."""
    documents = {"a": Document("a", "abcd", ""), "b": Document("b", "abcd", "")}
    chunks = Chunks(("a", "b"), np.array([(0, 0, 2), (0, 2, 4), (1, 0, 4)], dtype=np.int64))
    asked = question(quote(("a", 0, 4), ("b", 0, 4)), quote(("a", 0, 2)), quote(("a", 2, 4)))
    assert ceiling(chunks, [asked], documents, k=2) == (1, True)


def test_a_quote_cut_in_more_pieces_than_k_cannot_be_reached() -> None:
    asked = question(quote(("a", 0, 8)), quote(("a", 12, 14)))
    assert ceiling(spans_of(PIECES), [asked], ONE, k=2) == (0.5, True)
    assert ceiling(spans_of(PIECES), [asked], ONE, k=4) == (1, True)


def test_half_a_quote_is_worth_nothing() -> None:
    asked = question(quote(("a", 0, 5)), quote(("a", 12, 17)), quote(("a", 18, 20)))
    assert ceiling(spans_of(PIECES), [asked], ONE, k=2) == (pytest.approx(1 / 3), True)


def test_the_bound_counts_the_quotes_that_a_chunk_takes_part_in() -> None:
    """Seven quotes, each cut between two neighbours: three chunks find two of them, and no chunk is in more than two."""
    asked = question(*(quote(("a", first, first + 5)) for first, _ in PIECES[:7]))
    assert ceiling(spans_of(PIECES), [asked], ONE, k=3) == (pytest.approx(6 / 7), False)
