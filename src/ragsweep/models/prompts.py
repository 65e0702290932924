"""What a model is told: instructions from a text file; passages numbered and fenced, so that what they say is only data;
about how many tokens that is."""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, fields

from ragsweep.errors import InputError
from ragsweep.files import digest
from ragsweep.places import packaged

BYTES_A_TOKEN = 4
"""Of UTF-8, as an estimate: see docs/decisions/models.md."""
_FILE = re.compile(r"[^\n]+\.txt")


@dataclass(frozen=True)
class PromptTexts:
    """Prompts of a part, one a field: written as the name of a text file, absolute or in conf/prompts, or as the text.

    Once built it holds the texts, so that an identity and a frozen plan hold what is sent. Raises InputError.
    """

    def __post_init__(self) -> None:
        for name in (entry.name for entry in fields(self)):
            written = getattr(self, name)
            if _FILE.fullmatch(written):
                object.__setattr__(self, name, _read(written, f"prompts.{name}={written}"))


def _read(written: str, key: str) -> str:
    folder = packaged("conf") / "prompts"
    try:
        text = (folder / written).read_text(encoding="utf-8-sig").strip()  # an absolute path stands for itself
    except (OSError, UnicodeDecodeError):
        ours = ", ".join(sorted(path.name for path in folder.glob("*.txt")))
        raise InputError(
            f"{key}: there is no such text file (UTF-8), neither beside the experiment nor among ours ({ours})"
        ) from None
    if not text:
        raise InputError(f"{key}: the file is empty: write what the model is to do")
    return text


def fenced(passages: Sequence[tuple[str, str]]) -> str:
    r"""(document, text) of each passage, numbered from 1, between marks that no passage can hold: they are a hash of them all.

    >>> print(fenced([("leave.md", "Staff have 25 days.")]))
    <passage-7e56f76d number=1 source="leave.md">
    Staff have 25 days.
    </passage-7e56f76d>
    """
    mark = f"passage-{digest([list(passage) for passage in passages])[:8]}"
    return "\n\n".join(
        f"<{mark} number={number} source={json.dumps(document, ensure_ascii=False)}>\n{text}\n</{mark}>"
        for number, (document, text) in enumerate(passages, start=1)
    )


def cited(reply: str, passages: int) -> tuple[int, ...]:
    """The places, from 0, of the passages that a reply cites by number, in the order of their first mention.

    >>> cited("25 days [2], which lapse in March [1, 2] [9].", 3)
    (1, 0)
    """
    lists = re.findall(r"\[(?:passages?\s+)?(\d+(?:\s*[,;]\s*\d+)*)\]", reply, re.IGNORECASE | re.ASCII)
    numbers = dict.fromkeys(int(number) for written in lists for number in re.findall(r"\d{1,6}", written))
    return tuple(number - 1 for number in numbers if 1 <= number <= passages)


def estimated_tokens(text: str) -> int:
    """About how many tokens a text has, whatever the model.

    >>> estimated_tokens("How many paid leave days do I get each year?")
    11
    """
    return len(text.encode("utf-8", "replace")) // BYTES_A_TOKEN
