"""Run one setup over its questions, one after another: a Record for each."""

import logging
from collections.abc import Callable, Iterable
from contextlib import suppress

from ragsweep.embedders.queries import PreparedVectors
from ragsweep.index import Index
from ragsweep.setups import Setup
from ragsweep.steps import Steps
from ragsweep.types import Record

log = logging.getLogger(__name__)


def queries(setup: Setup, questions: Iterable[str]) -> list[str]:
    """The distinct texts whose vectors ``run`` may ask for, as far as they are known beforehand."""
    return list(dict.fromkeys(text for question in questions for text in setup.rag_type.queries(question, setup.generator)))


def run(
    setup: Setup,
    index: Index,
    asked: Iterable[tuple[str, int]],
    vectors: PreparedVectors,
    on_record: Callable[[Record], None],
) -> None:
    """Answer each (question text, repeat) of ``asked`` and hand its record on as soon as it is there.

    A question that raises becomes a failed record with the steps that it got through; its traceback is logged. Before
    the first question is timed it is searched for once, unrecorded: a warm-up of what is loaded at first use.
    """
    for place, (question, repeat) in enumerate(asked):
        if place == 0:
            with suppress(Exception):  # it is raised again, and recorded, below
                _steps(setup, index, vectors).retrieve([question])
        on_record(_answer(setup, index, question, repeat, vectors))


def _answer(setup: Setup, index: Index, question: str, repeat: int, vectors: PreparedVectors) -> Record:
    steps = _steps(setup, index, vectors)
    try:
        outcome = setup.rag_type.answer(question, steps)
    except Exception as error:
        log.exception("failed: %s", question)
        return Record(question, repeat, "failed", steps=tuple(steps.taken), error=f"{type(error).__name__}: {error}")
    return Record(
        question,
        repeat,
        outcome.status,
        retrieved=tuple(steps.retrieved),
        final=tuple(outcome.final),
        answer=outcome.answer,
        steps=tuple(steps.taken),
        dropped=steps.dropped,
    )


def _steps(setup: Setup, index: Index, vectors: PreparedVectors) -> Steps:
    return Steps(index, vectors, setup.retriever, setup.reranker, setup.generator, setup.top_k, setup.top_n, setup.dedupe)
