"""Scores by the keys of questions."""

from collections.abc import Mapping
from typing import Any

import pytest

from ragsweep.evaluation.breakdown import breakdown
from ragsweep.evaluation.result import result
from ragsweep.questions.keys import groups, keys, unknown_keys
from ragsweep.results import Description, Score, View
from ragsweep.types import Question, Status

SETUP = Description("id", "name", {}, 1, True, "word")


def question(extra: Mapping[str, Any] | None = None, task_type: str | None = None) -> Question:
    return Question("q", "?", (), task_type=task_type, extra=extra or {})


def scored(recall: float | None, status: Status = "answered") -> Score:
    view = None if recall is None else View(recall, recall, recall, recall, recall, recall, capped=False)
    return Score("q", "?", None, status, "So.", view, view, (), (), 9, 3, 0, 0.1)


@pytest.mark.parametrize(
    ("asked", "key", "found"),
    [
        (question(task_type="fact"), "task_type", ["fact"]),
        (question(), "task_type", [None]),
        (question({"level": 2}), "level", ["2"]),
        (question({"hard": True}), "hard", ["true"]),
        (question({"level": None}), "level", [None]),
        (question({"topics": ["pay", "leave", "pay"]}), "topics", ["pay", "leave"]),
        (question({"topics": []}), "topics", [None]),
        (question({"of": {"year": 2024}}), "of", ['{"year": 2024}']),
    ],
)
def test_the_groups_of_a_question(asked: Question, key: str, found: list[str | None]) -> None:
    assert groups(asked, key) == found


def test_keys_that_there_are() -> None:
    asked = [question({"level": 1}), question({"source": None, "topic": "pay"}, "fact")]
    assert keys(asked) == ["level", "task_type", "topic"]
    assert unknown_keys(["task_type", "topics", "source"], asked) == [
        "report.by=topics: the questions cannot be told apart by it; did you mean 'topic'?",
        "report.by=source: the questions cannot be told apart by it; known: level, task_type, topic",
    ]


def test_answerable_is_one_where_a_question_is_not() -> None:
    asked = [question(), Question("r", "?", (), answerable=False)]
    assert (keys(asked), keys(asked[:1])) == (["answerable"], [])
    assert [groups(each, "answerable") for each in asked] == [["true"], ["false"]]


def test_groups_in_the_order_met_and_those_without_the_key_last() -> None:
    asked = [(question(), scored(1)), (question(task_type="fact"), scored(0)), (question(task_type="list"), scored(1))]
    assert list(breakdown(SETUP, asked, ["task_type"])["task_type"]) == ["fact", "list", None]


def test_a_mean_of_the_groups_crowns_the_worse_setup_and_ours_are_means_of_questions() -> None:
    """Three facts and one list: one setup finds the facts, the other one fact and the list."""
    types = ["fact", "fact", "fact", "list"]
    facts, lists = ([1, 1, 1, 0], [1, 0, 0, 1])
    overall, by_group = [], []
    for recalls in (facts, lists):
        asked = [(question(task_type=kind), scored(recall)) for kind, recall in zip(types, recalls, strict=True)]
        found = breakdown(SETUP, asked, ["task_type"])["task_type"]
        parts = [(part.final.recall, part.n - part.unanswerable) for part in found.values() if part.final]
        whole = result(SETUP, [score for _, score in asked]).final
        assert whole and whole.recall == pytest.approx(sum(recall * n for recall, n in parts) / sum(n for _, n in parts))
        overall.append(whole.recall)
        by_group.append(sum(recall for recall, _ in parts) / len(parts))
    assert overall[0] > overall[1]
    assert by_group[0] < by_group[1]


def test_a_group_of_which_all_failed_is_0_as_in_the_means_of_the_setup() -> None:
    """Without a value it would be left out of a comparison that it loses."""
    asked = [(question(task_type="fact"), scored(1)), (question(task_type="list"), scored(0, "failed"))]
    part = breakdown(SETUP, asked, ["task_type"])["task_type"]["list"]
    assert part.final and (part.final.recall, part.answered, part.n_ok, part.n) == (0, 0, 0, 1)
    nothing_ran = breakdown(SETUP, asked[1:], ["task_type"])["task_type"]["list"]
    assert nothing_ran.final is None


def test_unanswerable_questions_are_in_no_mean_of_their_group() -> None:
    asked = [(question(task_type="fact"), scored(0.5)), (question(task_type="fact"), scored(None, "abstained"))]
    part = breakdown(SETUP, asked, ["task_type"])["task_type"]["fact"]
    assert part.final and (part.final.recall, part.refused, part.n, part.unanswerable) == (0.5, 1, 2, 1)
