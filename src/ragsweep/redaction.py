"""Secrets are never shown: the one function, and the log formatter, that take them out of a text."""

import logging
import re
from typing import Any

LEAST_LENGTH = 8
"""A shorter value ("none", "EMPTY", "ollama") stands where a local server wants any key, and would be found in plain words."""
MASK = "[secret]"

_secrets: set[str] = set()
_PATTERNS = (
    (re.compile(r"\b(bearer|basic)\s+[^\s\"',;]+", re.IGNORECASE), rf"\1 {MASK}"),
    (re.compile(r"\bsk-[\w-]{6,}"), MASK),
    (re.compile(r"(?<=://)[^\s/?#@\"']+@"), f"{MASK}@"),  # user:password@ of a URL
)


def keep_secret(value: str) -> None:
    """From now on ``redact`` takes this value out of every text of this process."""
    if len(value) >= LEAST_LENGTH:
        _secrets.add(value)


def redact(text: str) -> str:
    """The text without secrets: known values, and what looks like a key, an Authorization header or a password in a URL.

    >>> redact("Authorization: Bearer abc123 for http://me:pass@host/v1, not sk-1234567890")
    'Authorization: Bearer [secret] for http://[secret]@host/v1, not [secret]'
    """
    text = _without_keys(text)
    for pattern, mask in _PATTERNS:
        text = pattern.sub(mask, text)
    return text


def _without_keys(text: str) -> str:
    for value in sorted(_secrets, key=len, reverse=True):  # a key that holds another one is taken out whole
        text = text.replace(value, MASK)
    return text


class RedactingFormatter(logging.Formatter):
    """Formats messages and tracebacks without secrets."""

    def format(self, record: logging.LogRecord) -> str:
        """The line, or lines, of a record."""
        return redact(super().format(record))


def redact_values(value: Any) -> Any:
    """JSON values without the keys that this process knows, as a server may say the key that it was given. What only looks like
    a secret stays: it is a passage or an answer, and "basic coverage" is words.

    >>> redact_values(["Basic coverage", {"text": "bearer of news"}])
    ['Basic coverage', {'text': 'bearer of news'}]
    """
    if isinstance(value, dict):
        return {_without_keys(key): redact_values(item) for key, item in value.items()}
    if isinstance(value, list):
        return [redact_values(item) for item in value]
    return _without_keys(value) if isinstance(value, str) else value
