"""ragsweep in Python, without Hydra: the settings, the store and the numbers of the command line."""

import os
from pathlib import Path
from typing import Any

from ragsweep import questions
from ragsweep.api.evaluation import Evaluation, format_rag_report, format_report
from ragsweep.api.rag import RAG, compare_setups
from ragsweep.api.retrievers import Retriever, compare_retrievers, evaluate_retriever

__all__ = [
    "RAG",
    "Evaluation",
    "Retriever",
    "compare_retrievers",
    "compare_setups",
    "evaluate_retriever",
    "format_rag_report",
    "format_report",
    "load_questions",
    "parse_questions",
]


def load_questions(path: str | os.PathLike[str]) -> list[dict[str, Any]]:
    """The questions of a .json or .jsonl file as they stand in it (docs/questions.md), each with its ``id``.

    They are plain dicts: choose some, change them, and give them to any call. Raises InputErrors with every mistake in them;
    whether their evidence is in the documents is checked when these are known.
    """
    return questions.written(Path(path))


def parse_questions(text: str) -> list[dict[str, Any]]:
    """The same of a text: a JSON list, or JSON Lines, where a question without an id is called by its number: ``q_001``."""
    return questions.parse(text)
