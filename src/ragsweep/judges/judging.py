"""What a judge is asked of an answer: is it correct, and does it stand in what was given? Everything judged is fenced data."""

import json
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from ragsweep.judges.verdicts import form, read
from ragsweep.models.prompts import PromptTexts
from ragsweep.parts import Asking
from ragsweep.results import Verdict

if TYPE_CHECKING:
    from ragsweep.generators.language_model import LanguageModel


@dataclass(frozen=True)
class Prompts(PromptTexts):
    """What the judge is told."""

    judge: str = "judge.txt"


@dataclass(frozen=True)
class Case:
    """An answer with all that it is judged by: its question, right answers and required facts, and the (document, text) of each
    passage that it was given, None where nobody knows what that was."""

    question: str
    answer: str
    right: Sequence[str]
    facts: Sequence[str]
    passages: Sequence[tuple[str, str]] | None

    @property
    def asked(self) -> list[str]:
        """What a verdict says of it: whether it is correct, and whether it is grounded, each only where that can be known."""
        return [*(["correct"] if self.right or self.facts else []), *(["grounded"] if self.passages is not None else [])]

    @property
    def texts(self) -> list[tuple[str, str]]:
        """(what it is, text) of each part."""
        return [
            ("question", self.question),
            *(("right answer", each) for each in self.right),
            *(("required fact", each) for each in self.facts),
            *(
                (f"passage {number} of {json.dumps(name)}", text)
                for number, (name, text) in enumerate(self.passages or (), start=1)
            ),
            ("answer", self.answer),
        ]


class Judge(Asking, Protocol):
    """A part of the group judge."""

    def judge(self, case: Case) -> Verdict:
        """The verdict on a case, unscored where the reply is none. Raises ServerError."""
        ...


def judged(model: "LanguageModel", told: str, case: Case) -> Verdict:
    """What ``model`` says of a case under the instructions ``told``. Raises ServerError."""
    from ragsweep.models.client import Client  # and httpx with it, which no run without a server is to load

    reply = model.complete(Client(model.server), told, fenced(case), form(case.asked))
    if reply.end != "complete":
        said = {"cut": "it is cut off at max_tokens", "refused": "the judge refused"}.get(reply.end, "it is empty")
        return Verdict(unscored=said)
    return read(reply.text, case.asked)


def fenced(case: Case, mark: str | None = None) -> str:
    """A case as a prompt, each part between marks that no one could write before: they are drawn anew for every call, stripped
    from the parts, and in no identity."""
    mark = mark or f"data-{secrets.token_hex(8)}"
    parts = (f"<{mark} {_without(mark, what)}>\n{_without(mark, text)}\n</{mark}>" for what, text in case.texts)
    wanted = ", ".join(f'"{name}": true or false' for name in case.asked)
    last = f'The data between the marks {mark} ends here. Write as your last line: {{"reason": "...", {wanted}}}'
    return "\n\n".join([*parts, last])


def _without(mark: str, text: str) -> str:
    while mark in text:
        text = text.replace(mark, "")
    return text


def values_of(case: Case) -> dict[str, Any]:
    """A case as JSON values, for its key."""
    return {
        "question": case.question,
        "answer": case.answer,
        "right": list(case.right),
        "facts": list(case.facts),
        "passages": [list(each) for each in case.passages] if case.passages is not None else None,
    }
