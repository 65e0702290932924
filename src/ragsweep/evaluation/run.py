"""Run one setup over its questions, one after another or some at a time: a Record for each."""

import logging
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path

import numpy as np

from ragsweep.embedders.queries import PreparedVectors
from ragsweep.errors import contained, reason
from ragsweep.evaluation.in_flight import side_by_side
from ragsweep.index import Index
from ragsweep.models import sharing
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
    in_flight: int = 1,
    answers: Path | None = None,
    on_error: Callable[[Exception], object] | None = None,
) -> None:
    """Answer each (question text, repeat) of ``asked`` and hand its record on as soon as it is there.

    ``prepared`` holds the query vectors of each of ``setup.query_embedders``. ``in_flight`` questions are asked at the same
    time; the next of ``asked`` is taken when one of them has ended, and records are handed on one at a time, in this thread.
    ``answers`` is the folder by which identical requests share their answers (``ragsweep.models.sharing``), None for none.

    A question that raises becomes a failed record with the steps that it got through; its traceback is logged, and ``on_error``
    is told at once, in the thread of the question. Before
    the first question is timed it is searched for once, unrecorded: a warm-up of what is loaded at first use.
    """

    def answer(one: tuple[str, int]) -> Record:
        question, repeat = one
        with sharing.shared(answers, repeat):
            return answer_one(setup, index, question, repeat, prepared, on_error)

    for record in side_by_side(answer, _warmed_up(setup, index, asked, prepared), in_flight):
        on_record(record)


def _warmed_up(
    setup: Setup, index: Index, asked: Iterable[tuple[str, int]], prepared: Mapping[Embedder, PreparedVectors]
) -> Iterator[tuple[str, int]]:
    for place, (question, repeat) in enumerate(asked):
        if place == 0 and index.incoming is None:  # another system would be asked once more
            with suppress(Exception), contained():  # it is raised again, and recorded, when it is asked
                _steps(setup, index, prepared).retrieve([question])
        yield question, repeat


def answer_one(
    setup: Setup,
    index: Index,
    question: str,
    repeat: int,
    prepared: Mapping[Embedder, PreparedVectors],
    on_error: Callable[[Exception], object] | None = None,
) -> Record:
    """The record of one question, without a warm-up."""
    steps = _steps(setup, index, prepared)
    try:
        with contained():
            outcome = setup.rag_type.answer(question, steps)
    except Exception as error:
        log.exception("failed: %s", question)
        if on_error is not None:
            on_error(error)
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
        outside=steps.index.incoming.outside if steps.index.incoming is not None else {},
    )


def _steps(setup: Setup, index: Index, prepared: Mapping[Embedder, PreparedVectors]) -> Steps:
    vectors = {embedder: each.of_question() for embedder, each in prepared.items()}
    return Steps(
        index.of_question(),
        vectors[setup.embedder] if setup.embedder is not None else _UNUSED.of_question(),
        setup.retriever,
        setup.reranker,
        setup.generator,
        setup.top_k,
        setup.top_n,
        setup.dedupe,
        vectors.get(SENTENCE_EMBEDDER),
        setup.context_words,
    )
