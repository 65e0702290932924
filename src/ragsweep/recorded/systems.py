"""Rows -> systems: what each recorded as a Record per question, with what nobody recorded."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from itertools import accumulate

from ragsweep.errors import InputError, InputErrors
from ragsweep.generators.refusals import is_refusal
from ragsweep.recorded.locating import Locator
from ragsweep.recorded.rows import Row
from ragsweep.text.normalise import normalise
from ragsweep.text.words import count_words
from ragsweep.types import Answer, Document, Hit, Question, Record

NEVER_KNOWN = ("chunking", "embedding", "reranking", "steps")
"""What no record of another system says."""
_MOST_HINTS = 20
_NAMED = 5
"""Questions that a notice names."""


@dataclass(frozen=True)
class Cut:
    """What is scored of a list: its first ``top_k`` as retrieved, its first ``top_n`` as given, or what has room in
    ``context_words``."""

    top_k: int
    top_n: int
    context_words: int | None = None


@dataclass(frozen=True)
class System:
    """A system that ragsweep did not run. Records, seconds and tokens (read, written) are by the id of a question.

    ``documents`` are those that its hits are spans of. ``unknown`` names what its records do not say: stages and measures
    that reports leave out. ``answers`` says whether it gives any.
    """

    name: str
    cut: Cut
    records: Mapping[str, Record]
    seconds: Mapping[str, float]
    tokens: Mapping[str, tuple[int, int]]
    documents: Mapping[str, Document]
    unknown: tuple[str, ...]
    answers: bool
    notices: Sequence[str] = field(default_factory=tuple)


def systems(
    rows: Sequence[Row],
    questions: Sequence[Question],
    documents: Mapping[str, Document],
    cut: Cut,
    mistakes: Sequence[str] = (),
) -> list[System]:
    """The systems of ``rows``, in the order in which they are named.

    Raises InputErrors with ``mistakes`` and all that is wrong with the rows: questions that there are not, or twice, places
    that documents do not have, a system without an answer and a context.
    """
    wrong = list(mistakes)
    by_system: dict[str, dict[str, Row]] = defaultdict(dict)
    for row, id in _with_ids(rows, questions, wrong):
        before = by_system[row.system].setdefault(id, row)
        if before is not row:
            wrong.append(f"{row.where}: {id!r} stands there twice: {before.where} too")
    found = []
    for name, of_one in by_system.items():
        hits, locator = _located(of_one, documents, wrong)
        if all(row.answer is None and not row.contexts and row.error is None for row in of_one.values()):
            wrong.append(f"{name}: no record has an answer or contexts: write what the system returned")
        if not wrong:
            found.append(_system(name, of_one, questions, hits, locator, cut))
    if wrong:
        raise InputErrors(wrong)
    return found


def _with_ids(rows: Sequence[Row], questions: Sequence[Question], wrong: list[str]) -> Iterator[tuple[Row, str]]:
    """Each row with the id of its question. The rows of Ragas that ask the same are those of the questions that do, in turn."""
    ids, texts = [question.id for question in questions], [question.text for question in questions]
    known, near = set(ids), _Near()
    by_text: dict[str, list[str]] = defaultdict(list)
    for question in questions:
        by_text[_asked(question.text)].append(question.id)
    taken: dict[tuple[str, str], int] = defaultdict(int)
    for row in rows:
        if row.id in known:
            yield row, row.id
        elif row.id:
            wrong.append(f"{row.where}: there is no question {row.id!r}{near(row.id, ids)}")
        elif same := by_text.get(_asked(row.question)):
            place = taken[row.system, _asked(row.question)]
            taken[row.system, _asked(row.question)] += 1
            yield row, same[min(place, len(same) - 1)]
        else:
            wrong.append(f"{row.where}: no question asks {row.question[:100]!r}{near(row.question[:1000], texts)}")


class _Near:
    """A hint for a name that is not known, for the first of them: many have one cause, and the look-up takes its time."""

    def __init__(self) -> None:
        self._hints = 0

    def __call__(self, name: str, known: Sequence[str]) -> str:
        self._hints += 1
        close = get_close_matches(name, known, n=1, cutoff=0.6) if self._hints <= _MOST_HINTS else []
        return f"; did you mean {close[0]!r}?" if close else f"; there are {len(known)}: ragsweep export-questions lists them"


def _asked(text: str) -> str:
    return normalise(text).text.strip()


def _located(
    rows: Mapping[str, Row], documents: Mapping[str, Document], wrong: list[str]
) -> tuple[dict[str, tuple[Hit, ...]], Locator]:
    """The hits of each question; a mistake in many contexts is told once."""
    locator = Locator(documents)
    found: dict[str, tuple[Hit, ...]] = {}
    mistakes: dict[str, list[str]] = {}
    for id, row in rows.items():
        hits = []
        for place, context in enumerate(row.contexts or ()):
            try:
                hits.append(locator.hit(context, place))
            except InputError as error:
                source = f"source {context.source!r}: " if context.source is not None else ""
                mistakes.setdefault(f"{source}{error}", []).append(f"{row.where}: {id!r}: contexts[{place}]")
        found[id] = tuple(hits)
    wrong += [f"{first}{_and_more(others)}: {said}" for said, (first, *others) in mistakes.items()]
    return found, locator


def _and_more(others: Sequence[str]) -> str:
    return f" and {len(others)} more" if others else ""


def _system(
    name: str,
    rows: Mapping[str, Row],
    questions: Sequence[Question],
    hits: Mapping[str, tuple[Hit, ...]],
    locator: Locator,
    cut: Cut,
) -> System:
    documents, ran = locator.documents(), [row for row in rows.values() if row.error is None]
    answers = any(row.answer is not None for row in ran)
    unknown = list(NEVER_KNOWN)
    if not any(row.contexts for row in ran):
        unknown.append("contexts")
    elif locator.counts["file"]:
        unknown.append("words")
    if answers and ("contexts" in unknown or all(row.citations is None for row in ran)):
        unknown.append("citations")
    unknown += [] if answers else ["answers"]
    unknown += [key for key in ("seconds", "tokens") if any(getattr(row, key) is None for row in ran)]
    records = {
        question.id: _record(question, rows[question.id], hits[question.id], documents, cut, answers)
        for question in questions
        if question.id in rows
    }
    return System(
        name=name,
        cut=cut,
        records=records,
        seconds={id: row.seconds for id, row in rows.items() if row.seconds is not None},
        tokens={id: row.tokens for id, row in rows.items() if row.tokens is not None},
        documents=documents,
        unknown=tuple(unknown),
        answers=answers,
        notices=[f"{name}: {said}" for said in _notices(rows, questions, locator, cut, unknown)],
    )


def _record(
    question: Question, row: Row, hits: tuple[Hit, ...], documents: Mapping[str, Document], cut: Cut, answers: bool
) -> Record:
    if row.error is not None:
        return Record(question.text, 0, "failed", error=row.error or "its record has an error without a text")
    given = hits
    if cut.context_words is not None:
        sizes = (count_words(documents[hit.document].text[hit.start : hit.end]) for hit in hits)
        given = hits[: sum(so_far <= cut.context_words for so_far in accumulate(sizes))]
    if not answers:
        return Record(question.text, 0, "searched", retrieved=hits, final=given)
    said = row.answer or ""
    answer = Answer(
        said,
        bool(said.strip()) and (row.abstained if row.abstained is not None else is_refusal(question.text, said)),
        tuple(number - 1 for number in row.citations or ()),
        "complete" if said.strip() else "empty",
    )
    return Record(question.text, 0, answer.status, retrieved=hits, final=given, answer=answer)


def _notices(
    rows: Mapping[str, Row], questions: Sequence[Question], locator: Locator, cut: Cut, unknown: Sequence[str]
) -> Iterator[str]:
    missing = [question.id for question in questions if question.id not in rows]
    if missing:
        yield f"{len(missing)} of {len(questions)} questions have no record and count 0: {_some(missing)}"
    of_all = sum(len(row.contexts or ()) for row in rows.values())
    for key, what in (
        ("nowhere", "are nowhere in the documents: each keeps its rank, and matches at most a label of the file that it names"),
        ("several", "stand in several places, of which the first counts: write the source, or start and end"),
        ("offsets", "do not stand at their start and end: they were looked for by their text"),
        ("path", "name a path that ends with the id of a document, which is taken for it"),
        ("other_page", "stand on another page than they name; pages begin at 1"),
        ("page", "are a page without a text: the whole page counts"),
        ("file", "name a file alone: they match labels of that file only, and nobody knows their words"),
    ):
        if locator.counts[key]:
            yield f"{locator.counts[key]} of {of_all} contexts {what}"
    deep = [id for id, row in rows.items() if cut.context_words is None and len(row.contexts or ()) > cut.top_n]
    if deep:
        yield f"{len(deep)} questions have more than {cut.top_n} contexts: those behind top_n={cut.top_n} count as not given"
    unsorted = [id for id, row in rows.items() if _falls(row)]
    if unsorted:
        yield f"the contexts of {len(unsorted)} questions are not in the order of their scores: the order written counts"
    for key in ("seconds", "tokens"):
        having = sum(getattr(row, key) is not None for row in rows.values())
        if key in unknown and having:
            yield f"{key} are given for {having} of {len(rows)} records, and left out: write them for all"


def _falls(row: Row) -> bool:
    scores = [context.score for context in row.contexts or () if context.score is not None]
    return scores != sorted(scores, reverse=True)


def _some(names: Sequence[str]) -> str:
    return ", ".join(map(repr, names[:_NAMED])) + (f" and {len(names) - _NAMED} more" if len(names) > _NAMED else "")
