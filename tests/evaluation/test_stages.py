"""The stages of single questions and of setups, and the loss ledger: every evidence ends in one place."""

from collections.abc import Sequence
from dataclasses import astuple, replace
from math import fsum, isclose
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragsweep.evaluation.result import result
from ragsweep.evaluation.score import score
from ragsweep.evaluation.stages import Rules
from ragsweep.reporting.stages import ENDS, ledger
from ragsweep.results import Characters, Description, End, Score
from ragsweep.types import Answer, Document, Evidence, Hit, Match, Place, Question, Record, Status, Step

TEXT = "one two three four five six"
DOCUMENTS = {id: Document(id, TEXT, "") for id in "ab"}
ONE, TWO, THREE, FOUR = (
    Hit(chunk, "a", chunk + 1, *span, 0.5) for chunk, span in enumerate([(0, 3), (4, 7), (8, 13), (14, 18)])
)
OTHER = Hit(9, "b", 1, 0, 3, 0.5)


def quote(*places: tuple[int, int], document: str = "a") -> Evidence:
    return Evidence("quote", str(places), tuple(Place(document, *place) for place in places))


def asked(*evidence: Evidence, **values: object) -> Question:
    return Question("q", "?", evidence, **values)  # type: ignore[arg-type]


def recorded(
    status: Status, retrieved: Sequence[Hit], final: Sequence[Hit], cited: Sequence[Hit] = (), **values: object
) -> Record:
    answer = (
        None if status == "searched" else Answer("two", status in ("abstained", "gave_up"), tuple(hit.chunk for hit in cited))
    )
    return Record("?", 0, status, tuple(retrieved), tuple(final), answer, **values)  # type: ignore[arg-type]


def rerank(*hits: Hit) -> Step:
    return Step("rerank", 0.1, {}, {"hits": [[hit.chunk, hit.document, hit.number, hit.score] for hit in hits]})


# ---- the ledger --------------------------------------------------------------------------------------------------------

NEEDED = asked(quote((4, 7)))


@pytest.mark.parametrize(
    ("end", "record", "rules"),
    [
        ("failed", recorded("failed", [TWO], [TWO], [TWO], error="no"), Rules(reachable=lambda evidence: False)),
        ("not_reachable", recorded("answered", [ONE], [ONE], copies=(TWO,)), Rules(reachable=lambda evidence: False)),
        ("copy", recorded("answered", [ONE], [ONE], copies=(TWO,)), Rules()),
        ("not_retrieved", recorded("answered", [ONE, THREE], [ONE]), Rules()),
        ("not_retrieved", recorded("abstained", [ONE], [ONE], copies=(THREE,)), Rules()),  # no fault of the generator
        ("not_retrieved", recorded("answered", [ONE, THREE, FOUR, TWO], [ONE]), Rules()),  # behind top_k
        ("reranking", recorded("answered", [TWO, ONE], [ONE]), Rules()),
        ("reranking", recorded("gave_up", [TWO, ONE], [], steps=(rerank(TWO), rerank(ONE))), Rules()),
        ("withheld", recorded("gave_up", [TWO, ONE], [], steps=(rerank(ONE), rerank(TWO))), Rules()),
        ("withheld", recorded("answered", [ONE, TWO], [ONE]), Rules(context_words=1)),
        ("abstained", recorded("abstained", [TWO], [TWO], [TWO]), Rules()),
        ("not_cited", recorded("answered", [TWO, ONE], [TWO, ONE], [ONE]), Rules()),
        ("not_cited", recorded("empty", [TWO], [TWO]), Rules()),
        ("cited", recorded("answered", [TWO, ONE], [TWO, ONE], [TWO]), Rules()),
        ("found", recorded("searched", [TWO], [TWO]), Rules(generates=False)),
    ],
)
def test_where_an_evidence_ends(end: End, record: Record, rules: Rules) -> None:
    assert score(record, NEEDED, DOCUMENTS, top_k=3, top_n=2, rules=rules).ends == (end,)


def test_a_quote_of_two_chunks_is_cited_when_both_are() -> None:
    whole = asked(quote((0, 7)))
    ends = [
        score(recorded("answered", [ONE, TWO], [ONE, TWO], cited), whole, DOCUMENTS, 3, 2, match).ends[0]
        for cited, match in (([ONE], "union"), ([ONE, TWO], "union"), ([ONE, TWO], "single"))
    ]
    assert ends == ["not_cited", "cited", "not_retrieved"]


