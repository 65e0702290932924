"""A judge's reply to a verdict: strictly, from its last line, or not at all."""

import json
import re
from collections.abc import Sequence
from typing import Any

from ragsweep.results import Verdict

REASON = "reason"
_ONE_BLOCK = re.compile(r"```\w*\n(?P<inside>(?:(?!```).)*)\n```", re.DOTALL)


def form(asked: Sequence[str]) -> dict[str, Any]:
    """The JSON schema of a verdict on what is ``asked``: correct, grounded."""
    properties = {REASON: {"type": "string"}, **{name: {"type": "boolean"} for name in asked}}
    return {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}


def read(reply: str, asked: Sequence[str]) -> Verdict:
    """The verdict of a reply: all of it, or its last line, which what it quotes before cannot change.

    One block of code around all of it does not matter. Whatever is no verdict, or more than one, is unscored.

    >>> read('It says: {"reason": "", "correct": true}\\n{"reason": "no", "correct": false}', ["correct"]).correct
    False
    >>> read('{"reason": "", "correct": true} {"reason": "", "correct": false}', ["correct"]).unscored
    'its last line is no verdict'
    """
    text = reply.strip()
    if block := _ONE_BLOCK.fullmatch(text):
        text = block["inside"].strip()
    for written in (text, text.rpartition("\n")[2]):
        verdict = _verdict(written, asked)
        if verdict is not None:
            return verdict
    return Verdict(unscored="its last line is no verdict" if text else "it is empty")


def _verdict(written: str, asked: Sequence[str]) -> Verdict | None:
    try:
        values = json.loads(written, object_pairs_hook=_once)
    except (ValueError, RecursionError):
        return None
    if not isinstance(values, dict) or values.keys() != {REASON, *asked} or not isinstance(values[REASON], str):
        return None
    said = {name: values[name] for name in asked}
    return Verdict(**said, reason=values[REASON]) if all(type(value) is bool for value in said.values()) else None


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object; one that has a key twice is two verdicts in one."""
    values = dict(pairs)
    if len(values) < len(pairs):
        raise ValueError("a key is there twice")
    return values
