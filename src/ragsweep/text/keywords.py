"""The words that keyword search and coverage count."""

import re
from functools import lru_cache
from importlib.resources import files
from typing import Literal
from unicodedata import category, normalize

# fmt: off
Language = Literal[
    "arabic", "armenian", "basque", "catalan", "czech", "danish", "dutch", "english", "esperanto", "estonian", "finnish",
    "french", "german", "greek", "hindi", "hungarian", "indonesian", "irish", "italian", "lithuanian", "nepali",
    "norwegian", "persian", "polish", "portuguese", "romanian", "russian", "serbian", "sesotho", "spanish", "swedish",
    "tamil", "turkish", "yiddish",
]
# fmt: on
"""Those that Snowball has a stemmer for."""
UNSPACED = (
    r"\u3005-\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"  # Han and its iteration marks
    r"\u3040-\u30ff\u31f0-\u31ff\uff66-\uff9f"  # kana, also in half width
    r"\u1100-\u11ff\u3130-\u318f\uac00-\ud7af"  # Hangul
    r"\u0e01-\u0e30\u0e32\u0e33\u0e40-\u0e46"  # Thai letters
    r"\u0e81-\u0eb0\u0eb2\u0eb3\u0ebd-\u0ec6\u0edc-\u0edf"  # Lao letters
    r"\u1780-\u17b3\u17d7\u17dc\u1000-\u102a\u103f\u1050-\u1055"  # Khmer and Myanmar letters
)
MARKS = "".join(char for char in map(chr, range(0x300, 0x1E00)) if category(char)[0] == "M")
"""Accents, vowel signs and the like, which Python's ``\\w`` leaves out: each belongs to the letter before it."""
UNIT = rf"[{UNSPACED}][{MARKS}]*"
WORD = rf"(?:[^\W_{UNSPACED}][{MARKS}]*)+"  # letters and digits
RUN = re.compile(rf"(?:{UNIT})+|{WORD}(?:(?:[-./]|_+){WORD})*")


def keywords(text: str, language: Language = "english") -> list[str]:
    """The stems of a text in order, repeats kept.

    Lower-case, without stop words and single letters; text without spaces (Chinese, Japanese, Korean, Thai, Lao, Khmer,
    Myanmar) as overlapping pairs of letters with their marks, whatever the language; a code (joined by ``- . / _`` and
    holding a digit or an underscore) as its parts and whole.

    >>> keywords("The leaves of ERR_4021"), keywords("die Urlaubstage", "german")
    (['leav', 'err', '4021', 'err_4021'], ['urlaubstag'])
    >>> keywords("年休二十日"), keywords("ที่นี่")
    (['年休', '休二', '二十', '十日'], ['ที่นี่'])
    """
    return [term for run in RUN.findall(text) for term in _terms(run, language)]


@lru_cache(maxsize=1 << 17)
def _terms(run: str, language: Language) -> tuple[str, ...]:
    """The keywords of one match of RUN. Texts repeat their words, so nearly every call is answered from the cache."""
    # A capital I is that of a dotless i in Turkish, and a dotted one is that of an i.
    word = normalize("NFKC", run.translate(_TURKISH) if language == "turkish" else run).lower()
    if units := _UNITS.findall(word):
        return tuple("".join(units[i : i + 2]) for i in range(max(1, len(units) - 1)))
    parts = re.split("[-./_]+", word)
    stem, left_out = _stemmer(language).stemWord, stop_words(language)
    stems = [stem(part) for part in parts if (len(part) > 1 or part.isdigit()) and part not in left_out]
    is_code = len(parts) > 1 and ("_" in word or any(map(str.isdigit, word)))
    return (*stems, word) if is_code else tuple(stems)


_UNITS = re.compile(UNIT)
_TURKISH = str.maketrans("Iİ", "ıi")


@lru_cache
def stop_words(language: Language) -> frozenset[str]:
    """The words of a language that are left out; none where there is no list of them (data/stop-words.txt says whose)."""
    lines = (files("ragsweep.text") / "data/stop-words.txt").read_text(encoding="utf-8").splitlines()
    listed = dict(line.split(": ") for line in lines if not line.startswith("#"))
    return frozenset(listed.get(language, "").split())


@lru_cache
def _stemmer(language: Language):  # type: ignore[no-untyped-def]  # PyStemmer has no types
    import Stemmer

    return Stemmer.Stemmer(language, 0)  # without its own cache, which threads must not share: _terms has one