spans = st.tuples(st.integers(0, len(TEXT) - 1), st.integers(1, 9)).map(lambda span: (span[0], min(len(TEXT), sum(span))))
hits = st.builds(lambda id, span: Hit(span[0], id, span[0] + 1, *span, 0.5), st.sampled_from("ab"), spans)
lists = st.lists(hits, max_size=4)
evidences = st.builds(
    lambda kind, id, span: Evidence(kind, "label", (Place(id, *span, chunk=span[0] + 1),)),
    st.sampled_from(["file", "page", "chunk", "quote", "span"]),
    st.sampled_from("ab"),
    spans.filter(lambda span: TEXT[slice(*span)].strip() != ""),
)
questions = st.lists(st.lists(evidences, max_size=3), min_size=1, max_size=3)
statuses = st.sampled_from([status for status in get_args(Status) if status != "searched"])


@st.composite
def scored(draw: st.DrawFn, natural: bool) -> list[Score]:
    """A setup over some questions; a ``natural`` record has kept what it retrieved, and given what it kept."""
    generates = draw(st.booleans())
    found = []
    for evidence in draw(questions):
        retrieved = draw(lists)
        final = (
            draw(st.lists(st.sampled_from(retrieved), max_size=3)) if natural and retrieved else [] if natural else draw(lists)
        )
        status = draw(statuses) if generates else draw(st.sampled_from(["searched", "failed"]))
        final = [] if natural and status == "gave_up" else final
        record = recorded(status, retrieved, final, draw(lists), copies=tuple(draw(lists)), steps=(rerank(*retrieved),))
        reachable = natural or draw(st.booleans())
        rules = Rules((1, 2), draw(st.sampled_from([None, 2])), generates, lambda _, reachable=reachable: reachable)
        question = asked(*evidence, answerable=bool(evidence), answers=("two",), required_facts=("two",))
        match: Match = draw(st.sampled_from(["union", "single"]))
        found.append(score(record, question, DOCUMENTS, 4, 4, match, rules))
    return found


@given(scored(natural=False))
def test_every_evidence_ends_in_exactly_one_place_and_they_sum_to_100_per_cent(scores: list[Score]) -> None:
    required = sum(len(row.found) + len(row.missed) for row in scores)
    counted = ledger([result(Description("id", "name", {}, 4, True, "word"), scores)])
    assert set(counted) == set(ENDS) == set(get_args(End))
    assert sum(counted.values()) == required
    assert all(len(row.ends) == len(row.found) + len(row.missed) for row in scores)
    if required:
        assert isclose(fsum(count / required for count in counted.values()), 1)


@given(scored(natural=True))
def test_what_is_given_by_the_ledger_is_what_recall_counts(scores: list[Score]) -> None:
    for row in scores:
        given_ = sum(end in ("abstained", "not_cited", "cited", "found") for end in row.ends)
        assert given_ == len(row.found)
        if row.retrieved:
            retrieved = sum(end not in ("failed", "not_reachable", "copy", "not_retrieved") for end in row.ends)
            assert isclose(row.retrieved.recall, retrieved / len(row.ends))


# ---- the stages --------------------------------------------------------------------------------------------------------


def test_the_retrieved_list_at_each_cut_up_to_top_k() -> None:
    record = recorded("answered", [ONE, TWO, OTHER], [ONE])
    at = score(record, asked(quote((0, 3)), quote((4, 7))), DOCUMENTS, 3, 1, rules=Rules((1, 2, 3, 10))).retrieved_at
    assert {k: (view.recall, view.precision) for k, view in at.items()} == {1: (0.5, 1), 2: (1, 1), 3: (1, 2 / 3)}


def test_evidence_that_reranking_gains_and_loses() -> None:
    """Recall stays as it is: one evidence goes, another comes."""
    record = recorded("answered", [ONE, TWO, THREE], [THREE, TWO])
    reranking = score(record, asked(quote((0, 3)), quote((8, 13))), DOCUMENTS, 3, 2).reranking
    assert reranking
    assert (reranking.before.recall, reranking.after.recall) == (0.5, 0.5)
    assert (reranking.before.rr, reranking.after.rr) == (1, 1)
    assert (reranking.gained, reranking.lost) == (1, 1)


