"""What a reply says in the form that was asked for, whatever a model put around it."""

import json
import re
from collections.abc import Iterator
from typing import Any

FLAG = re.compile(r"\W*answerable\W*\b(yes|no)\b[^\w\n]*(?:\n|$|(?=\S))", re.IGNORECASE)


def flagged(reply: str) -> tuple[bool | None, str]:
    """What the first line says of whether the question is answerable, None without such a line, and the rest of the reply.

    >>> flagged("**ANSWERABLE:** yes\\n25 days [1].")
    (True, '25 days [1].')
    >>> flagged("25 days [1].")
    (None, '25 days [1].')
    """
    found = FLAG.match(reply)
    if found is None:
        return None, reply.strip()
    return found[1].lower() == "yes", reply[found.end() :].strip()


def value(reply: str, key: str) -> Any:
    """The value of ``key`` in the first JSON object of a reply that has it, None without one: text around it does not matter.

    >>> value('```json\\n{"parts": ["a", "b"]}\\n``` as you asked', "parts")
    ['a', 'b']
    """
    return next((found[key] for found in _objects(reply) if key in found), None)


def _objects(reply: str) -> Iterator[dict[str, Any]]:
    decoder = json.JSONDecoder()
    for place in (found.start() for found in re.finditer("{", reply)):
        try:
            found, _ = decoder.raw_decode(reply, place)
        except (ValueError, RecursionError):
            continue
        if isinstance(found, dict):
            yield found
