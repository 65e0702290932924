"""Records as JSON, and run keys."""

import json

import pytest

from ragsweep.errors import StoreError
from ragsweep.evaluation.records import from_dict, run_key, to_dict
from ragsweep.types import Answer, Hit, Record, Step

HIT = Hit(3, "a.md", 2, 10, 20, 0.615)
FULL = Record(
    "Was gilt für „Spanien“?",
    1,
    "answered",
    retrieved=(HIT, Hit(0, "b.md", 1, 0, 5, -0.25)),
    final=(HIT,),
    answer=Answer("20 days", False, (3,)),
    steps=(Step("retrieve", 0.25, {"query": "q", "top_k": 5}, {"hits": [[3, "a.md", 2, 0.615]], "dropped": 1}),),
    copies=(Hit(7, "a.md", 6, 60, 70, 0.5),),
)
FAILED = Record("q", 0, "failed", error="ValueError: no")


@pytest.mark.parametrize("record", [FULL, FAILED, Record("q", 0, "gave_up", answer=Answer("no", True))])
def test_a_record_survives_strict_json(record):
    assert from_dict(json.loads(json.dumps(to_dict(record), allow_nan=False)), {"a.md", "b.md"}) == record


def test_what_there_is_not_is_left_out():
    assert "error" not in to_dict(FULL)
    assert "answer" not in to_dict(FAILED)


@pytest.mark.parametrize(
    "data",
    [
        {},
        {**to_dict(FAILED), "colour": 1},
        {**to_dict(FULL), "copies": 1},
        {**to_dict(FULL), "final": [{"chunk": 1}]},
        {**to_dict(FULL), "steps": 3},
        {**to_dict(FULL), "final": [{**to_dict(FULL)["final"][0], "document": "c.md"}]},
    ],
)
def test_anything_else_is_refused(data):
    with pytest.raises(StoreError, match=r"is no record of|names a document that the run does not have"):
        from_dict(data, {"a.md", "b.md"})


def test_a_run_key_changes_with_setup_question_and_repeat():
    keys = {run_key("s", "q", 0), run_key("t", "q", 0), run_key("s", "r", 0), run_key("s", "q", 1), run_key("sq", "", 0)}
    assert len(keys) == 5
    assert run_key("s", "q", 0) in keys
