"""Grounded sentences: the rule, and how often it agrees with a person."""

import json
from collections import Counter
from pathlib import Path

import pytest

from ragsweep.metrics.grounded import grounded

LABELLED = Path(__file__).parent / "samples" / "grounded.jsonl"
CHUNKS = [
    "Full-time staff get 25 paid leave days each year. They never lapse before 31 March.",
    "Hotels cost at most 1,200 euros a week. Sign for two nights.",
]


@pytest.mark.parametrize(
    ("answer", "share"),
    [
        ("Full-time staff get 25 paid leave days each year.", 1),
        ("Staff get 25 leave days [1].", 1),  # the mark is no number
        ("Staff get 25 leave days [1, 2]. Hotels cost at most 1200 euros.", 1),
        ("Staff get 26 leave days.", 0),
        ("Staff get 25 paid leave days for two nights.", 0),  # each part stands somewhere, the sentence nowhere
        ("They lapse before 31 March.", 0),
        ("They don\u2019t lapse before 31 March.", 1),
        ("Sign for 2 nights.", 1),
        ("Staff get 25 leave days. There is a pool on the roof.", 1 / 2),
        ("", 0),
    ],
)
def test_the_share_of_the_sentences(answer: str, share: float) -> None:
    assert grounded(answer, CHUNKS) == share


def test_the_language_is_that_of_the_stems() -> None:
    chunk = ["Die Mitarbeiter erhalten jährliche Urlaube von 25 Tagen."]
    assert grounded("Ein Mitarbeiter erhält jährlich Urlaub von 25 Tagen.", chunk, "german") == 1
    assert grounded("Ein Mitarbeiter erhält jährlich Urlaub von 25 Tagen.", chunk, "english") == 0


def test_nothing_given_grounds_nothing() -> None:
    assert grounded("Staff get 25 leave days.", []) == 0


def test_a_share_of_all_that_is_given_crowns_whoever_mixes_chunks() -> None:
    """Word for word, both answers stand in the chunks taken together; one says what none of them says."""
    true, mixed = "Hotels cost at most 1,200 euros a week.", "Staff get 1,200 euros each year."
    words = {word.strip(".") for chunk in CHUNKS for word in chunk.lower().split()}
    assert all({word.strip(".") for word in said.lower().split()} <= words for said in (true, mixed))
    assert (grounded(true, CHUNKS), grounded(mixed, CHUNKS)) == (1, 0)


def test_a_larger_chunk_grounds_no_more_than_its_sentences_do() -> None:
    """By the words of a whole chunk a setup would be the better the larger its chunks are."""
    said = "Staff get 1,200 euros each year."
    assert grounded(said, [" ".join(CHUNKS)]) == grounded(said, CHUNKS) == 0


@pytest.mark.parametrize(
    ("half", "tp", "fp", "fn", "tn"),
    [("choose", 26, 6, 11, 31), ("hold", 29, 5, 10, 34)],
)
def test_agreement_with_sentences_labelled_by_hand(half: str, tp: int, fp: int, fn: int, tn: int) -> None:
    """The threshold was chosen on one half; docs/decisions/metrics.md quotes what it does on the other."""
    rows = [json.loads(line) for line in LABELLED.read_text(encoding="utf-8").splitlines()]
    contexts = {row["context"]: row for row in rows if "chunks" in row}
    found: Counter[tuple[bool, bool]] = Counter()
    for row in (row for row in rows if "sentence" in row):
        context = contexts[row["context"]]
        if context["half"] == half:
            share = grounded(row["sentence"], context["chunks"])
            assert share in (0, 1)
            found[share == 1, row["grounded"]] += 1
    assert [found[key] for key in ((True, True), (True, False), (False, True), (False, False))] == [tp, fp, fn, tn]
