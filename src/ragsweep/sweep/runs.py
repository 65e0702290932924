"""Finished runs read back: one or several over the same files and questions, with the labels as they are today."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ragsweep import questions as labels
from ragsweep.errors import InputError
from ragsweep.files import canonical_json, digest
from ragsweep.reporting.naming import chunking_name
from ragsweep.reporting.naming import name as name_of
from ragsweep.setups import describe
from ragsweep.sweep.frozen import PLAN, FrozenPlan, Job, thaw
from ragsweep.types import Document, Question, Record


@dataclass(frozen=True)
class Runs:
    """Runs of the same files and questions. A setup that several have is one job, the first that has it.

    ``axes`` are those of the run, or what differs between the setups of several.
    """

    plans: Sequence[FrozenPlan]
    documents: Mapping[str, Document]
    questions: Sequence[Question]
    jobs: Sequence[Job]
    axes: Mapping[str, Sequence[Any]]
    notices: Sequence[str]
    run_lines: Sequence[str]

    def plan_of(self, job: Job) -> FrozenPlan:
        """The first run that has the setup."""
        return next(plan for plan in self.plans if any(each.id == job.id for each in plan.jobs))

    def records(self, job: Job) -> dict[tuple[str, int], Record]:
        """What all runs recorded for a setup, by question text and repeat: the first that did not fail, else the first."""
        found: dict[tuple[str, int], Record] = {}
        for plan in self.plans:
            for each in (other for other in plan.jobs if other.id == job.id):
                for key, record in plan.records(each).items():
                    if key not in found or (found[key].status == "failed" and record.status != "failed"):
                        found[key] = record
        return found


def read_runs(folders: Sequence[Path], *, todays_labels: bool) -> Runs:
    """Read run folders, with the labels of the run or, ``todays_labels``, as their file has them now.

    Raises InputError where runs cannot stand in one table, InputErrors for mistakes in edited labels.
    """
    plans = [thaw(folder / PLAN) for folder in folders]
    for plan in plans[1:]:
        _refuse_mixed(plans[0], plan)
    documents = dict(plans[0].documents())
    source = plans[0].content["questions_file"]
    if todays_labels and source is not None and Path(source).is_file():
        questions, of_labels, edits = _todays_labels(plans[0], Path(source), documents)
    else:
        questions, of_labels, edits = plans[0].questions, plans[0].content["label_notices"], []
    others = dict.fromkeys(notice for plan in plans for notice in plan.content["notices"])
    by_id = {job.id: job for plan in reversed(plans) for job in reversed(plan.jobs)}
    jobs = list({job.id: by_id[job.id] for plan in plans for job in plan.jobs}.values())
    axes: Mapping[str, Sequence[Any]] = plans[0].content["axes"]
    if len(plans) > 1:
        axes = _differing(jobs)
        jobs = _named_apart(jobs, axes)
    said = [line for plan in plans for line in plan.manifest["run_lines"]]
    return Runs(plans, documents, questions, jobs, axes, [*of_labels, *others], [*said, *edits])


def _refuse_mixed(first: FrozenPlan, other: FrozenPlan) -> None:
    """A table compares setups on the same questions over the same files, scored by one rule."""
    asked = [{question.text for question in plan.questions} for plan in (first, other)]
    files = [set(plan.document_keys) for plan in (first, other)]
    between = f"{first.folder} and {other.folder}"
    if files[0] != files[1]:
        names = sorted({id for id, _ in files[0] ^ files[1]})
        raise InputError(f"{between} are of different files ({_some(names)}): collect each by itself")
    if asked[0] != asked[1]:
        raise InputError(f"{between} asked different questions ({_some(sorted(asked[0] ^ asked[1]))}): collect each by itself")
    if first.content["rule"] != other.content["rule"]:
        raise InputError(f"{between} have different evidence_match: collect each by itself")


def _some(names: Sequence[str]) -> str:
    return ", ".join(repr(name) for name in names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")


def _todays_labels(
    plan: FrozenPlan, source: Path, documents: Mapping[str, Document]
) -> tuple[Sequence[Question], Sequence[str], list[str]]:
    """The questions that were asked, with the evidence, answers and ids that their file gives them now; notices; edits."""
    loaded = labels.load(source)
    asked = {question.text: question for question in plan.questions}
    drafts = tuple(draft for draft in loaded.drafts if draft.text in asked)
    kept, notices = labels.resolve(replace(loaded, drafts=drafts), documents)
    edited = sum(replace(question, where="") != replace(asked[question.text], where="") for question in kept)
    counts = {
        "scored by edited labels": edited,
        "never asked and left out: run the experiment again": len(loaded.drafts) - len(drafts),
        "no longer in the file and dropped": len(asked.keys() - {draft.text for draft in drafts}),
    }
    if not kept:
        raise InputError(f"{source}: none of its questions was asked in {plan.folder}: run the experiment again")
    return kept, notices, [f"{number} question{'s' * (number > 1)} {what}" for what, number in counts.items() if number]


def _differing(jobs: Sequence[Job]) -> dict[str, list[Any]]:
    """The shown values that are not the same for all setups, each with its values in the order of the setups."""
    keys = dict.fromkeys(key for job in jobs for key in job.options)
    values = {key: list(dict.fromkeys(job.options[key] for job in jobs if key in job.options)) for key in keys}
    found = {key: several for key, several in values.items() if len(several) > 1}
    pairs = {(job.options.get("chunk_size"), job.options.get("chunk_overlap")) for job in jobs}
    if len({size for size, _ in pairs}) == len(pairs):
        found.pop("chunk_overlap", None)  # it follows from chunk_size
    return found


def _named_apart(jobs: Sequence[Job], axes: Mapping[str, Sequence[Any]]) -> list[Job]:
    """The jobs under names that tell them and their chunkings apart in one table; those beside a grid keep their name."""
    names: dict[str, str] = {}
    chunkings: dict[str, str] = {}
    for job in jobs:
        names[_free(job.name if job.beside else name_of(job.options, axes), job.id, names)] = job.id
        key = canonical_json(describe(job.setup.chunker))
        if key not in chunkings.values():
            cut = {axis: values for axis, values in axes.items() if axis != "top_n"}
            chunkings[_free(chunking_name(job.options, cut), digest(key), chunkings)] = key
    name_by_id, name_by_key = ({value: name for name, value in named.items()} for named in (names, chunkings))
    return [
        replace(job, name=name_by_id[job.id], chunking=name_by_key[canonical_json(describe(job.setup.chunker))]) for job in jobs
    ]


def _free(name: str, id: str, taken: Mapping[str, str]) -> str:
    return name if name not in taken else f"{name} ({id[:6]})"
