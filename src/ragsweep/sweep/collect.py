"""Records to report: the only place where scores are computed, from the records on disk."""

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from ragsweep.endings import passing
from ragsweep.evaluation.breakdown import breakdown
from ragsweep.evaluation.ceiling import ceiling, reachable
from ragsweep.evaluation.chunking import chunking_score
from ragsweep.evaluation.floor import floor
from ragsweep.evaluation.result import result
from ragsweep.evaluation.stages import Rules
from ragsweep.evaluation.unknown import known
from ragsweep.evaluation.usage import cost
from ragsweep.index import Chunks
from ragsweep.parts import Chunker
from ragsweep.recorded import System
from ragsweep.recorded import scored as scored_system
from ragsweep.reporting.gate import gate_lines, outcome
from ragsweep.reporting.remarks import remarks
from ragsweep.reporting.text import text
from ragsweep.reporting.undecided import undecided
from ragsweep.reporting.write import write_reports
from ragsweep.results import Bounds, Description, EmbeddingScore, Report, Result, Score
from ragsweep.setups import GROUPS
from ragsweep.sweep import returned
from ragsweep.sweep.alone import seconds_alone
from ragsweep.sweep.best import write_best
from ragsweep.sweep.chunking import Chunking, cut
from ragsweep.sweep.describe import count
from ragsweep.sweep.embedding_stage import Embeddings
from ragsweep.sweep.failures import LOG, cause, failure_lines
from ragsweep.sweep.frozen import FrozenPlan, Job, PricesNow
from ragsweep.sweep.judging import Judging
from ragsweep.sweep.progress import DEBUG, say, width
from ragsweep.sweep.run_folder import link_latest, make_run_folder
from ragsweep.sweep.runs import Row, Runs, read_runs
from ragsweep.sweep.scoring import LOST, UNASKED, Scored, judged, scored
from ragsweep.sweep.sources import note_sources, sources
from ragsweep.sweep.stopping import stopped
from ragsweep.types import Document, Evidence, Question, Record


@dataclass(frozen=True)
class Collected:
    """A report and the scores behind it, by setup id."""

    folder: Path
    report: Report
    scores: Mapping[str, Sequence[Score]]
    interrupted: bool = False

    @property
    def exit_code(self) -> int:
        """130 when the run was interrupted before its end, 3 when a gate was not reached, else 1 when a setup or a question
        failed or is missing."""
        if self.interrupted:
            return 130
        gate = outcome(self.report)
        if gate is not None and not gate.reached:
            return 3
        return 0 if all(each.status == "ok" for each in self.report.results) else 1


def collect(
    folders: Sequence[Path],
    *,
    as_json: bool = False,
    todays_labels: bool = True,
    gate: Mapping[str, float] | None = None,
    prices_now: PricesNow | None = None,
    recorded: Sequence[Path] = (),
    systems: Sequence[System] | None = None,
) -> Collected:
    """Make the report of runs from their records, write its files and print it. Runs nothing.

    ``gate`` are limits by metric, laid over the gate of the runs. ``prices_now`` reads prices anew, ``recorded`` are
    files of other systems, and ``systems`` those that the folders hold (``read_runs``).

    The report of one run stands in its folder, that of several in a new one. Raises InputError when a folder holds no run, or
    runs are of different files or questions, StoreError when the documents are no longer stored.
    """
    folders = list({folder.resolve(): folder for folder in folders}.values())  # a run counts once, however often it is named
    runs = read_runs(folders, todays_labels=todays_labels, gate=gate, prices_now=prices_now, recorded=recorded, found=systems)
    own = len(folders) == 1 and not recorded
    passing("before-merge")
    collected = _score(runs, folders[0] if own else make_run_folder("collected"))
    if not own:
        held = [path for folder in folders for path in sources(folder).recorded]
        note_sources(collected.folder, [plan.folder for plan in runs.plans], [*held, *recorded])
        link_latest(collected.folder)
    by_id, folder = collected.scores, collected.folder
    write_reports(collected.report, folder, lambda each: by_id[each.setup.id])
    sys.stdout.write(
        (folder / "report.json").read_text(encoding="utf-8") if as_json else text(collected.report, width(sys.stdout))
    )
    best = write_best(collected.report, runs, folder)
    for line in failure_lines(_failures(runs, collected), debug=DEBUG.get()):
        say(line)
    if not as_json:
        say(f"report, questions and records: {folder}")
        if best:
            say(best)
    for line in gate_lines(collected.report):
        say(line)
    return collected


