"""The tables of SPEC 2 (what is evidence) and SPEC 3 (metrics), row by row, and the B rows of the fault tables."""

from collections.abc import Sequence

import pytest

from ragsweep.evaluation.result import result
from ragsweep.evaluation.score import score
from ragsweep.metrics.gains import found_ranks, matches
from ragsweep.results import Description, Score, View
from ragsweep.types import Document, Evidence, Hit, Match, Place, Question, Record

PAGES = tuple((10 * page, 10 * page + 8) for page in range(12))
DOCUMENTS = {id: Document(id, "two word\n\n" * 12, "", pages=PAGES) for id in "abcdefghijkl"}
SETUP = Description("id", "name", {}, k=5, generates=False, chunking="word")


def hit(written: str) -> Hit:
    """ "a1" is the chunk of a's page 1, "a4-5" one chunk over two pages."""
    first, _, last = written[1:].partition("-")
    number = int(first)
    return Hit(0, written[0], number, PAGES[number - 1][0], PAGES[int(last or first) - 1][1], score=0.5)


def evidence(written: str) -> Evidence:
    """ "a" is the file, "a4" its page 4."""
    span = PAGES[int(written[1:]) - 1] if written[1:] else (0, 120)
    return Evidence("page" if written[1:] else "file", written, (Place(written[0], *span),))


def scored(needs: str, hits: str, k: int = 5) -> Score:
    question = Question("q", "?", tuple(map(evidence, needs.split())))
    found = tuple(map(hit, hits.split()))
    return score(Record("?", 0, "searched", retrieved=found, final=found), question, DOCUMENTS, top_k=k, top_n=k)


def view(needs: str, hits: str, k: int = 5) -> View:
    final = scored(needs, hits, k).final
    assert final
    return final


@pytest.mark.parametrize(
    ("needs", "hits", "k", "recall", "rr", "ndcg"),
    [
        pytest.param("a4 c", "a1 b2 a4 a4 c1", 5, 1.0, 1 / 3, 0.5438, id="worked example"),
        pytest.param("a4 c", "a1 b2 a4 a4 c1", 3, 0.5, 1 / 3, 0.3066, id="worked example at 3"),
        pytest.param("a b", "a1 a2", 2, 0.5, 1, 0.6131, id="B1 copies of one of two"),
        pytest.param("a b", "a1 c1 b1", 5, 1, 1, 0.9197, id="ranks 1 and 3"),
        pytest.param("a", "a1 a2", 2, 1, 1, 1, id="copies of the only one"),
        pytest.param("a b c d e", "a1", 5, 0.2, 1, 0.3392, id="B3 one of five, one hit"),
        pytest.param("a", "b1 a1 c1", 5, 1, 0.5, 0.6309, id="B4 rank 2"),
        pytest.param("a", "b1 c1 a1", 5, 1, 1 / 3, 0.5, id="B4 rank 3"),
        pytest.param("a4 a5", "a4-5", 5, 1, 1, 1, id="one chunk holds both"),
        pytest.param("a4 a5 b", "a4-5", 5, 2 / 3, 1, 0.9386, id="one chunk holds two of three"),
        pytest.param("a b c d e f g h i j k", "a1 b1 c1 d1 e1 f1 g1 h1 i1 j1", 10, 10 / 11, 1, 1, id="B5 eleven in ten"),
        pytest.param("a", "", 5, 0, 0, 0, id="B7 no hit"),
        pytest.param("a b", "c1 d1 a1", 2, 0, 0, 0, id="found behind the cut"),
    ],
)
def test_case(needs: str, hits: str, k: int, recall: float, rr: float, ndcg: float) -> None:
    found = view(needs, hits, k)
    assert (found.recall, found.rr, found.ndcg) == (pytest.approx(recall), pytest.approx(rr), pytest.approx(ndcg, abs=5e-5))


def test_capped_questions_are_marked() -> None:
    assert view("a4 a5", "a4-5").capped
    assert not view("a b c", "a1 b1 c1").capped
    assert not view("a4 a5 b", "a4-5").capped


@pytest.mark.parametrize(
    ("last", "k", "means"),
    [
        ("a1 c1 b1", 5, (1.0, 1.0, 0.987)),
        ("a1", 2, (0.917, 1.0, 0.936)),
    ],
)
def test_means_of_six_questions_of_which_five_are_perfect(last: str, k: int, means: tuple[float, ...]) -> None:
    final = result(SETUP, [*(scored("a", "a1", k) for _ in range(5)), scored("a b", last, k)]).final
    assert final
    assert tuple(round(value, 3) for value in (final.recall, final.mrr, final.ndcg)) == means


def test_b7_a_question_without_any_hit_stays_in_the_mean() -> None:
    final = result(SETUP, [scored("a", "a1"), scored("a", "")]).final
    assert final and (final.recall, final.mrr, final.ndcg) == (0.5, 0.5, 0.5)


@pytest.mark.parametrize(
    ("needs", "hits", "k", "hit", "all", "precision"),
    [("a b", "c1 b1 b2", 5, 1, 0, 0.4), ("a b", "c1 a1 b2", 3, 1, 1, 2 / 3), ("a b", "c1 d1 b2", 2, 0, 0, 0)],
)
def test_hit_all_and_precision(needs: str, hits: str, k: int, hit: float, all: float, precision: float) -> None:
    found = view(needs, hits, k)
    assert (found.hit, found.all, found.precision) == (hit, all, pytest.approx(precision))


