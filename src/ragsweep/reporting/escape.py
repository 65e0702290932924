"""Text that others wrote (questions, labels, errors, names) is shown, never obeyed."""

import re
import unicodedata
from typing import Any


def visible(text: str) -> str:
    r"""``text`` on one line with control and other invisible characters as escapes, so that a terminal obeys none of them.

    >>> print(visible("a\x1b[31m\nb"))
    a\x1b[31m\nb
    """
    return "".join(_escaped(character) if _invisible(character) else character for character in text)


def shortened(text: str, limit: int) -> str:
    """The first ``limit`` characters at most, the last one "…" where something was left out.

    >>> shortened("abcdef", limit=4)
    'abc…'
    """
    return text if len(text) <= limit else text[: limit - 1] + "…"


def folded(line: str, width: int | None) -> str:
    """``line`` in lines of at most ``width`` characters, those after the first indented by two more; None: as it is.

    No word, such as a path, is cut, and no JSON to paste, which stands in braces.

    >>> print(folded('  notice: one question is worth 0.1, write {"quote": "a b c"}', width=24))
      notice: one question
        is worth 0.1, write
        {"quote": "a b c"}
    """
    if width is None or len(line) <= width:
        return line
    begin = line[: len(line) - len(line.lstrip(" "))]
    lines = [begin]
    for space, word in re.findall(r"(\s*)(\{.*\}\S*|\S+)", line[len(begin) :]):
        if len(lines[-1]) + len(space) + len(word) > width and lines[-1].strip():
            lines.append(begin + "  " + word)
        else:
            lines[-1] += space + word
    return "\n".join(lines)


def inert(cell: Any) -> Any:
    """A CSV cell that no spreadsheet takes for a formula: such a text gets an apostrophe in front. Numbers stay numbers.

    >>> inert("=1+1"), inert(-0.5), inert("a-b")
    ("'=1+1", -0.5, 'a-b')
    """
    return f"'{cell}" if isinstance(cell, str) and cell and (cell[0] in "=+-@" or _invisible(cell[0])) else cell


def markdown(text: str) -> str:
    """``text`` without a meaning in Markdown or HTML. An underscore inside a word has none.

    >>> print(markdown("q_006 | <b> *x* _y_"))
    q_006 \\| &lt;b> \\*x\\* \\_y\\_
    """
    plain = visible(text).replace("&", "&amp;").replace("<", "&lt;")
    return re.sub(r"([\\`*\[\]|~]|(?<!\w)_|_(?!\w))", r"\\\1", plain)


def _invisible(character: str) -> bool:
    category = unicodedata.category(character)
    return category[0] == "C" or category in ("Zl", "Zp")


def _escaped(character: str) -> str:
    return character.encode("unicode_escape").decode("ascii")
