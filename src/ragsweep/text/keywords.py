"""The words that keyword search and coverage count."""

import re
import unicodedata
from functools import lru_cache
from typing import Literal

Language = Literal["english"]

# The 33 words that Lucene's EnglishAnalyzer leaves out, which bm25s (MIT) ships as STOPWORDS_EN.
_ENGLISH = (
    "a an and are as at be but by for if in into is it no not of on or such that the their then there these they this to was "
    "will with"
)
STOP_WORDS: dict[Language, frozenset[str]] = {"english": frozenset(_ENGLISH.split())}
CJK = (
    r"\u3005-\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"  # Han and its iteration marks
    r"\u3040-\u30ff\u31f0-\u31ff\uff66-\uff9f"  # kana, also in half width
    r"\u1100-\u11ff\u3130-\u318f\uac00-\ud7af"  # Hangul
)
WORD = rf"(?:[^\W_{CJK}][\u0300-\u036f]*)+"  # letters and digits, each with the accents that follow it
RUN = re.compile(rf"[{CJK}]+|{WORD}(?:(?:[-./]|_+){WORD})*")


def keywords(text: str, language: Language = "english") -> list[str]:
    """The stems of a text in order, repeats kept.

    Lower-case, without stop words and single letters; runs of Chinese, Japanese and Korean as overlapping pairs; a code (joined
    by ``- . / _`` and holding a digit or an underscore) as its parts and whole.

    >>> keywords("The leaves of ERR_4021")
    ['leav', 'err', '4021', 'err_4021']
    >>> keywords("年休二十日")
    ['年休', '休二', '二十', '十日']
    """
    return [term for run in RUN.findall(text) for term in _terms(run, language)]


@lru_cache(maxsize=1 << 17)
def _terms(run: str, language: Language) -> tuple[str, ...]:
    """The keywords of one match of RUN. Texts repeat their words, so nearly every call is answered from the cache."""
    word = unicodedata.normalize("NFKC", run).lower()
    if re.match(f"[{CJK}]", word):
        return tuple(word[i : i + 2] for i in range(max(1, len(word) - 1)))
    parts = re.split("[-./_]+", word)
    stem = _stemmer(language).stemWord
    stems = [stem(part) for part in parts if (len(part) > 1 or part.isdigit()) and part not in STOP_WORDS[language]]
    is_code = len(parts) > 1 and ("_" in word or any(map(str.isdigit, word)))
    return (*stems, word) if is_code else tuple(stems)


@lru_cache
def _stemmer(language: Language):  # type: ignore[no-untyped-def]  # PyStemmer has no types
    import Stemmer

    return Stemmer.Stemmer(language)
