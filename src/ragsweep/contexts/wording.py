"""Texts of which only the words stand in a document: without its marks of Markdown or lists, with words of theirs around."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from math import ceil

from ragsweep.text.normalise import Normal, anywhere, normalise, worded
from ragsweep.types import Place, Span

SHARE = 0.75
"""Of a text's words, in a row, that must stand there."""
LEAST = 6
"""Words of a text that is looked for: fewer stand in a row by chance."""


@dataclass(frozen=True, slots=True)
class _Run:
    place: Place
    words: int


class Wording:
    """Finds texts by their words. ``normal`` gives the normal form of a document."""

    def __init__(self, normal: Callable[[str], Normal]) -> None:
        self._normal = normal
        self._worded: dict[str, Normal] = {}

    def places(self, text: str, ids: Sequence[str]) -> list[Place]:
        """Where the longest runs of a text's words stand in these documents; none that is under ``SHARE`` of them."""
        words = worded(normalise(text)).text.split()
        if len(words) < LEAST:
            return []
        found = [
            _Run(Place(id, *self._of(id).original(*span)), count)
            for id in ids
            for span, count in runs(words, self._of(id).text)
        ]
        most = max((run.words for run in found), default=0)
        return [run.place for run in found if run.words == most]

    def _of(self, id: str) -> Normal:
        if id not in self._worded:
            self._worded[id] = worded(self._normal(id))
        return self._worded[id]


def runs(words: Sequence[str], text: str) -> Iterator[tuple[Span, int]]:
    """Spans of a text (words with a space between) that hold at least ``SHARE`` of these words in a row, with their number.

    The first and the last word may be cut off, as a chunk begins and ends anywhere.

    >>> list(runs("file handbook the office closes at five today".split(), "early the office closes at five todays"))
    [((6, 37), 6)]
    """
    least = ceil(len(words) * SHARE)
    left_over = len(words) - least  # what any such run holds is all but so many words at either end
    before, after = " ".join(words[:left_over]), " ".join(words[least:])
    core, padded = f" {' '.join(words[left_over:least])} ", f" {text} "
    for at in anywhere(core, padded):
        end = at + len(core)
        left = _common(before[::-1], padded[max(0, at - len(before)) : at][::-1])
        right = _common(after, padded[end : end + len(after)])
        count = least - left_over + len(before[len(before) - left :].split()) + len(after[:right].split())
        if count >= least:
            yield (at - left - 1 if left else at, end + right - 1 if right else end - 2), count


def _common(wanted: str, there: str) -> int:
    """Characters at the beginning of both, without a word that is not whole, but for the last one wanted."""
    pairs = zip(wanted, there, strict=False)
    common = next((place for place, (one, other) in enumerate(pairs) if one != other), min(len(wanted), len(there)))
    return common if common == len(wanted) else max(0, wanted.rfind(" ", 0, common))
