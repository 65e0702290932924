"""A result without the numbers that nobody knows."""

from collections.abc import Sequence
from dataclasses import replace

from ragsweep.results import Grades, Result

_NO_TEXTS = {"contexts", "words", "passages"}
"""What is not known of contexts whose texts cannot be scored."""


def known(found: Result, unknown: Sequence[str]) -> Result:
    """``found`` without what its records do not tell: "seconds", "words", "passages", "contexts", "citations"."""
    if "seconds" in unknown:
        found = replace(found, p50_s=None, p95_s=None)
    if {"contexts", "words"} & set(unknown):
        found = replace(found, words=None)
    if _NO_TEXTS & set(unknown):
        found = replace(found, context=None, counted={**found.counted, "characters": 0})
    if "contexts" in unknown:
        failed = tuple(each for each in found.looks if each.status == "failed")
        found = replace(found, final=None, retrieved=None, retrieved_at={}, ledger={}, missed=(), looks=failed, capped=0)
    return replace(found, grades=_graded(found.grades, unknown)) if found.grades else found


def _graded(grades: Grades, unknown: Sequence[str]) -> Grades:
    if "citations" in unknown:
        grades = replace(grades, citation_precision=None, citation_recall=None)
    return replace(grades, grounded=None) if _NO_TEXTS & set(unknown) else grades
