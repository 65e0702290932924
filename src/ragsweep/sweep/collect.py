"""Records to report: the only place where scores are computed, from the records on disk."""

import shlex
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ragsweep.evaluation.ceiling import ceiling, reachable
from ragsweep.evaluation.chunking import chunking_score
from ragsweep.evaluation.floor import floor
from ragsweep.evaluation.result import result
from ragsweep.evaluation.score import score
from ragsweep.evaluation.stages import Rules
from ragsweep.reporting.gate import gate_lines, outcome
from ragsweep.reporting.text import text
from ragsweep.reporting.write import write_reports
from ragsweep.setups import GROUPS
from ragsweep.sweep.best import write_best
from ragsweep.sweep.chunking import Chunking, cut
from ragsweep.sweep.frozen import Job
from ragsweep.sweep.progress import say, width
from ragsweep.sweep.run_folder import make_run_folder
from ragsweep.sweep.runs import Runs, read_runs
from ragsweep.types import Bounds, Description, Document, Evidence, Question, Record, Report, Result, Score

LOST = "lost: its worker left no record of this question"


@dataclass(frozen=True)
class Collected:
    """A report and the scores behind it, by setup id."""

    folder: Path
    report: Report
    scores: Mapping[str, Sequence[Score]]

    @property
    def exit_code(self) -> int:
        """3 when a gate was not reached, else 1 when a setup or a question failed."""
        gate = outcome(self.report)
        if gate is not None and not gate.reached:
            return 3
        return 0 if all(each.status == "ok" for each in self.report.results) else 1


def collect(
    folders: Sequence[Path], *, as_json: bool = False, todays_labels: bool = True, gate: Mapping[str, float] | None = None
) -> Collected:
    """Make the report of runs from their records, write its files and print it. Runs nothing.

    ``gate`` are limits by metric, laid over the gate of the runs.

    The report of one run stands in its folder, that of several in a new one. Raises InputError when a folder holds no run, or
    runs are of different files or questions, StoreError when the documents are no longer stored.
    """
    runs = read_runs(folders, todays_labels=todays_labels, gate=gate)
    collected = _score(runs, folders[0] if len(folders) == 1 else make_run_folder("collected"))
    by_id, folder = collected.scores, collected.folder
    write_reports(collected.report, folder, lambda each: by_id[each.setup.id])
    sys.stdout.write(
        (folder / "report.json").read_text(encoding="utf-8") if as_json else text(collected.report, width(sys.stdout))
    )
    best = write_best(collected.report, runs, folder)
    if not as_json:
        say(f"report, questions and records: {folder}")
        if best:
            say(f"the best setup as an experiment: ragsweep run {shlex.quote(str(best))}")
    for line in gate_lines(collected.report):
        say(line)
    return collected


def _score(runs: Runs, folder: Path) -> Collected:
    """Score every record."""
    content = runs.plans[0].content
    chunkings = _Chunkings(runs)
    scores: dict[str, list[Score]] = {}
    results: list[Result] = []
    for job in runs.jobs:
        scores[job.id] = _scores(runs, job, chunkings.rules(job))
        run = {"host": runs.plan_of(job).manifest["host"], "folder": job.folder}
        results.append(replace(result(chunkings.describe(job), scores[job.id], job.error), run=run))
    questions = next(iter(runs.texts.values())).questions  # the same in every reading, but for the places of evidence
    answerable = sum(question.answerable for question in questions)
    report = Report(
        dataset=" and ".join(dict.fromkeys(plan.content["experiment"] or "run" for plan in runs.plans)),
        questions=len(questions),
        answerable=answerable,
        fixed=_fixed(runs.jobs, runs.axes),
        axes=runs.axes,
        results=results,
        bounds=chunkings.bounds(results) if answerable else (),
        notices=runs.notices,
        run_lines=runs.run_lines,
        rule=content["rule"] if _has_spans(questions) else None,
        sort=content["sort"],
        whole=runs.whole,
        gate=runs.gate,
        jobs=max(plan.content["side_by_side"] for plan in runs.plans),
    )
    return Collected(folder, report, scores)


