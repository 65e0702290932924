"""A copy of a text for comparing quotes, with a map back to the original, and the search for a quote in it.

NFKC, case-folded, white space folded to one space, soft hyphens and invisible characters dropped, curly quotes and dashes
made plain, and a word that was cut at the end of a line joined. ``loosened`` is a second form for what this one does not find.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING
from unicodedata import category, normalize

import numpy as np

from ragsweep.text.unseen import UNSEEN
from ragsweep.text.words import UNSPACED
from ragsweep.types import Span

if TYPE_CHECKING:
    import numpy.typing as npt

    Places = npt.NDArray[np.int32]

_PLAIN = str.maketrans(dict.fromkeys("‘’‚‛", "'") | dict.fromkeys("“”„‟", '"') | dict.fromkeys("‐‑‒–—―−", "-"))
# A hyphen between two letters of different lines (also across a page border, which is a blank line); else space and soft
# hyphens, but for a single space, which stays as it is.
_NOISE = re.compile(r"(?P<cut>(?<=[^\W\d_])[-‐\xad][^\S\n]*\n\s*(?=[^\W\d_]))|(?! (?![\s\xad]))[\s\xad]+")
_MARKS = re.compile(r"[\W_]+")
# What the end of a line may have put between characters, or taken away: a hyphen between letters, the space behind one that
# touches a digit, and space beside a character of a script that has none between words.
_BETWEEN = re.compile(
    rf"(?<=[^\W\d_])- ?(?=[^\W\d_])|(?<=\w-) (?=\w)|(?<=[{UNSPACED}\u3001-\u303f]) | (?=[{UNSPACED}\u3001-\u303f])"
)
_SPACELESS = re.compile(f"[{UNSPACED}]")
# Vowels and finals of Hangul syllables and Kirat Rai vowels: letters that compose with the letter before.
_COMPOSING = re.compile("[\u1160-\u11ff\U00016d60-\U00016d7f]")


@dataclass(frozen=True, slots=True, eq=False)
class Normal:
    """A normalised text. ``starts[i]:ends[i]`` is the span of the original that became ``text[i]``; both int32, rising."""

    text: str
    starts: "Places"
    ends: "Places"

    def original(self, start: int, end: int) -> Span:
        """The span of the original from which ``text[start:end]`` (not empty) was made."""
        return int(self.starts[start]), int(self.ends[end - 1])


def normalise(text: str) -> Normal:
    r"""The normal form of a text with its index map.

    >>> normalise("The oﬃce closes at “five”  o’clo-\nck").text
    'the office closes at "five" o\'clock'
    """
    places = np.flatnonzero(_left(text, UNSEEN)).astype(np.int32)
    folded, starts, ends = _fold(UNSEEN.sub("", text))
    if len(places) < len(text):
        starts, ends = places[starts], places[ends - 1] + 1
    kept = _left(folded, _NOISE, _plain)
    return Normal(_NOISE.sub(_plain, folded).translate(_PLAIN), starts[kept], ends[kept])


def loosened(normal: Normal) -> Normal:
    r"""A normal form without what the end of a line may have put between characters, or taken away.

    >>> [loosened(normalise(text)).text for text in ("well-known", "well-\nknown", "年休\n二十日", "COVID-\n19")]
    ['wellknown', 'wellknown', '年休二十日', 'covid-19']
    """
    kept = _left(normal.text, _BETWEEN)
    return Normal(_BETWEEN.sub("", normal.text), normal.starts[kept], normal.ends[kept])


def worded(normal: Normal) -> Normal:
    """The words of a normal form, a space between: without marks of Markdown, lists and sentences.

    >>> worded(normalise("- The **annual budget** is 1.5…")).text
    'the annual budget is 1 5'
    """
    kept = _left(normal.text, _MARKS, lambda match: " ")
    text = _MARKS.sub(" ", normal.text)
    inner = slice(text.startswith(" "), len(text) - text.endswith(" "))
    return Normal(text[inner], normal.starts[kept][inner], normal.ends[kept][inner])


def _left(
    text: str, dropped: re.Pattern[str], instead: Callable[[re.Match[str]], str] = lambda _: ""
) -> "npt.NDArray[np.bool_]":
    """Which characters stay when matches are dropped, but for as many at their beginning as stand ``instead``."""
    kept = np.ones(len(text), dtype=bool)
    for match in dropped.finditer(text):
        kept[match.start() + len(instead(match)) : match.end()] = False
    return kept


def anywhere(part: str, text: str) -> list[int]:
    """Every start of a part in a text (both normalised), overlapping ones too, wherever it begins and ends.

    >>> anywhere("5 days", "15 days or 5 days")
    [1, 11]
    """
    starts, start = [], text.find(part) if part else -1
    while start >= 0:
        starts.append(start)
        start = text.find(part, start + 1)
    return starts


def occurrences(quote: str, text: str) -> tuple[list[int], bool]:
    """Every start of a quote in a text (both normalised), overlapping ones too, and whether its ends are whole words there.

    An end digit never touches another digit. An end letter is a word boundary where such an occurrence exists; otherwise
    all occurrences are given, with False.

    >>> occurrences("10 days", "110 days, 10 days"), occurrences("pay", "repay pay pays"), occurrences("pa", "repay")
    (([10], True), ([6], True), ([2], False))
    """
    end = len(quote)
    starts = [start for start in anywhere(quote, text) if not _touches(text, start, start + end, str.isdecimal, str.isdecimal)]
    whole = [start for start in starts if not _touches(text, start, start + len(quote), _is_letter, _is_wordy)]
    return (whole, True) if whole else (starts, not starts)


def _touches(text: str, start: int, end: int, inner: Callable[[str], bool], outer: Callable[[str], bool]) -> bool:
    """Whether an end of ``text[start:end]`` is an ``inner`` character with an ``outer`` one beside it."""
    before = start > 0 and inner(text[start]) and outer(text[start - 1])
    return before or (end < len(text) and inner(text[end - 1]) and outer(text[end]))


def _is_letter(char: str) -> bool:
    return category(char)[0] in "LM" and not _SPACELESS.match(char)


def _is_wordy(char: str) -> bool:
    return _is_letter(char) or char.isdecimal() or char == "_"


def _plain(noise: re.Match[str]) -> str:
    return "" if noise["cut"] or not noise[0].strip("\xad") else " "


def _fold(text: str) -> "tuple[str, Places, Places]":
    """NFKC and case folding, with the span of the original for each character of the result."""
    forms = {char: normalize("NFKC", char).casefold() for char in set(text)}
    changed = {ord(char): form for char, form in forms.items() if form != char}
    codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype=np.uint32)
    size_of = np.ones(int(codes.max(initial=0)) + 1, dtype=np.int32)
    size_of[list(changed)] = [len(form) for form in changed.values()]
    sizes, ends = size_of[codes], np.arange(1, len(text) + 1, dtype=np.int32)
    pieces, done = [], 0
    for start, end in _clusters(text, forms):
        form = normalize("NFKC", text[start:end]).casefold()
        pieces += [text[done:start].translate(changed), form]
        sizes[start:end] = 0
        sizes[start], ends[start], done = len(form), end, end
    pieces.append(text[done:].translate(changed))
    starts = np.arange(len(text), dtype=np.int32)
    return "".join(pieces), np.repeat(starts, sizes), np.repeat(ends, sizes)


def _clusters(text: str, alphabet: Iterable[str]) -> Iterator[Span]:
    """A character with all that act on it (accents, parts of a syllable): NFKC of a text is that of its clusters, joined."""
    joiners = "".join(re.escape(char) for char in alphabet if _joins(normalize("NFKD", char)[0]))
    if joiners:
        yield from (cluster.span() for cluster in re.finditer(f"(?s:.)[{joiners}]+", text))


def _joins(char: str) -> bool:
    return category(char)[0] == "M" or bool(_COMPOSING.match(char))
