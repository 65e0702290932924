"""Which questions count as asking the same, and as almost the same."""

import pytest

from ragsweep.questions.duplicates import equal, near
from ragsweep.types import Question


def ids(find, *texts):
    questions = [Question(str(place), text, ()) for place, text in enumerate(texts)]
    return [[question.id for question in group] for group in find(questions)]


@pytest.mark.parametrize(
    ("texts", "groups"),
    [
        (["How many days?", "how  many days", "How many hours?"], [["0", "1"]]),
        (["What is the ofﬁce?", "What is the office"], [["0", "1"]]),
        (["年假是多少天？", "年假 是 多少天"], [["0", "1"]]),
        (["a b", "c", "A, b!", "C?"], [["0", "2"], ["1", "3"]]),
        (["?", "!"], []),
    ],
)
def test_equal(texts, groups):
    assert ids(equal, *texts) == groups


@pytest.mark.parametrize(
    ("texts", "groups"),
    [
        (["How many days are there off?", "How many hours are there off?"], [["0", "1"]]),
        (["How many days are there off?", "How many days are off?"], [["0", "1"]]),
        (["How many days are there off?", "How many hours are left off?"], []),
        (["Who is the CEO?", "Who is the CFO?"], []),  # four words: the one that differs is the question
        (["How many days are there off?", "how many days are there off"], []),  # equal, which is said apart
        (["谁是现任的主席？", "谁是首任的主席？"], [["0", "1"]]),
    ],
)
def test_near(texts, groups):
    assert ids(near, *texts) == groups


def test_questions_of_one_template_are_one_group():
    assert [len(group) for group in ids(near, *(f"What is the price of {place}?" for place in range(300)))] == [300]
