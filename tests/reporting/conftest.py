"""A small sweep with everything in it: both kinds of setups, failures, give-ups, a tie, and texts that try to be obeyed."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import pytest

from ragsweep.evaluation.result import result
from ragsweep.results import (
    Bounds,
    Characters,
    ChunkingScore,
    Context,
    Description,
    EmbeddingScore,
    Grades,
    Report,
    Reranking,
    Result,
    Score,
    View,
)
from ragsweep.types import Status

NOTHING = View(0, 0, 0, 0, 0, 0, capped=False)
HALF = View(0.5, 1, 0.6131, 1, 0, 0.5, capped=False)
FULL = View(1, 1, 1, 1, 1, 1, capped=False)

AXES = {"rag_type": ["simple", "adaptive", "search"], "chunker": ["word", "page"]}


def scored(id: str, status: Status, view: View | None, seconds: float = 0.25, **values: Any) -> Score:
    found, missed = {None: ((), ()), FULL: (("a.md",), ()), HALF: (("a.md",), ("b.md",))}.get(view, ((), ("a.md",)))
    row = Score(id, f"What is {id}?", "fact", status, "So.", view, view, found, missed, 60, 3, 0, seconds)
    return replace(row, **(staged(status, view) if view else {}), **values)


def staged(status: Status, view: View) -> dict[str, Any]:
    """The stages of an answerable question: retrieval put its evidence first, and the reranker lost what it lost."""
    lost = 2 - len({FULL: (1, 1), HALF: (1,)}.get(view, ()))
    answered = float(status == "answered")
    kept = {"answered": "cited", "searched": "found", "failed": "failed", "gave_up": "withheld"}[status]
    return {
        "retrieved_at": {1: HALF, 5: view if status == "failed" else FULL},
        "reranking": Reranking(view if status == "failed" else FULL, view, 0, 0 if status == "failed" else lost),
        "context": Context(view.precision, 1, Characters(view.recall, view.recall / 4, view.recall / 5)),
        "grades": None if status == "searched" else grades(answered, view.recall),
        "ends": (kept,) if view != HALF else (kept, "reranking"),
    }


def grades(answered: float, recall: float) -> Grades:
    return Grades(answered, answered / 2, None, answered, recall * answered, grounded=answered)


def described(rag_type: str, chunker: str) -> Description:
    options = {"rag_type": rag_type, "chunker": chunker, "embedder": "minilm"}
    facts = {"word": (240, 58.5, 0), "page": (12, 903.25, 7)}[chunker]
    cut = {"word": (2, 60.0, 60, 0.75, 0.25, 0.125), "page": (11, 850.5, 2000, 1.0, 0.0625, 0.03125)}[chunker]
    id, name = f"{rag_type[0]}{chunker[0]}", f"{rag_type} + {chunker}"
    base = Description(id, name, options, 2, rag_type != "search", chunker, *facts)
    vectors = {"word": EmbeddingScore(0.75, 0.5, 0.125, 2), "page": EmbeddingScore(1.0, 0.75, None, 0)}[chunker]
    return replace(base, chunking_score=ChunkingScore(*cut), embedding_score=vectors if rag_type != "search" else None)


SCORES: Mapping[str, list[Score]] = {
    "aw": [
        scored("q_1", "answered", FULL),
        scored("=q_2", "gave_up", NOTHING, retrieved=FULL, steps=12),
        scored("q_3", "abstained", None, 0.5),
    ],
    "sw": [
        scored("q_1", "answered", FULL),
        scored("=q_2", "answered", HALF, question='=HYPERLINK("http://x")', missed=("a | b\x1b[31m",)),
        scored("q_3", "answered", None, 1.5),
    ],
    "sp": [
        scored(id, "failed", view, 0, error="out of\nmemory")
        for id, view in [("q_1", NOTHING), ("=q_2", NOTHING), ("q_3", None)]
    ],
    "xw": [scored("q_1", "searched", FULL), scored("=q_2", "searched", FULL), scored("q_3", "searched", None)],
    "xp": [scored("q_1", "searched", FULL), scored("=q_2", "searched", FULL), scored("q_3", "searched", None)],
}


def grouped(setup: Description, scores: list[Score]) -> dict[str, dict[str | None, Result]]:
    """The answerable questions are facts, the other one has no task_type."""
    return {"task_type": {"fact | *": result(setup, scores[:2]), None: result(setup, scores[2:])}}


@pytest.fixture
def scores() -> Callable[[Result], list[Score]]:
    return lambda result: SCORES[result.setup.id]


@pytest.fixture
def report() -> Report:
    """In an order that is not that of the tables."""
    setups = {
        "xp": replace(described("search", "page"), id="xp"),
        "sp": described("simple", "page"),
        "aw": described("adaptive", "word"),
        "xw": replace(described("search", "word"), id="xw"),
        "sw": described("simple", "word"),
    }
    run = {"host": "here", "folder": "simple-word-1", "jobs": 2}
    return Report(
        dataset="policies_*draft*",
        questions=3,
        answerable=2,
        fixed={"embedder": "minilm", "top_k": 5, "top_n": 2, "dedupe": None},
        axes=AXES,
        results=[replace(result(setup, SCORES[id]), run=run, by=grouped(setup, SCORES[id])) for id, setup in setups.items()],
        bounds=[Bounds("word", 2, 0.0125, 1.0, exact=True), Bounds("page", 2, 0.1, 0.95, exact=False)],
        notices=["3 questions: one question is worth 0.500 of Recall"],
        run_lines=["252 texts, 240 distinct: 240 embedded now, 0 from the store", "took 3.1 s"],
        rule="union",
    )
