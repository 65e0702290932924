"""ragsweep: run every combination of a RAG sweep on your own questions and compare them truthfully."""

import logging
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ragsweep.api import (
        RAG,
        Evaluation,
        Retriever,
        compare_retrievers,
        compare_setups,
        evaluate_retriever,
        format_rag_report,
        format_report,
        load_questions,
        parse_questions,
    )

__version__ = "0.1.0"
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
logging.getLogger(__name__).addHandler(logging.NullHandler())  # what is logged belongs to run.log, not to the terminal


def __getattr__(name: str) -> Any:
    """The names of ``ragsweep.api``, which is imported when the first of them is asked for: no command needs it."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module("ragsweep.api"), name)
