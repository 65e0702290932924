"""Questions as written, before the documents are looked at."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Label:
    """One evidence as written. ``shown`` names it in messages.

    ``name`` is a plain string of ``required_evidence_ids``: a file or a page, which only the documents can tell. Every other
    label has ``source`` or ``quote`` or both, and at most one of ``page``, ``chunk`` (1-based) and ``span``.
    """

    shown: str
    name: str | None = None
    source: str | None = None
    quote: str | None = None
    page: int | None = None
    chunk: int | None = None
    span: tuple[int, int] | None = None
    place: str = ""
    """Which of several it is, as in ``expected[2]``."""
    reference: bool = False
    """From ``references``: file labels on the same source then only narrow."""


@dataclass(frozen=True, slots=True)
class Draft:
    """One question as written; see ragsweep.types.Question."""

    id: str
    text: str
    labels: tuple[Label, ...]
    answerable: bool
    answers: tuple[str, ...]
    required_facts: tuple[str, ...]
    task_type: str | None
    extra: Mapping[str, Any]
    where: str
    remarks: tuple[str, ...] = ()
    """What the user should know about how it is written."""


@dataclass(frozen=True, slots=True)
class Loaded:
    """The questions that could be read, and the mistakes in the others. ``resolve`` raises them together with its own."""

    drafts: tuple[Draft, ...]
    errors: tuple[str, ...]
