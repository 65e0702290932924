"""In which script a text is written, as far as models and stemmers care: Latin or another."""

import re

from ragsweep.text.keywords import UNSPACED

_LETTER = re.compile(r"[^\W\d_]")
_LATIN = re.compile("[A-Za-z\u00aa\u00ba\u00c0-\u024f\u1d00-\u1d7f\u1e00-\u1eff\uff21-\uff3a\uff41-\uff5a\ufb00-\ufb06]")
_SPACELESS = re.compile(f"[{UNSPACED}]")
_LOOKED_AT = 20_000
"""Characters from the beginning of a text, which show its script."""


def foreign_shares(text: str) -> tuple[float, float]:
    """The share of a text's letters that are not Latin, and the share of those among them whose words have spaces between.

    >>> foreign_shares("年休 ab"), foreign_shares("Отпуск"), foreign_shares("Größe 12")
    ((0.5, 0.0), (1.0, 1.0), (0.0, 0.0))
    """
    looked_at = text[:_LOOKED_AT]
    if looked_at.isascii():  # of which none is foreign: most texts, and 0.5 ms for each
        return 0.0, 0.0
    letters, latin, spaceless = (len(each.findall(looked_at)) for each in (_LETTER, _LATIN, _SPACELESS))
    foreign = max(0, letters - latin)
    return (foreign / letters, max(0, foreign - spaceless) / letters) if letters else (0.0, 0.0)
