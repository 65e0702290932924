"""Two setups question by question: won, lost or changed, by what each was given and made of it."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from pathlib import Path
from statistics import fmean
from typing import Any, Literal, TypeAlias, get_args

import numpy as np

from ragsweep.index import Chunks, build_chunks
from ragsweep.parts import Chunker
from ragsweep.reporting.asked import Asked, answer_lines, as_json, ends_of, is_outside, place_of
from ragsweep.reporting.chunking import Chunking, Line, inner_lines
from ragsweep.reporting.escape import shortened, visible
from ragsweep.types import Hit, Question

Kind: TypeAlias = Literal["lost", "won", "changed", "same"]
KINDS: Sequence[Kind] = get_args(Kind)
FORMAT = 1
SHOWN, CONTEXTS = 40, 5
"""Questions that are listed, as many as a table has rows, and those of them whose contexts are shown."""
QUESTION_LENGTH = 60
_REFUSED = ("abstained", "gave_up")


@dataclass(frozen=True, eq=False)
class Side:
    """One of the two: its name, the folder of its run, its chunker, None for contexts of another system, whether it answers,
    and whether it told its contexts."""

    name: str
    run: Path
    chunker: Chunker | None
    generates: bool
    contexts: bool = True

    @cached_property
    def chunks(self) -> Callable[[Any], Chunks | None]:
        """Those of one document."""
        chunker = self.chunker
        return cache(lambda document: build_chunks([document], chunker) if chunker is not None else None)


@dataclass(frozen=True)
class Compared:
    """One question, with all askings of it by the first and by the second setup; ``answers``: both answer;
    ``contexts``: both told what was given."""

    question: Question
    first: Sequence[Asked]
    second: Sequence[Asked]
    answers: bool
    contexts: bool = True

    @cached_property
    def decided(self) -> tuple[str, float, float] | None:
        """The first measure in which the two differ, by their means over the askings; None where none does.

        Recall of what was given, then the answer, then failures. A failed asking is 0 in all of them.
        """
        for name, measure in self._measures():
            one, other = (round(fmean(map(measure, each)), 9) for each in self._both)
            if one != other:
                return name, one, other
        return None

    @property
    def kind(self) -> Kind:
        """Whether the second setup won or lost it; ``changed`` where neither, and evidence, status or answer differ."""
        if self.decided:
            return "won" if self.decided[2] > self.decided[1] else "lost"
        one, other = (Counter(map(self._happened, each)) for each in self._both)
        return "same" if one == other else "changed"

    @property
    def asking(self) -> int:
        """The first asking in which they differ, else the first."""
        pairs = enumerate(zip(*self._both, strict=False))
        return next((place for place, (one, other) in pairs if self._happened(one) != self._happened(other)), 0)

    def _happened(self, asked: Asked) -> Any:
        """What makes an asking differ, of what both told; times and the choice of equally good chunks aside."""
        record = asked.record
        said = (record.status, record.answer.text if record.answer else None) if self.answers else None
        return record.error, said, asked.score.found if self.contexts and asked.score else ()

    @property
    def _both(self) -> tuple[Sequence[Asked], Sequence[Asked]]:
        return self.first, self.second

    def _measures(self) -> Iterator[tuple[str, Callable[[Asked], float]]]:
        if self.contexts and self.question.answerable:
            yield "recall", recall
        if self.answers and not self.question.answerable:
            yield "refused", lambda asked: asked.record.status in _REFUSED
        elif self.answers and self.question.required_facts:
            yield "required facts", lambda asked: _grade(asked, "facts")
        elif self.answers and self.question.answers:
            yield "token F1", lambda asked: _grade(asked, "f1")
        elif self.answers:
            yield "answered", lambda asked: asked.record.status == "answered"
        yield "ran", lambda asked: asked.record.status != "failed"


def recall(asked: Asked) -> float:
    """That of what was given; 0 of a failed question."""
    return asked.score.final.recall if asked.score and asked.score.final else 0.0


def _grade(asked: Asked, name: str) -> float:
    return (getattr(asked.score.grades, name) if asked.score and asked.score.grades else None) or 0.0


def counts(compared: Sequence[Compared]) -> dict[Kind, int]:
    """How many questions are of each kind."""
    found = Counter(each.kind for each in compared)
    return {kind: found[kind] for kind in KINDS}


def means(compared: Sequence[Compared]) -> tuple[float, float] | None:
    """Mean recall of both over the answerable questions; None without any, and where one did not tell its contexts."""
    answerable = [each for each in compared if each.contexts and each.question.answerable]
    if not answerable:
        return None
    sides = [each.first for each in answerable], [each.second for each in answerable]
    one, other = (fmean(fmean(map(recall, askings)) for askings in side) for side in sides)
    return one, other


def summary(compared: Sequence[Compared], first: Side, second: Side) -> Iterator[Line]:
    """The two setups, the counts, and the means, which say nothing of how many questions changed sides."""
    for letter, side in (("A", first), ("B", second)):
        yield Line([(f"{letter}: ", "title"), (visible(f"{side.name}, run {side.run.name}"), "")])
    found = counts(compared)
    said = f"{len(compared):,} question{'s' * (len(compared) != 1)}: B won {found['won']}, lost {found['lost']}"
    yield Line([(f"{said}, changed {found['changed']}, same {found['same']}", "title")])
    if mean := means(compared):
        answerable = sum(each.question.answerable for each in compared)
        yield Line([(f"mean recall of what was given, of {answerable:,} answerable: A {mean[0]:.3f}, B {mean[1]:.3f}", "")])
    if (not first.generates and second.generates) or (first.generates and not second.generates):
        yield Line([(f"answers are not compared: {_which(first, second, 'generates')} gives none", "")])
    if not (first.contexts and second.contexts):
        yield Line([(f"contexts are not compared: {_which(first, second, 'contexts')} recorded none", "")])


def _which(first: Side, second: Side, lacks: str) -> str:
    return " and ".join(visible(side.name) for side in (first, second) if not getattr(side, lacks))


def heading(each: Compared) -> Line:
    """A question, what became of it, and by which measure."""
    about = f"{visible(each.question.id)}: {visible(shortened(each.question.text, QUESTION_LENGTH))}"
    styles: Mapping[Kind, Any] = {"lost": "cut", "won": "evidence", "changed": "overlap", "same": "faint"}
    by = f" ({each.decided[0]} {each.decided[1]:.3f} -> {each.decided[2]:.3f})" if each.decided else ""
    return Line([(f"{each.kind:<7} ", styles[each.kind]), (about, ""), (by, "faint")])


def side_lines(side: Side, letter: str, asked: Asked, askings: Sequence[Asked], *, full: bool = False) -> Iterator[Line]:
    """One asking of a question: answer or failure, where each evidence ended, and all that was given, evidence marked."""
    several = f", asking {asked.record.repeat + 1} of {len(askings)}" if len(askings) > 1 else ""
    yield Line([(f"{letter}: {asked.record.status}{several}", "title")])
    if asked.record.error is not None or asked.record.answer is not None:
        yield from (Line([(line, "")], "  ") for line in answer_lines(replace(asked, score=None)))
    if asked.score is not None and side.contexts:
        yield from (Line([(f"evidence {label}: {end}", "")], "  ") for label, end in ends_of(asked, asked.score))
    if not asked.record.final and asked.record.error is None:
        yield Line([("nothing was given" if side.contexts else "its contexts were not recorded", "faint")], "  ")
    for number, hit in enumerate(asked.record.final, start=1):
        yield from _hit_lines(side, asked, hit, number, full=full)


def _hit_lines(side: Side, asked: Asked, hit: Hit, number: int, *, full: bool) -> Iterator[Line]:
    document = asked.texts[hit.document]
    chunks, place = side.chunks(document), hit.number - 1
    if chunks is None or place >= len(chunks) or chunks.span(place)[1:] != (hit.start, hit.end):  # cut by another hand
        chunks, place = Chunks((hit.document,), np.array([[0, hit.start, hit.end]], dtype=np.int64)), 0
    chunking = Chunking(side.name, side.chunker, document, chunks, [asked.question])
    yield Line([("", "")])
    score = f" ({hit.score:.3f})" if any(each.score for each in asked.record.final) else ""  # another system may tell none
    yield Line([(f"[{number}] {place_of(asked, hit)}{score}", "title")])
    if any(each.kind == "file" and each.places[0].document == hit.document for each in asked.question.evidence if each.places):
        yield Line([("the whole file is evidence", "evidence")], "  ")
    if hit.start < hit.end:
        yield from inner_lines(chunking, place, full=full, ending=not is_outside(asked, hit))


def difference_json(compared: Sequence[Compared], shown: Sequence[Compared], first: Side, second: Side) -> dict[str, Any]:
    """All of it as JSON values: counts and means over all questions, every asking of those ``shown``."""
    mean = means(compared)
    return {
        "format": FORMAT,
        "a": {"setup": first.name, "run": str(first.run)},
        "b": {"setup": second.name, "run": str(second.run)},
        "counts": counts(compared),
        "recall": {"a": mean[0], "b": mean[1]} if mean else None,
        "questions": [
            {
                "id": each.question.id,
                "question": each.question.text,
                "kind": each.kind,
                "by": {"measure": each.decided[0], "a": each.decided[1], "b": each.decided[2]} if each.decided else None,
                "a": [_asking_json(first, asked) for asked in each.first],
                "b": [_asking_json(second, asked) for asked in each.second],
            }
            for each in shown
        ],
    }


def _asking_json(side: Side, asked: Asked) -> dict[str, Any]:
    said = as_json(asked)
    if not side.contexts:
        return {"recall": None, **{key: said[key] for key in ("status", "answer", "error")}}
    kept = ("status", "answer", "error", "citations", "chunks", "verdict")
    return {"recall": recall(asked) if asked.question.answerable else None, **{key: said[key] for key in kept if key in said}}