def scored_run(folder: Path) -> Collected:
    """The report of one run by the labels that it was asked with. Writes and prints nothing."""
    return _score(read_runs([folder], todays_labels=False), folder)


def _score(runs: Runs, folder: Path) -> Collected:
    """Score every record."""
    settings = runs.plans[0].settings
    chunkings = _Chunkings(runs)
    spent = _Spent()
    judging = Judging(runs.plans)
    ran: dict[str, Scored] = {}
    for job in runs.jobs:
        judge = judging.of(runs.plan_of(job).folder, runs.texts[job.reading].documents, chunkings.chunks(job))
        asked = judge if "generator" in job.setup.needs else None
        found = scored(runs, job, chunkings.rules(job), spent.counted(runs.rows(job)), whole=asked is not None)
        ran[job.id] = judged(found, asked) if asked else found
    scores = {id: found.scores for id, found in ran.items()}
    embeddings = Embeddings(runs, chunkings.cuts, scores)
    of_contexts: list[str] = []
    results: list[Result] = []
    for job in runs.jobs:
        came = ran[job.id].contexts
        of_contexts += returned.notices(job.name, job.setup, came)
        unknown = returned.unknown(job.setup, came, runs.texts[job.reading].questions)
        described = chunkings.describe(job, embeddings.score(job), unknown)
        results.append(_result(runs, job, described, ran[job.id]))
    for system, own in _recorded(runs, judging):
        results.append(system)
        scores[system.setup.id] = own
    questions = next(iter(runs.texts.values())).questions  # the same in every reading, but for the places of evidence
    answerable = sum(question.answerable for question in questions)
    report = Report(
        dataset=" and ".join(dict.fromkeys(plan.content["experiment"] or "run" for plan in runs.plans)),
        questions=len(questions),
        answerable=answerable,
        fixed=_fixed([each.setup.options for each in results], runs.axes),
        axes=runs.axes,
        results=results,
        bounds=chunkings.bounds(results) if answerable else (),
        notices=[*_unfinished(results, runs), *judging.notices(results), *of_contexts, *runs.notices],
        run_lines=[
            *runs.run_lines,
            *spent.lines(),
            *embeddings.lost,
            *_failed_calls(results),
            *judging.lines(runs.plans),
        ],
        rule=settings.evidence_match if has_spans(questions) else None,
        sort=settings.sort,
        whole=runs.whole,
        gate=runs.gate,
        weights=settings.weights,
        judge=judging.by,
    )
    return Collected(folder, replace(report, notices=[*report.notices, *undecided(report, scores), *remarks(report)]), scores)


def _recorded(runs: Runs, judging: Judging) -> Iterator[tuple[Result, list[Score]]]:
    """The results and scores of the systems that ragsweep did not run, over the texts of the first reading."""
    settings, questions = runs.plans[0].settings, next(iter(runs.texts.values())).questions
    for system in runs.systems:
        verdict = judging.of_recorded(system, questions)
        rule, prices = settings.evidence_match, settings.prices
        yield scored_system(system, questions, prices, rule, settings.score_at, settings.by, verdict)


def _failures(runs: Runs, collected: Collected) -> dict[str, dict[tuple[str, Path], list[str]]]:
    """The questions that failed, by reason; those that nobody asked yet did not."""
    found: dict[str, dict[tuple[str, Path], list[str]]] = {}
    for job in runs.jobs:
        log = runs.plan_of(job).folder / job.folder / LOG
        for each in collected.scores[job.id]:
            if each.status == "failed" and each.error not in (LOST, UNASKED):
                found.setdefault(cause(each.error or ""), {}).setdefault((job.name, log), []).append(each.question_id)
    return found


def _unfinished(results: Sequence[Result], runs: Runs) -> list[str]:
    """That a report is partial, and why."""
    missing, asked = sum(each.missing for each in results), sum(each.n for each in results)
    why = next(filter(None, (stopped(plan.folder) for plan in runs.plans)), "their workers left none")
    return [f"PARTIAL: {missing:,} of {asked:,} questions have no record and count as 0: {why}"] if missing else []


