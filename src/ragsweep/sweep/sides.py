"""What can be compared of a folder: its setups and recorded systems, each with all that it made of the questions."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeAlias

from ragsweep.recorded import System
from ragsweep.recorded import scored as scored_system
from ragsweep.reporting.asked import Asked
from ragsweep.reporting.difference import Side
from ragsweep.sweep.beside import beside
from ragsweep.sweep.collect import scored_records
from ragsweep.sweep.frozen import Job, is_reranked
from ragsweep.sweep.named import named
from ragsweep.sweep.runs import Runs, jobs_of
from ragsweep.sweep.sources import sources

Comparable: TypeAlias = Job | System


@dataclass(frozen=True, eq=False)
class Held:
    """The runs of one folder, under the names of its report."""

    folder: Path
    runs: Runs

    @classmethod
    def of(cls, runs: Runs, folder: Path) -> "Held":
        """Those of ``folder`` among ``runs``, with its recorded systems. Raises InputErrors for mistakes in their files."""
        came = sources(folder)
        plans = [plan for plan in runs.plans if plan.folder in came.folders]
        jobs, axes = jobs_of(plans)
        texts = {name: runs.texts[name] for plan in plans for name in plan.corpora}
        first = next(iter(texts.values()))
        partial = runs.whole is not None
        systems = beside(plans, jobs, first.questions, first.documents, came.recorded, partial=partial)
        return cls(folder, replace(runs, plans=plans, jobs=jobs, axes=axes, texts=texts, systems=systems))

    def named(self, name: str) -> Comparable:
        """The setup or system of this name, or the only one whose name holds it."""
        among: list[Comparable] = [*self.runs.jobs, *self.runs.systems]
        return named(self.folder, among, name)

    def side(self, found: Comparable) -> Side:
        """How it is shown."""
        if isinstance(found, System):
            return Side(found.name, self.folder, None, found.answers, "contexts" not in found.unknown)
        return Side(found.name, self.folder, found.setup.chunker, "generator" in found.setup.needs)

    def asked(self, found: Comparable) -> list[list[Asked]]:
        """Every question, by the records of this folder alone, each with all its askings."""
        if isinstance(found, System):
            return [[each] for each in self._of_system(found)]
        plan = self.runs.plan_of(found)
        documents, repeats = self.runs.texts[found.reading].documents, plan.settings.repeats
        rows = [
            Asked(found.name, question, record, documents, None if score.missing else score, is_reranked(found))
            for question, record, score in scored_records(replace(self.runs, jobs=[found]), found)
        ]
        return [rows[start : start + repeats] for start in range(0, len(rows), repeats)]

    def _of_system(self, system: System) -> list[Asked]:
        settings, questions = self.runs.plans[0].settings, next(iter(self.runs.texts.values())).questions
        _, scores = scored_system(system, questions, settings.prices, settings.evidence_match, settings.score_at)
        records = [system.record(question) for question in questions]
        return [
            Asked(
                system.name,
                question,
                record,
                system.documents,
                score if question.id in system.records else None,
                reranked=False,
            )
            for question, record, score in zip(questions, records, scores, strict=True)
        ]
