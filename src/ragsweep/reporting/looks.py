"""Questions to look at: the cases in which a setup went wrong, those first that most setups got wrong."""

from collections.abc import Sequence

from ragsweep.reporting.escape import shortened, visible
from ragsweep.results import Result, Score

SHOWN = 10
LABEL_LENGTH = 60
ERROR_LENGTH = 200
STATUS_WORDS = {"abstained": "wrong refusal", "empty": "empty answer", "cut": "answer cut off"}
WITHOUT_EVIDENCE = "refused without evidence"
"""A refusal that is wrong of the setup and right of its generator, which was given no evidence."""


def look_lines(results: Sequence[Result]) -> list[str]:
    """One line a question with the first setup that has it, ``SHOWN`` at most, and how many more there are."""
    looks: dict[str, dict[str, Score]] = {}
    for result in results:
        for score in result.looks:
            looks.setdefault(score.question_id, {}).setdefault(result.setup.name, score)
    worst = sorted(looks.items(), key=lambda item: -len(item[1]))
    lines = [_line(question, scores, len(results)) for question, scores in worst[:SHOWN]]
    return [*lines, f"... and {len(worst) - SHOWN} more in questions.csv"] if len(worst) > SHOWN else lines


def _line(question: str, scores: dict[str, Score], setups: int) -> str:
    name, score = next(iter(scores.items()))
    return f"{visible(question)} ({len(scores)} of {setups} setups) {visible(name)}: {what_went_wrong(score)}"


def what_went_wrong(score: Score) -> str:
    """The question's trouble in words."""
    if score.status == "failed":
        return f"failed: {shortened(visible(score.error or 'no reason given'), ERROR_LENGTH)}"
    if score.final is None or score.retrieved is None:
        return {"empty": "empty answer", "cut": "answer cut off"}.get(score.status, "answered") + " although unanswerable"
    if score.status == "gave_up":
        return f"gave up, retrieved recall {score.retrieved.recall:.2f}"
    recall = f"recall {score.final.recall:.2f}"
    if score.final.recall < 1:
        recall += f" found {_labels(score.found)} missed {_labels(score.missed)}"
        if score.retrieved.recall > score.final.recall:
            recall += f", retrieved recall {score.retrieved.recall:.2f}"
    said = WITHOUT_EVIDENCE if score.status == "abstained" and not score.final.hit else STATUS_WORDS.get(score.status)
    return f"{said}, {recall}" if said else recall


def _labels(labels: Sequence[str]) -> str:
    return "[" + ", ".join(f"'{shortened(visible(label), LABEL_LENGTH)}'" for label in labels) + "]"