@dataclass
class _Spent:
    """What answering took, in all attempts, those that were asked again too."""

    seconds: float = 0.0
    records: int = 0
    attempts: set[int] = field(default_factory=set)
    retries: int = 0
    shared: int = 0
    waited: float = 0.0

    def counted(self, rows: Iterable[Row]) -> Iterator[Row]:
        """The same rows, each counted as it goes by."""
        for row in rows:
            _, attempt, record = row
            if not record.unasked:
                self.records += 1
                self.attempts.add(attempt)
            self.seconds += record.seconds
            for call in (call for step in record.steps for call in step.calls):
                self.retries += call.retries
                self.shared += call.shared
                self.waited += call.waited
            yield row

    def lines(self) -> list[str]:
        """What the report says of it; nothing where nothing ran."""
        attempts = count(len(self.attempts), "attempt")
        said = f"{count(self.records, 'question')} asked in {attempts}, all steps together in {self.seconds:,.1f} s"
        shared = [f"{count(self.shared, 'call')} shared the answer of an equal one"] if self.shared else []
        again = [f"{count(self.retries, 'request')} made again, {self.waited:,.1f} s waited, in no p50 or p95"]
        calls = [*shared, *(again if self.retries else [])]
        return [said, *([f"model servers: {'; '.join(calls)}"] if calls else [])] if self.records else []


def _result(runs: Runs, job: Job, setup: Description, found: Scored) -> Result:
    """A setup by its scores."""
    scores, source, repeats = found.scores, found.source, runs.plan_of(job).settings.repeats
    unasked = sorted((record for record in found.records if record.unasked), key=lambda record: record.repeat)
    broke = job.error or next((record.error for record in unasked), None)
    run = {
        "jobs": source.content["side_by_side"],
        "in_flight": source.settings.in_flight,
        "timing": source.settings.timing,
        "host": source.manifest["host"],
        "folder": source.job(job.id).folder,
        **_indexing(job, runs.plan_of(job)),
    }
    parts = [scores[start::repeats] for start in range(repeats)] if repeats > 1 else []
    seconds = seconds_alone(source, source.job(job.id)) if source.settings.timing == "alone" else None
    each = tuple(known(result(setup, part, seconds=seconds), setup.unknown) for part in parts)
    groups = breakdown(setup, list(zip(found.questions, scores, strict=True)), runs.plans[0].settings.by)
    by = {key: {group: known(part, setup.unknown) for group, part in of.items()} for key, of in groups.items()}
    whole = known(result(setup, scores, broke, missing=found.missing, seconds=seconds), setup.unknown)
    return replace(whole, run=run, repeats=each, by=by)


def _indexing(job: Job, plan: FrozenPlan) -> dict[str, float | None]:
    """What a model server counted when the chunks of a setup were first embedded, and its price."""
    tokens = plan.manifest["index_tokens"].get(job.id)
    price = plan.settings.prices.get(getattr(job.setup.embedder, "model", ""))
    return {"index_tokens": tokens, "index_cost": cost(price, tokens, 0)}


def scored_records(runs: Runs, job: Job) -> list[tuple[Question, Record, Score]]:
    """Every question of a setup as often as it was asked, with what happened and what that is worth."""
    found = scored(runs, job, _Chunkings(replace(runs, jobs=[job])).rules(job), runs.rows(job), whole=True)
    return list(zip(found.questions, found.records, found.scores, strict=True))


