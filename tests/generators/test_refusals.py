"""The detector of refusals on replies that were labelled before it was written, and by another hand."""

import json
from collections import Counter
from pathlib import Path

import pytest

from ragsweep.generators import REFUSAL
from ragsweep.generators.refusals import is_refusal

REPLIES = [json.loads(line) for line in Path(__file__).with_name("refusals.jsonl").read_text("utf-8").splitlines()]
DECISIONS = (Path(__file__).parents[2] / "docs/decisions/generators.md").read_text("utf-8")


@pytest.mark.parametrize("half", ["held_out", "tune"])
def test_precision_and_recall_are_those_that_are_quoted(half):
    replies = [each for each in REPLIES if each["half"] == half]
    found = Counter((is_refusal(each["question"], each["reply"]), each["abstained"]) for each in replies)
    precision = found[True, True] / (found[True, True] + found[True, False])
    recall = found[True, True] / (found[True, True] + found[False, True])
    assert sum(found.values()) == 100
    assert f"| {half} | {precision:.3f} | {recall:.3f} |" in DECISIONS


@pytest.mark.parametrize(
    ("question", "reply", "refuses"),
    [
        ("How long?", REFUSAL, True),
        ("How long?", "", True),
        ("How long?", '```json\n{"answer": null}\n```', True),
        ("How long?", '{"answer": "25 days"}', False),
        ("How long?", "Not 25 but 30 days.", False),
        ("What does the form say?", 'It says "the documents do not mention it".', False),
        ("What is the brand?", "Use 50 g of flour. The documents do not mention the brand.", True),
        ("How much flour?", "Use 50 g of flour. The documents do not mention the brand.", False),
        ("What is the speed?", "The documents do not state the speed. It must be 36 knots.", False),
    ],
)
def test_a_reply(question, reply, refuses):
    assert is_refusal(question, reply) is refuses


def test_long_replies_take_no_time():
    """Patterns with two wide gaps are quadratic in a statement: the longest that a server may send has to end."""
    assert not is_refusal("q", "the document " + "word " * 1600)
