"""Records to report: the only place where scores are computed, from the records on disk."""

import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ragsweep.evaluation.ceiling import ceiling
from ragsweep.evaluation.floor import floor
from ragsweep.evaluation.result import result
from ragsweep.evaluation.score import score
from ragsweep.index import build_chunks
from ragsweep.reporting.text import text
from ragsweep.reporting.write import write_reports
from ragsweep.sweep.frozen import PLAN, FrozenPlan, Job, thaw
from ragsweep.sweep.notices import mean_words
from ragsweep.sweep.progress import say
from ragsweep.types import Bounds, Description, Document, Record, Report, Result, Score

LOST = "lost: its worker left no record of this question"


@dataclass(frozen=True)
class Collected:
    """A report and the scores behind it, by setup id."""

    folder: Path
    report: Report
    scores: Mapping[str, Sequence[Score]]

    @property
    def exit_code(self) -> int:
        """1 when a setup or a question failed."""
        return 0 if all(each.status == "ok" for each in self.report.results) else 1


def collect(folder: Path, *, as_json: bool = False, quiet: bool = False) -> Collected:
    """Make the report of a run folder from its records, write its files and print it. Runs nothing.

    Raises InputError when the folder holds no run, StoreError when its documents are no longer stored.
    """
    collected = score_run(folder)
    by_id = collected.scores
    write_reports(collected.report, folder, lambda each: by_id[each.setup.id])
    if not quiet:
        sys.stdout.write((folder / "report.json").read_text(encoding="utf-8") if as_json else text(collected.report))
        if not as_json:
            say(f"report, questions and records: {folder}")
    return collected


def score_run(folder: Path) -> Collected:
    """Score every record of a run."""
    frozen = thaw(folder / PLAN)
    content = frozen.content
    manifest: Mapping[str, Any] = json.loads((folder / "manifest.json").read_bytes())
    documents = dict(frozen.documents())
    chunkings = _Chunkings(frozen, documents, manifest["over_window"])
    scores: dict[str, list[Score]] = {}
    results: list[Result] = []
    for job in frozen.jobs:
        description = chunkings.describe(job)
        scores[job.id] = _scores(frozen, job, documents)
        run = {"host": manifest["host"], "folder": job.folder}
        results.append(replace(result(description, scores[job.id], job.error), run=run))
    answerable = sum(question.answerable for question in frozen.questions)
    jobs = min(content["n_jobs"], len(frozen.jobs))
    return Collected(
        folder,
        Report(
            dataset=content["experiment"] or "run",
            questions=len(frozen.questions),
            answerable=answerable,
            fixed=_fixed(frozen.jobs, content["axes"]),
            axes=content["axes"],
            results=results,
            bounds=chunkings.bounds(results) if answerable else (),
            notices=content["notices"],
            run_lines=manifest["run_lines"],
            rule=content["rule"] if _has_spans(frozen) else None,
            sort=content["sort"],
            jobs=jobs,
        ),
        scores,
    )


def _scores(frozen: FrozenPlan, job: Job, documents: Mapping[str, Document]) -> list[Score]:
    records = frozen.records(job)
    missing = job.error or LOST
    found = (
        records.get((question.text, 0)) or Record(question.text, 0, "failed", error=missing) for question in frozen.questions
    )
    return [
        score(record, question, documents, job.setup.top_k, job.setup.top_n, frozen.content["rule"])
        for record, question in zip(found, frozen.questions, strict=True)
    ]


class _Chunkings:
    """The facts, the floor and the ceiling of each chunking, computed once however many setups share it."""

    def __init__(self, frozen: FrozenPlan, documents: Mapping[str, Document], over_window: Mapping[str, int]) -> None:
        self._frozen, self._documents, self._over_window = frozen, documents, over_window
        self._chunks = {
            job.chunking: build_chunks(documents.values(), job.setup.chunker)
            for job in {job.chunking: job for job in frozen.jobs if job.error is None}.values()
        }
        self._words = {name: mean_words(chunks, documents) for name, chunks in self._chunks.items()}

    def describe(self, job: Job) -> Description:
        """A setup as reports show it."""
        chunks = self._chunks.get(job.chunking)
        return Description(
            id=job.id,
            name=job.name,
            options=job.options,
            generates="generator" in job.setup.needs,
            k=job.setup.top_n,
            chunking=job.chunking,
            chunks=len(chunks) if chunks is not None else None,
            chunk_words=self._words.get(job.chunking),
            over_window=self._over_window.get(job.id),
            context_words=job.setup.context_words,
        )

    def bounds(self, results: Sequence[Result]) -> list[Bounds]:
        """A floor and a ceiling for each chunking and cut."""
        found, rule = [], self._frozen.content["rule"]
        cuts = [(each.setup.chunking, each.setup.k, each.setup.context_words) for each in results]
        for name, k, room in dict.fromkeys(cuts):
            if name in self._chunks:
                asked = self._chunks[name], self._frozen.questions, self._documents, k, rule, room
                found.append(Bounds(name, k, floor(*asked), *ceiling(*asked), room))
        return found


def _has_spans(frozen: FrozenPlan) -> bool:
    """Whether the rule of quotes and spans matters."""
    return any(evidence.kind in ("quote", "span") for question in frozen.questions for evidence in question.evidence)


def _fixed(jobs: Sequence[Job], axes: Mapping[str, Sequence[Any]]) -> dict[str, Any]:
    """The values that all setups share, without those that are swept."""
    keys = dict.fromkeys(key for job in jobs for key in job.options if len(axes.get(key, ())) < 2)
    values = {key: {str(job.options.get(key)) for job in jobs} for key in keys}
    return {key: jobs[0].options[key] for key in keys if len(values[key]) == 1}
