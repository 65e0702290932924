"""The records of a setup, each scored as it is read: of thousands of questions no more than the scores is in memory."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from ragsweep.evaluation.score import score
from ragsweep.evaluation.stages import Rules
from ragsweep.results import Score, Verdict
from ragsweep.sweep.frozen import FrozenPlan, Job, counts_instead
from ragsweep.sweep.returned import contexts_of
from ragsweep.sweep.runs import Row, Runs
from ragsweep.sweep.stopping import stopped
from ragsweep.types import Question, Record

LOST = "lost: its worker left no record of this question"
UNASKED = "not asked: the run was stopped"


@dataclass(frozen=True)
class Scored:
    """A setup, scored: every question, with each of its repeats beside the first.

    ``records`` are without their lists and steps where nobody asked for these. ``source`` is the run that most of them are of;
    ``missing`` questions have none, and count as failed. ``contexts`` is how many a system of its own returned, by what they
    were.
    """

    questions: Sequence[Question]
    records: Sequence[Record]
    scores: Sequence[Score]
    source: FrozenPlan
    missing: int
    contexts: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class _Counted:
    """The record that counts of a text and repeat, and its score for each question with that text, by id."""

    source: FrozenPlan
    record: Record
    scores: Mapping[str, Score]
    contexts: Mapping[str, int]


def scored(runs: Runs, job: Job, rules: Rules, rows: Iterable[Row], *, whole: bool = False) -> Scored:
    """Score ``rows``, all that was recorded of a setup, over the texts that it searched: evidence has other places in those of
    another reading. ``whole``: keep the records as they are.
    """
    rule, texts, plan = runs.plans[0].settings.evidence_match, runs.texts[job.reading], runs.plan_of(job)

    def worth(record: Record, question: Question) -> Score:
        return score(record, question, texts.documents, job.setup.top_k, job.setup.top_n, rule, rules)

    found = _what_counts(rows, texts.questions, worth, whole=whole)
    why = job.error or (UNASKED if stopped(plan.folder) else LOST)
    counted: list[tuple[Question, Record, Score]] = []
    for question in texts.questions:
        for repeat in range(plan.settings.repeats):
            if each := found.get((question.text, repeat)):
                counted.append((question, each.record, each.scores[question.id]))
                continue
            record = Record(question.text, repeat, "failed", error=why)
            nothing = worth(record, question)
            counted.append((question, record, nothing if job.error else replace(nothing, missing=True, ends=())))
    questions, records, scores = zip(*counted, strict=True)
    most = max(runs.having(job), key=lambda plan: sum(each.source is plan for each in found.values()))
    contexts = sum((Counter(each.contexts) for each in found.values()), Counter[str]())
    return Scored(questions, records, scores, most, sum(each.missing for each in scores), contexts)


def _what_counts(
    rows: Iterable[Row], questions: Sequence[Question], worth: Callable[[Record, Question], Score], *, whole: bool
) -> dict[tuple[str, int], _Counted]:
    """What counts of the rows, by question text and repeat, scored for each question that has the text."""
    alike: dict[str, list[Question]] = {}
    for question in questions:
        alike.setdefault(question.text, []).append(question)
    found: dict[tuple[str, int], _Counted] = {}
    for source, _, record in rows:
        held = found.get((record.question, record.repeat))
        if held is None or counts_instead(record, held.record, of_one_run=source is held.source):
            scores = {question.id: worth(record, question) for question in alike.get(record.question, ())}
            found[record.question, record.repeat] = _Counted(
                source, record if whole else _bare(record), scores, contexts_of(record)
            )
    return found


def judged(found: Scored, verdict: Callable[[Question, Record], Verdict | None]) -> Scored:
    """The same with what a judge said of each answer; the records are whole."""
    asked = zip(found.questions, found.records, found.scores, strict=True)
    return replace(found, scores=[replace(each, verdict=verdict(question, record)) for question, record, each in asked])


def _bare(record: Record) -> Record:
    return Record(record.question, record.repeat, record.status, error=record.error, unasked=record.unasked)