def test_before_reranking_as_many_words_have_room_as_after() -> None:
    """With room for one word the second hit is as far out of reach before as after."""
    record = recorded("answered", [ONE, TWO], [TWO])
    reranking = score(record, NEEDED, DOCUMENTS, 2, 2, rules=Rules(context_words=1)).reranking
    assert reranking
    assert (reranking.before.recall, reranking.after.recall, reranking.gained, reranking.lost) == (0, 1, 1, 0)


def test_after_giving_up_reranking_is_what_its_last_step_kept() -> None:
    record = recorded("gave_up", [ONE, TWO], [], steps=(rerank(ONE), rerank(TWO)))
    found = score(record, NEEDED, DOCUMENTS, 2, 1)
    assert found.reranking and found.final
    assert (found.reranking.before.recall, found.reranking.after.recall, found.final.recall) == (0, 1, 0)


def test_the_context() -> None:
    copy = replace(OTHER, chunk=10)
    context = score(recorded("answered", [], [TWO, OTHER, copy]), asked(quote((4, 9))), DOCUMENTS, 3, 3).context
    assert context
    assert (context.precision, context.copies) == (1 / 3, 1)
    assert context.characters == Characters(recall=3 / 5, precision=3 / 9, iou=3 / 11)


def test_of_a_quote_in_several_places_the_one_counts_that_is_covered_best() -> None:
    context = score(recorded("answered", [], [TWO]), asked(quote((0, 2), (4, 6))), DOCUMENTS, 3, 3).context
    assert context and context.characters
    assert context.characters == Characters(recall=1, precision=2 / 3, iou=2 / 3)


def test_a_quote_that_these_texts_do_not_have_is_missed_by_as_much_as_it_is_long() -> None:
    """Another reader of the file has it; a mean without the question would reward the reader that lost it."""
    nowhere = Evidence("quote", "lost", ())
    found = score(recorded("answered", [TWO], [TWO], [TWO]), asked(quote((4, 7)), nowhere), DOCUMENTS, 3, 3)
    assert found.context and found.context.characters == Characters(recall=3 / 7, precision=1, iou=3 / 7)


def test_characters_are_of_quotes_and_spans_only() -> None:
    file = Evidence("file", "a", (Place("a", 0, len(TEXT)),))
    context = score(recorded("answered", [], [TWO]), asked(quote((4, 7)), file), DOCUMENTS, 3, 3).context
    assert context and context.characters is None


@pytest.mark.parametrize(
    ("status", "cited", "grades"),
    [
        ("answered", [TWO, OTHER], (1, 1, 0.5, 0.5, 0.5, 1)),
        ("answered", [], (1, 1, 0.5, 0, 0, 1)),
        ("abstained", [], (0, 0, 0, 0, 0, 0)),
        ("empty", [], (0, 0, 0, 0, 0, 0)),
        ("failed", [TWO], (0, 0, 0, 0, 0, 0)),
    ],
)
def test_grades(status: Status, cited: Sequence[Hit], grades: tuple[float, ...]) -> None:
    question = asked(quote((4, 7)), quote((0, 3)), answers=("Two.", "one"), required_facts=("two", "three"))
    found = score(recorded(status, [], [TWO, OTHER], cited), question, DOCUMENTS, 3, 3).grades
    assert found
    assert astuple(found) == grades


def test_means_are_over_the_questions_that_have_the_number() -> None:
    questions = [asked(quote((4, 7)), answers=("two",)), asked(quote((4, 7))), Question("q", "?", (), answerable=False)]
    scores = [score(recorded("answered", [TWO], [TWO], [TWO]), question, DOCUMENTS, 3, 3) for question in questions]
    scores.append(score(recorded("failed", [], []), questions[0], DOCUMENTS, 3, 3))
    found = result(Description("id", "name", {}, 3, True, "word"), scores)
    assert found.grades and found.context and found.context.characters and found.reranking
    assert (found.grades.exact_match, found.grades.facts) == (1 / 2, None)
    assert (found.grades.citation_recall, found.context.precision, found.reranking.after.recall) == (2 / 3, 2 / 3, 2 / 3)
    assert found.context.characters.recall == 2 / 3
    assert found.refused_wrongly == 0


def test_a_search_setup_has_no_grades() -> None:
    found = score(recorded("searched", [TWO], [TWO]), NEEDED, DOCUMENTS, 3, 3, rules=Rules(generates=False))
    assert found.grades is None