class _Chunkings:
    """The facts, the floor and the ceiling of each chunking, computed once however many setups share it."""

    def __init__(self, runs: Runs) -> None:
        self._runs, self._rule = runs, runs.plans[0].settings.evidence_match
        first = {job.chunking: job for job in reversed(runs.jobs) if job.error is None}
        cut_by = {name: (job, job.setup.chunker) for name, job in first.items()}
        self.cuts = {name: self._cut(job, chunker) for name, (job, chunker) in cut_by.items() if chunker is not None}
        self._scores = {name: chunking_score(each.chunks, each.sizes, *self._asked(each)) for name, each in self.cuts.items()}
        self._reachable: dict[tuple[str, int, int | None], Callable[[Evidence], bool]] = {}

    def _cut(self, job: Job, chunker: Chunker) -> Chunking:
        plan, documents = self._runs.plan_of(job), self._runs.texts[job.reading].documents
        return cut(plan.store, job.reading, plan.corpora[job.reading].keys, documents, chunker)

    def _asked(self, chunking: Chunking) -> tuple[Sequence[Question], Mapping[str, Document]]:
        """The questions and documents of its reading."""
        texts = self._runs.texts[chunking.reading]
        return texts.questions, texts.documents

    def rules(self, job: Job) -> Rules:
        """What the stages of a setup are scored by."""
        at = self._runs.plans[0].settings.score_at
        cuts = sorted({job.setup.top_k if each == "top_k" else each for each in at})
        setup = job.setup
        rules = Rules(
            cuts,
            setup.context_words,
            "generator" in setup.needs,
            language=setup.sentence_language,
            prices=self._runs.plan_of(job).settings.prices,
        )
        chunking, key = self.cuts.get(job.chunking), (job.chunking, job.setup.top_n, job.setup.context_words)
        if chunking is None:
            return rules
        if key not in self._reachable:
            documents = self._runs.texts[chunking.reading].documents
            self._reachable[key] = reachable(chunking.chunks, documents, job.setup.top_n, self._rule, job.setup.context_words)
        return replace(rules, reachable=self._reachable[key])

    def chunks(self, job: Job) -> Chunks | None:
        """Those of a setup; None where it could not be cut."""
        return self.cuts[job.chunking].chunks if job.chunking in self.cuts else None

    def describe(self, job: Job, embedding_score: EmbeddingScore | None, unknown: Sequence[str]) -> Description:
        """A setup as reports show it, without what is ``unknown`` of it."""
        chunking = self.cuts.get(job.chunking)
        return Description(
            id=job.id,
            name=job.name,
            options=job.options,
            generates="generator" in job.setup.needs,
            k=job.setup.top_n,
            chunking=job.chunking,
            chunks=len(chunking.chunks) if chunking else None,
            chunk_words=chunking.words if chunking else None,
            over_window=self._runs.plan_of(job).manifest["over_window"].get(job.id),
            zero_vectors=self._runs.plan_of(job).manifest["zero_vectors"].get(job.id),
            context_words=job.setup.context_words,
            beside=job.beside,
            chunking_score=self._scores.get(job.chunking),
            embedding_score=embedding_score,
            unknown=tuple(unknown),
        )

    def bounds(self, results: Sequence[Result]) -> list[Bounds]:
        """A floor and a ceiling for each chunking and cut."""
        found = []
        cuts = [(each.setup.chunking, each.setup.k, each.setup.context_words) for each in results]
        for name, k, room in dict.fromkeys(cuts):
            if name in self.cuts:
                asked = self.cuts[name].chunks, *self._asked(self.cuts[name]), k, self._rule, room
                found.append(Bounds(name, k, floor(*asked), *ceiling(*asked), room))
        return found


def _failed_calls(results: Sequence[Result]) -> list[str]:
    """A line for each setup with calls to model servers that failed for good."""
    failed = {each.setup.name: each.usage.failures for each in results if each.usage.failures}
    return [
        f"calls that failed: {name}: {', '.join(f'{number} {kind}' for kind, number in sorted(kinds.items()))}"
        for name, kinds in failed.items()
    ]


def has_spans(questions: Sequence[Question]) -> bool:
    """Whether the rule of quotes and spans matters."""
    return any(evidence.kind in ("quote", "span") for question in questions for evidence in question.evidence)


def _fixed(setups: Sequence[Mapping[str, Any]], axes: Mapping[str, Sequence[Any]]) -> dict[str, Any]:
    """The values that are the same for all setups that use them, without those that are swept."""
    found = dict.fromkeys(key for options in setups for key in options if len(axes.get(key, ())) < 2)
    keys = [*(group for group in GROUPS if group in found), *(key for key in found if key not in GROUPS)]
    values = {key: [options[key] for options in setups if key in options] for key in keys}
    return {key: used[0] for key, used in values.items() if len(set(map(str, used))) == 1}
