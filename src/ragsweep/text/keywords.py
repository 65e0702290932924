"""The words that keyword search and coverage count."""

from typing import Literal

Language = Literal["english"]


def keywords(text: str, language: Language = "english") -> list[str]:
    """The stems of a text in order, repeats kept."""
    raise NotImplementedError
