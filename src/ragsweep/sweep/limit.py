"""A quick look: some of the questions."""

from collections.abc import Sequence

from ragsweep.files import digest
from ragsweep.types import Question


def limited(questions: Sequence[Question], limit: int | None, seed: int | None) -> list[Question]:
    """At most ``limit`` of ``questions``, in their order: the first ones, or those that ``seed`` draws.

    A draw takes the questions whose digests of (seed, text) are the least. So it depends on no order, id or label, another
    question in the file replaces one at most, and the draw of a smaller limit is part of that of a larger one.
    """
    if limit is None or limit >= len(questions):
        return list(questions)
    if seed is None:
        return list(questions[:limit])
    drawn = sorted(range(len(questions)), key=lambda place: digest([seed, questions[place].text]))[:limit]
    return [questions[place] for place in sorted(drawn)]


def limit_notices(limit: int | None, questions: int) -> list[str]:
    """That a limit left nothing out."""
    few = limit is not None and limit > questions
    return [f"limit={limit}: there are {questions} questions, and all are asked"] if few else []
