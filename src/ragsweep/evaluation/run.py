"""Run one setup over its questions, one after another: a Record for each."""

import logging
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress

import numpy as np

from ragsweep.embedders.queries import PreparedVectors
from ragsweep.errors import reason
from ragsweep.index import Index
from ragsweep.parts import Embedder
from ragsweep.setups import SENTENCE_EMBEDDER, Setup
from ragsweep.steps import Steps
from ragsweep.types import Record

log = logging.getLogger(__name__)
_UNUSED = PreparedVectors((), np.zeros((0, 0), np.float32), (), SENTENCE_EMBEDDER)
"""For parts that ask for no vector."""


def queries(setup: Setup, questions: Iterable[str]) -> list[str]:
    """The distinct texts whose vectors ``run`` may ask for, as far as they are known beforehand."""
    return list(dict.fromkeys(text for question in questions for text in setup.rag_type.queries(question, setup.generator)))


def run(
    setup: Setup,
    index: Index,
    asked: Iterable[tuple[str, int]],
    prepared: Mapping[Embedder, PreparedVectors],
    on_record: Callable[[Record], None],
) -> None:
    """Answer each (question text, repeat) of ``asked`` and hand its record on as soon as it is there.

    ``prepared`` holds the query vectors of each of ``setup.query_embedders``.

    A question that raises becomes a failed record with the steps that it got through; its traceback is logged. Before
    the first question is timed it is searched for once, unrecorded: a warm-up of what is loaded at first use.
    """
    for place, (question, repeat) in enumerate(asked):
        if place == 0:
            with suppress(Exception):  # it is raised again, and recorded, below
                _steps(setup, index, prepared).retrieve([question])
        on_record(_answer(setup, index, question, repeat, prepared))


def _answer(setup: Setup, index: Index, question: str, repeat: int, prepared: Mapping[Embedder, PreparedVectors]) -> Record:
    steps = _steps(setup, index, prepared)
    try:
        outcome = setup.rag_type.answer(question, steps)
    except Exception as error:
        log.exception("failed: %s", question)
        return Record(question, repeat, "failed", steps=tuple(steps.taken), error=reason(error))
    return Record(
        question,
        repeat,
        outcome.status,
        retrieved=tuple(steps.retrieved),
        final=tuple(outcome.final),
        answer=outcome.answer,
        steps=tuple(steps.taken),
        copies=tuple(steps.copies),
    )


def _steps(setup: Setup, index: Index, prepared: Mapping[Embedder, PreparedVectors]) -> Steps:
    return Steps(
        index,
        prepared[setup.embedder] if setup.embedder is not None else _UNUSED,
        setup.retriever,
        setup.reranker,
        setup.generator,
        setup.top_k,
        setup.top_n,
        setup.dedupe,
        prepared.get(SENTENCE_EMBEDDER),
        setup.context_words,
    )