# ---- what is evidence --------------------------------------------------------------------------------------------------

TEXT = "Refunds are processed within 5 business  days.\n\nAsk HR."
QUOTE = (12, 45)  # "processed within 5 business  days"
TWO = {id: Document(id, TEXT, "", pages=((0, 46), (48, 55))) for id in ("hr.pdf", "it.pdf")}


def ranks(
    kind: str, place: Place | Sequence[Place], *spans: tuple[int, int], document: str = "hr.pdf", match: Match = "union"
) -> int | None:
    places = (place,) if isinstance(place, Place) else tuple(place)
    hits = [Hit(0, document, number, *span, score=0) for number, span in enumerate(spans, start=1)]
    return found_ranks(hits, [Evidence(kind, "label", places)], TWO, match)[0]  # type: ignore[arg-type]


def test_a_file_is_found_by_any_chunk_of_it_and_by_no_other() -> None:
    assert ranks("file", Place("hr.pdf", 0, 55), (48, 51)) == 1
    assert ranks("file", Place("hr.pdf", 0, 55), (0, 55), document="it.pdf") is None


def test_e7_a_page_is_found_by_a_chunk_that_shares_a_non_space_character_with_it() -> None:
    second = Place("hr.pdf", 48, 55)
    assert ranks("page", second, (0, 46), (40, 49)) == 2
    assert ranks("page", Place("hr.pdf", 46, 55), (0, 48)) is None, "white space only"
    assert ranks("page", second, (48, 55), document="it.pdf") is None


def test_a_chunk_label_is_the_number_in_its_document() -> None:
    assert ranks("chunk", Place("hr.pdf", 0, 0, chunk=2), (0, 7), (8, 20)) == 2


@pytest.mark.parametrize("kind", ["quote", "span"])
def test_quotes_and_spans_are_found_when_the_hits_together_cover_them(kind: str) -> None:
    place = Place("hr.pdf", *QUOTE)
    assert ranks(kind, place, QUOTE) == 1
    assert ranks(kind, place, (0, 30), (48, 55), (31, 46)) == 3, "cut between two chunks, found with the second"
    assert ranks(kind, place, (0, 39), (41, 46)) == 2, "the white space between two chunks is not missed"
    assert ranks(kind, place, (0, 30), (32, 46)) is None, "a letter is missing"
    assert ranks(kind, place, (0, 30), (0, 30)) is None


@pytest.mark.parametrize("kind", ["quote", "span"])
@pytest.mark.parametrize(
    ("spans", "union", "single"),
    [
        pytest.param([QUOTE], 1, 1, id="exactly"),
        pytest.param([(0, 46)], 1, 1, id="with more around it"),
        pytest.param([(0, 30), (48, 55), (31, 46)], 3, None, id="cut between two chunks"),
        pytest.param([(0, 30), (20, 46), (0, 46)], 2, 3, id="cut with overlap, then whole"),
        pytest.param([(13, 46), (0, 44)], 2, None, id="each lacks a letter"),
        pytest.param([(48, 55), QUOTE, QUOTE], 2, 2, id="a copy changes nothing"),
    ],
)
def test_single_asks_one_hit_to_hold_it_whole(
    kind: str, spans: list[tuple[int, int]], union: int | None, single: int | None
) -> None:
    place = Place("hr.pdf", *QUOTE)
    assert (ranks(kind, place, *spans), ranks(kind, place, *spans, match="single")) == (union, single)


def test_single_looks_past_the_outer_white_space_of_a_span() -> None:
    assert ranks("span", Place("hr.pdf", 39, 46), (42, 46), (41, 46), match="single") == 2
    assert ranks("span", Place("hr.pdf", 38, 47), (40, 46), (38, 46), match="single") == 2
    assert ranks("span", Place("hr.pdf", 39, 40), (0, 46), match="single") is None, "white space only"
    assert ranks("span", Place("hr.pdf", 46, 51), (48, 51), match="single") == 1


@pytest.mark.parametrize("kind", ["file", "page"])
def test_files_and_pages_know_no_rule(kind: str) -> None:
    assert ranks(kind, Place("hr.pdf", 0, 46), (48, 51), (30, 40), match="single") == (1 if kind == "file" else 2)


def test_one_place_of_a_quote_has_to_be_covered_not_half_of_two() -> None:
    places = [Place("hr.pdf", 0, 7), Place("hr.pdf", 12, 21)]
    assert ranks("quote", places, (0, 4), (16, 21)) is None
    assert ranks("quote", places, (0, 4), (16, 21), (12, 16)) == 3


def test_precision_counts_a_hit_with_a_part_of_a_quote() -> None:
    quote = Evidence("quote", "label", (Place("hr.pdf", *QUOTE),))
    hits = [Hit(0, "hr.pdf", 1, *span, score=0) for span in [(0, 20), (45, 46), (13, 14), (13, 14)]]
    assert matches(hits, [quote], TWO) == [True, False, True, True]
