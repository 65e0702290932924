"""The values of a JSON object, checked one by one."""

from collections.abc import Callable, Mapping, Sequence
from math import isfinite
from typing import Any

from ragsweep.errors import nearest


class Written:
    """The values of an object, read key by key; a value of the wrong form is a mistake and reads as not there."""

    def __init__(self, values: Mapping[str, Any]) -> None:
        self.values = values
        self.mistakes: list[str] = []

    def wrong(self, said: str) -> None:
        """Keep a mistake."""
        self.mistakes.append(said)

    def known(self, keys: Sequence[str]) -> None:
        """Any other key is a mistake."""
        for key in self.values:
            if key not in keys:
                self.wrong(f"{key}: there is no such key; {nearest(key, keys)}")

    def value(self, key: str, right: Callable[[Any], bool], fix: str) -> Any:
        """That of a key, None where it is not there or not right; ``fix`` says what to write."""
        value = self.values.get(key)
        if value is None or right(value):
            return value
        self.wrong(f"{key}: {shown(value)}: write {fix}")
        return None

    def listed(self, key: str, right: Callable[[Any], bool], fix: str) -> tuple[Any, ...] | None:
        """The items of a list that are all right."""
        found = self.value(key, lambda value: isinstance(value, list) and all(map(right, value)), fix)
        return None if found is None else tuple(found)

    def name(self, key: str, *, needed: bool = False) -> Any:
        """A text that is not blank."""
        if needed and key not in self.values:
            self.wrong(f"{key} is missing: write that of the question")
            return ""
        return self.value(key, lambda value: is_text(value) and bool(value.strip()), "a text") or ("" if needed else None)


def shown(value: Any) -> str:
    """The beginning of a value, for a message."""
    said = repr(value)
    return said if len(said) <= 60 else f"{said[:57]}..."


def is_text(value: Any) -> bool:
    """Whether it is a text."""
    return isinstance(value, str)


def is_number(value: Any) -> bool:
    """Whether it is a finite number."""
    return isinstance(value, int | float) and not isinstance(value, bool) and isfinite(value)


def is_amount(value: Any) -> bool:
    """Whether it is a number of 0 or more."""
    return is_number(value) and value >= 0


def is_whole(value: Any) -> bool:
    """Whether it is a whole number of 0 or more."""
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def is_count(value: Any) -> bool:
    """Whether it is a whole number of 1 or more."""
    return is_whole(value) and value > 0
