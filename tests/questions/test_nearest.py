"""The nearest passage of a quote that occurs nowhere: the right one, as evidence that is found when it is pasted."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragsweep.errors import InputErrors
from ragsweep.questions import load, resolve
from ragsweep.types import Document

COMMON = "the plan of the group is that of the plan and the group. " * 300


def nearest(quote, *texts):
    """The evidence that the mistake shows, read as JSON; None without one."""
    documents = {f"{place}.md": Document(f"{place}.md", text, "") for place, text in enumerate(texts)}
    with pytest.raises(InputErrors) as caught:
        resolve(load([{"id": "q", "question": "x", "expected": [quote]}]), documents)
    _, said, shown = caught.value.messages[0].partition("; the nearest passage is ")
    if not said:
        return None
    found = json.loads(shown.removesuffix(" (dataset.questions[0])"))
    resolve(load([{"id": "q", "question": "x", "expected": [found]}]), documents)
    return found["source"], found["quote"]


@pytest.mark.parametrize(
    ("quote", "texts", "expected"),
    [
        # A run of words that are everywhere weighs less than rare words apart.
        ("the plan of the group is Zurich on Monday", [COMMON, "Held in Zurich, each Monday, it is said by all."], 1),
        # Words that are everywhere are still found, when it has no others.
        ("the plan of the group was", [COMMON], 0),
        # The rare word alone does not win against all the others.
        ("up to 5 unused days move to the next year", ["Year 5. " * 9, "Up to five unused days move into the next year."], 1),
        ("many dogs bark", ["cats purr", "few dogs bark", "few dogs bark"], 1),  # of equal ones the first
    ],
)
def test_the_passage_that_shares_most(quote, texts, expected):
    assert nearest(quote, *texts)[0] == f"{expected}.md"


def test_it_begins_where_the_quote_begins():
    text = "In March. Up to five unused days move into the next year. They lapse."
    assert (
        nearest("Up to six unused days move into the next year", text)[1] == "Up to five unused days move into the next year."
    )
    assert nearest("days move onto the next year", f"{text} days")[1] == "days move into the next year."


@pytest.mark.parametrize(
    ("text", "quote", "shown"),
    [
        ("It is well-\nknown by all here.", "it is wellknown by none here", "It is well-\nknown by all here."),
        ("Up to\n  five days", "up to six days", "Up to five days"),
        ("Up to\u00a0five “days”", "up to six days", "Up to five “days”"),
        ("a\u2060b five days", "b six days", "a\u2060b five days"),
    ],
)
def test_what_stands_in_the_text_is_shown_so_that_it_is_found(text, quote, shown):
    assert nearest(quote, text)[1] == shown


def test_nothing_in_common_is_nothing_near():
    assert nearest("xyzzy plugh", "Up to five days.") is None


TEXTS = st.text(st.sampled_from("ab 5.\n-é。年\u00ad\u00a0”"), min_size=1, max_size=40)


@settings(deadline=None)
@given(TEXTS.filter(str.strip), TEXTS)
def test_what_is_shown_is_always_found(text, quote):
    nearest(f"q{quote.strip()}q a 5 年", text)