def _scores(runs: Runs, job: Job, rules: Rules) -> list[Score]:
    """The scores of a setup over the texts that it searched: evidence has other places in those of another reading."""
    records, missing, rule = runs.records(job), job.error or LOST, runs.plans[0].content["rule"]
    texts = runs.texts[job.reading]
    found = (
        records.get((question.text, 0)) or Record(question.text, 0, "failed", error=missing) for question in texts.questions
    )
    return [
        score(record, question, texts.documents, job.setup.top_k, job.setup.top_n, rule, rules)
        for record, question in zip(found, texts.questions, strict=True)
    ]


class _Chunkings:
    """The facts, the floor and the ceiling of each chunking, computed once however many setups share it."""

    def __init__(self, runs: Runs) -> None:
        self._runs, self._rule = runs, runs.plans[0].content["rule"]
        first = {job.chunking: job for job in reversed(runs.jobs) if job.error is None}
        self._cuts = {
            name: cut(job.reading, runs.texts[job.reading].documents, job.setup.chunker) for name, job in first.items()
        }
        self._scores = {name: chunking_score(each.chunks, each.sizes, *self._asked(each)) for name, each in self._cuts.items()}
        self._reachable: dict[tuple[str, int, int | None], Callable[[Evidence], bool]] = {}

    def _asked(self, chunking: Chunking) -> tuple[Sequence[Question], Mapping[str, Document]]:
        """The questions and documents of its reading."""
        texts = self._runs.texts[chunking.reading]
        return texts.questions, texts.documents

    def rules(self, job: Job) -> Rules:
        """What the stages of a setup are scored by."""
        at = self._runs.plans[0].content["score_at"]
        cuts = sorted({job.setup.top_k if each == "top_k" else each for each in at})
        rules = Rules(cuts, job.setup.context_words, "generator" in job.setup.needs)
        chunking, key = self._cuts.get(job.chunking), (job.chunking, job.setup.top_n, job.setup.context_words)
        if chunking is None:
            return rules
        if key not in self._reachable:
            documents = self._runs.texts[chunking.reading].documents
            self._reachable[key] = reachable(chunking.chunks, documents, job.setup.top_n, self._rule, job.setup.context_words)
        return replace(rules, reachable=self._reachable[key])

    def describe(self, job: Job) -> Description:
        """A setup as reports show it."""
        chunking = self._cuts.get(job.chunking)
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
            context_words=job.setup.context_words,
            beside=job.beside,
            chunking_score=self._scores.get(job.chunking),
        )

    def bounds(self, results: Sequence[Result]) -> list[Bounds]:
        """A floor and a ceiling for each chunking and cut."""
        found = []
        cuts = [(each.setup.chunking, each.setup.k, each.setup.context_words) for each in results]
        for name, k, room in dict.fromkeys(cuts):
            if name in self._cuts:
                asked = self._cuts[name].chunks, *self._asked(self._cuts[name]), k, self._rule, room
                found.append(Bounds(name, k, floor(*asked), *ceiling(*asked), room))
        return found


def _has_spans(questions: Sequence[Question]) -> bool:
    """Whether the rule of quotes and spans matters."""
    return any(evidence.kind in ("quote", "span") for question in questions for evidence in question.evidence)


def _fixed(jobs: Sequence[Job], axes: Mapping[str, Sequence[Any]]) -> dict[str, Any]:
    """The values that are the same for all setups that use them, without those that are swept."""
    found = dict.fromkeys(key for job in jobs for key in job.options if len(axes.get(key, ())) < 2)
    keys = [*(group for group in GROUPS if group in found), *(key for key in found if key not in GROUPS)]
    values = {key: [job.options[key] for job in jobs if key in job.options] for key in keys}
    return {key: used[0] for key, used in values.items() if len(set(map(str, used))) == 1}
