"""Records as strict JSON, and the key under which a finished one is found again."""

from collections.abc import Mapping, Set
from dataclasses import fields
from typing import Any

from ragsweep.errors import StoreError
from ragsweep.files import digest
from ragsweep.redaction import redact
from ragsweep.types import Answer, Call, Hit, Record, Step


def run_key(setup_id: str, question: str, repeat: int) -> str:
    """What identifies a run of one question: labels, answers and ids are in no key, so that editing them only re-scores."""
    return digest({"setup": setup_id, "question": question, "repeat": repeat})


def to_dict(record: Record) -> dict[str, Any]:
    """``record`` as JSON values; an answer, an error or texts outside that there are not are left out, and secrets in an error
    are too."""
    values = {
        **_fields(record),
        "retrieved": [_hit(hit) for hit in record.retrieved],
        "final": [_hit(hit) for hit in record.final],
        "copies": [_hit(hit) for hit in record.copies],
        "answer": _fields(record.answer) if record.answer else None,
        "steps": [_step(step) for step in record.steps],
        "error": redact(record.error) if record.error is not None else None,
        "outside": record.outside or None,
    }
    return {key: value for key, value in values.items() if value is not None}


def from_dict(data: Mapping[str, Any], documents: Set[str]) -> Record:
    """The record that ``to_dict`` described, of a run over ``documents``.

    Raises StoreError when ``data`` is none.
    """
    try:
        named = {hit["document"] for key in ("retrieved", "final", "copies") for hit in data[key]}
        if unknown := named - documents - {*data.get("outside", ())}:
            raise StoreError(f"it names a document that the run does not have: {min(unknown)!r}")
        answer = data.get("answer")
        lists = {
            "retrieved": tuple(Hit(**hit) for hit in data["retrieved"]),
            "final": tuple(Hit(**hit) for hit in data["final"]),
            "copies": tuple(Hit(**hit) for hit in data["copies"]),
            "steps": tuple(
                Step(**{**step, "calls": tuple(Call(**call) for call in step.get("calls", ()))}) for step in data["steps"]
            ),
            "answer": Answer(**{**answer, "cited": tuple(answer["cited"])}) if answer else None,
        }
        return Record(**{**data, **lists})
    except (KeyError, TypeError) as error:
        raise StoreError(f"it is no record of ragsweep: {error}") from error


def _hit(hit: Hit) -> dict[str, Any]:
    """Only those of another system have words of their own."""
    values = _fields(hit)
    if hit.words is None:
        del values["words"]
    return values


def _step(step: Step) -> dict[str, Any]:
    """Most steps ask no server: these have no calls to write."""
    values = _fields(step)
    calls = [_fields(call) for call in values.pop("calls")]
    return {**values, "calls": calls} if calls else values


def _fields(part: Record | Hit | Answer | Step | Call) -> dict[str, Any]:
    """Its fields as they are: asdict would copy all that is in them, for half the price of a search."""
    return {entry.name: getattr(part, entry.name) for entry in fields(part)}
