"""The scores of a setup broken down by the keys of its questions."""

from collections.abc import Sequence

from ragsweep.evaluation.result import result
from ragsweep.questions.keys import groups
from ragsweep.results import Description, Result, Score
from ragsweep.types import Question


def breakdown(
    setup: Description, asked: Sequence[tuple[Question, Score]], keys: Sequence[str]
) -> dict[str, dict[str | None, Result]]:
    """For each key and value the result over its questions, in the order met, those without the key (None) last.

    A question with a list is in the group of each of its values. A group that failed as a whole is 0, as its questions are in
    the means of the setup.
    """
    found: dict[str, dict[str | None, Result]] = {}
    for key in keys:
        scores: dict[str | None, list[Score]] = {}
        for question, score in asked:
            for group in groups(question, key):
                scores.setdefault(group, []).append(score)
        ran = any(score.status != "failed" for _, score in asked)
        last = sorted(scores, key=lambda group: group is None)
        found[key] = {group: result(setup, scores[group], part=ran) for group in last}
    return found
