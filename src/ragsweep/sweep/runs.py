"""Finished runs read back: one or several over the same files and questions, with the labels as they are today."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from pathlib import Path
from typing import Any, TypeAlias

from ragsweep import __version__
from ragsweep import questions as labels
from ragsweep.errors import InputError, InputErrors
from ragsweep.files import canonical_json, digest
from ragsweep.recorded import System
from ragsweep.reporting.gate import without_answers, without_judge, without_prices, without_questions
from ragsweep.reporting.naming import chunking_name, option
from ragsweep.reporting.naming import name as name_of
from ragsweep.results import Gate
from ragsweep.setups import describe
from ragsweep.sweep.beside import beside
from ragsweep.sweep.frozen import PLAN, FrozenPlan, Job, PricesNow, digest_of, thaw
from ragsweep.sweep.notices import said_once
from ragsweep.sweep.sources import sources
from ragsweep.types import Document, Question, Record

DEFAULTS = {"length": "words", "dedupe": 1.0, "context_words": None, "language": "english", "pdf": "pypdf"}
"""Options that reports do not show where they are not swept and all setups that use them have these values."""

Row: TypeAlias = tuple[FrozenPlan, int, Record]
"""A run, an attempt of it, and what that recorded of a question."""


@dataclass(frozen=True)
class Texts:
    """What the setups of one reading are scored by: its documents, and the questions with their evidence in them."""

    documents: Mapping[str, Document]
    questions: Sequence[Question]


@dataclass(frozen=True)
class Runs:
    """Runs of the same files and questions. A setup that several have is one job, the first that has it.

    ``texts`` are by the names of the readings, ``whole`` is the number of all questions when some were never asked in any of
    the runs. ``axes`` are those of the run, or what differs between the setups of several.
    """

    plans: Sequence[FrozenPlan]
    texts: Mapping[str, Texts]
    whole: int | None
    jobs: Sequence[Job]
    axes: Mapping[str, Sequence[Any]]
    notices: Sequence[str]
    run_lines: Sequence[str]
    gate: Gate | None
    systems: Sequence[System] = ()
    """Those that ragsweep did not run, over the first reading."""

    def plan_of(self, job: Job) -> FrozenPlan:
        """The first run that has the setup."""
        return next(plan for plan in self.plans if any(each.id == job.id for each in plan.jobs))

    def having(self, job: Job) -> list[FrozenPlan]:
        """Each run that has the setup."""
        return [plan for plan in self.plans if any(each.id == job.id for each in plan.jobs)]

    def rows(self, job: Job) -> Iterator[Row]:
        """All that each of them recorded for it."""
        for plan in self.having(job):
            for attempt, record in plan.rows(plan.job(job.id)):
                yield plan, attempt, record


def read_runs(
    folders: Sequence[Path],
    *,
    todays_labels: bool,
    gate: Mapping[str, float] | None = None,
    prices_now: PricesNow | None = None,
    recorded: Sequence[Path] = (),
    found: Sequence[System] | None = None,
) -> Runs:
    """Read run folders, with the labels of the run or, ``todays_labels``, as their file has them now, and with the prices of
    the run, or as ``prices_now`` reads them. A folder that ``collect`` made stands for what its report is of. ``gate`` are
    limits beside those of the runs; None does not hold runs of different gates to any. ``recorded`` are files of other systems,
    beside those that the folders hold; ``found`` are these, where somebody has read them.

    Raises InputError where runs cannot stand in one table, InputErrors for mistakes in edited labels, in ``gate`` and in
    ``recorded``.
    """
    of_folders = [sources(folder) for folder in folders]
    recorded = [*(path for each in of_folders for path in each.recorded), *recorded]
    distinct = {folder.resolve(): folder for each in of_folders for folder in each.folders}
    written = [thaw(folder / PLAN) for folder in distinct.values()]
    plans = [plan.priced(prices_now) if prices_now else plan for plan in written]
    repriced = any(plan.settings.prices != was.settings.prices for plan, was in zip(plans, written, strict=True))
    for one, other in combinations(plans, 2):
        _refuse_mixed(one, other)
    reach = _gate(plans, gate)
    plans = _on_distinct(plans)
    documents = _documents(plans)
    source = plans[0].content["questions_file"]
    whole = max((plan.content["whole"] for plan in plans if plan.content["whole"]), default=None)
    edits: list[str] = []
    if todays_labels and _is_unedited(plans):
        questions, of_labels = _labels_of_runs(plans)
    elif todays_labels and source is not None and Path(source).is_file():
        questions, whole, of_labels, edits = _todays_labels(plans, Path(source), documents, limited=whole is not None)
    else:
        questions, of_labels = _labels_of_runs(plans)
        if todays_labels:
            gone = (
                f"{Path(source).name} is no longer there" if source is not None else "its questions have no file of their own"
            )
            edits = [f"scored by the labels of the run: {gone}"]
    edits += ["cost by edited prices"] if repriced else []
    others = dict.fromkeys(notice for plan in plans for notice in plan.content["notices"])
    jobs, axes = jobs_of(plans)
    texts = {name: Texts(documents[name], questions[name]) for name in documents}
    said = [line for plan in plans for line in plan.manifest["run_lines"]]
    run_lines = [*said, *edits, *_taken_from_the_first(plans)]
    first = next(iter(texts.values()))
    asked = first.questions, first.documents
    others_ran = beside(plans, jobs, *asked, recorded, partial=whole is not None) if found is None else found
    notices = [*of_labels, *others, *(notice for system in others_ran for notice in system.notices)]
    return Runs(plans, texts, whole, _without_defaults(jobs, axes), axes, notices, run_lines, reach, others_ran)


def jobs_of(plans: Sequence[FrozenPlan]) -> tuple[Sequence[Job], Mapping[str, Sequence[Any]]]:
    """The setups of runs under the names of their report, each once, and its axes."""
    by_id = {job.id: job for plan in reversed(plans) for job in reversed(plan.jobs)}
    jobs = list({job.id: by_id[job.id] for plan in plans for job in plan.jobs}.values())
    if len(plans) == 1:
        return jobs, plans[0].content["axes"]
    axes = _differing(jobs)
    return _named_apart(jobs, axes), axes


def _is_unedited(plans: Sequence[FrozenPlan]) -> bool:
    """Whether the file of the questions is, byte by byte, what this release read for a run that asked all of them: then their
    evidence need not be looked for again."""
    content = plans[0].content
    file, digest = content["questions_file"], content["questions_digest"]
    if len(plans) > 1 or content["whole"] is not None or digest is None or plans[0].manifest.get("ragsweep") != __version__:
        return False
    return bool(digest_of(Path(file)) == digest)


def _refuse_mixed(first: FrozenPlan, other: FrozenPlan) -> None:
    """A table compares setups on the same questions over the same files, scored by one rule."""
    between = f"{first.folder} and {other.folder}"
    one, two = (
        {(file["id"], file["stored"]["parser"]): file for corpus in plan.corpora.values() for file in corpus.files}
        for plan in (first, other)
    )
    bytes_of_one, bytes_of_two = ({(id, file["stored"]["bytes"]) for (id, _), file in each.items()} for each in (one, two))
    differently = {key for key in one.keys() & two.keys() if one[key]["digest"] != two[key]["digest"]}
    alike = {id for id, _ in (one.keys() & two.keys()) - differently}
    if others := sorted({id for id, _ in bytes_of_one ^ bytes_of_two} - alike):
        raise InputError(f"{between} are of different files ({_some(others)}): collect each by itself")
    if differently:
        names = _some(sorted({id for id, _ in differently}))
        raise InputError(f"{between} read {names} by different versions of a parser: run the older one again")
    asked = [{question.text for corpus in plan.corpora.values() for question in corpus.questions} for plan in (first, other)]
    if asked[0] != asked[1]:
        limits = ", or write the same limit" if first.content["whole"] or other.content["whole"] else ""
        different = _some(sorted(asked[0] ^ asked[1]))
        raise InputError(f"{between} asked different questions ({different}): collect each by itself{limits}")
    if first.settings.evidence_match != other.settings.evidence_match:
        raise InputError(f"{between} have different evidence_match: collect each by itself")


def _taken_from_the_first(plans: Sequence[FrozenPlan]) -> list[str]:
    """What the runs have different values of and one report has one of."""
    of_one = {"report.sort": "sort", "report.by": "by", "score_at": "score_at", "scorecard.weights": "weights"}
    values = {name: [getattr(plan.settings, key) for plan in plans] for name, key in of_one.items()}
    return [
        f"{option(key, first)} is that of the first run; others have {', '.join(distinct)}"
        for key, (first, *others) in values.items()
        if (distinct := dict.fromkeys(json.dumps(other).strip('"') for other in others if other != first))
    ]


def _on_distinct(plans: Sequence[FrozenPlan]) -> list[FrozenPlan]:
    """The plans, with each corpus and its jobs under the first reading that gives the same texts."""
    firsts: dict[tuple[tuple[str, str], ...], str] = {}
    renamed = []
    for plan in plans:
        names = {name: firsts.setdefault(tuple(corpus.keys), name) for name, corpus in plan.corpora.items()}
        corpora = {names[name]: corpus for name, corpus in plan.corpora.items()}
        renamed.append(replace(plan, corpora=corpora, jobs=[replace(job, reading=names[job.reading]) for job in plan.jobs]))
    return renamed


def _documents(plans: Sequence[FrozenPlan]) -> dict[str, dict[str, Document]]:
    """The documents of each reading, by its name; what several read alike is loaded once."""
    loaded: dict[tuple[str, str], Document] = {}
    found: dict[str, dict[str, Document]] = {}
    for plan in plans:
        for name, corpus in plan.corpora.items():
            stored = corpus.documents(plan.store)
            for key in corpus.keys if name not in found else ():
                loaded[key] = loaded[key] if key in loaded else stored[key[0]]
            found[name] = {key[0]: loaded[key] for key in corpus.keys}
    return found


def _labels_of_runs(plans: Sequence[FrozenPlan]) -> tuple[dict[str, Sequence[Question]], list[str]]:
    """The questions of each reading as they were when it ran, and notices. Raises InputError when their labels differ."""
    given: dict[str, FrozenPlan] = {}
    for plan in plans:
        given |= {name: given.get(name, plan) for name in plan.corpora}
    used = {plan.folder: plan for plan in given.values()}
    questions = {name: plan.corpora[name].questions for name, plan in given.items()}
    labelled = [{each.id: _label_of(each) for each in of_one} for of_one in questions.values()]
    differing = sorted({id for other in labelled for id, label in other.items() if labelled[0].get(id) != label})
    if differing:
        raise InputError(f"{' and '.join(map(str, used))} have different labels for {_some(differing)}: collect each by itself")
    return questions, list(dict.fromkeys(notice for plan in used.values() for notice in plan.content["label_notices"]))


def _label_of(question: Question) -> Question:
    """A question with its evidence as written, without where that stands in the texts of a reading."""
    return replace(question, evidence=tuple(replace(each, places=()) for each in question.evidence), where="")


def _some(names: Sequence[str]) -> str:
    return ", ".join(repr(name) for name in names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")


def _todays_labels(
    plans: Sequence[FrozenPlan], source: Path, documents: Mapping[str, Mapping[str, Document]], *, limited: bool
) -> tuple[dict[str, Sequence[Question]], int | None, list[str], list[str]]:
    """The questions that were asked, for each reading, with the evidence, answers and ids that their file gives them now; the
    number of all questions when some were never asked; notices; edits."""
    loaded = labels.load(source)
    frozen = [(name, each) for plan in plans for name, corpus in plan.corpora.items() for each in corpus.questions]
    asked = {(name, each.text): each for name, each in frozen}
    same = {(name, each.id, each.text): each for name, each in frozen}  # several may ask the same
    texts = {text for _, text in asked}
    named = {(id, text) for _, id, text in same}
    known = {draft.text for draft in loaded.drafts if (draft.id, draft.text) in named}
    drafts = tuple(draft for draft in loaded.drafts if (draft.id, draft.text) in named or draft.text in texts - known)
    resolved = dict(zip(documents, labels.resolve(replace(loaded, drafts=drafts), *documents.values()), strict=True))
    kept: dict[str, Sequence[Question]] = {name: questions for name, (questions, _) in resolved.items()}
    edited = {
        question.id
        for name, questions in kept.items()
        for question in questions
        if replace(question, where="")
        != replace(same.get((name, question.id, question.text), asked[name, question.text]), where="")
    }
    counts = {
        "scored by edited labels": len(edited),
        "never asked and left out: run the experiment again": 0 if limited else len(loaded.drafts) - len(drafts),
        "no longer in the file and dropped": len(texts - {draft.text for draft in drafts}),
    }
    if not drafts:
        raise InputError(f"{source}: none of its questions was asked in {plans[0].folder}: run the experiment again")
    of_readings = said_once({name: notices for name, (_, notices) in resolved.items()})
    notices = [*of_readings, *filter(None, [labels.few_questions(next(iter(kept.values())))])]
    whole = len(loaded.drafts) if len(loaded.drafts) > len(drafts) else None
    return kept, whole, notices, [f"{number} question{'s' * (number > 1)} {what}" for what, number in counts.items() if number]


def _differing(jobs: Sequence[Job]) -> dict[str, list[Any]]:
    """The shown values that are not the same for all setups, each with its values in the order of the setups."""
    keys = dict.fromkeys(key for job in jobs for key in job.options)
    options = {key: [job.options[key] for job in jobs if key in job.options] for key in keys}
    values = {key: list({repr(value): value for value in found}.values()) for key, found in options.items()}
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
        key = _cut_of(job)
        if job.setup.chunker is not None and key not in chunkings.values():
            cut = {axis: values for axis, values in axes.items() if axis != "top_n"}
            chunkings[_free(chunking_name(job.options, cut), digest(key), chunkings)] = key
    name_by_id, name_by_key = ({value: name for name, value in named.items()} for named in (names, chunkings))
    return [replace(job, name=name_by_id[job.id], chunking=name_by_key.get(_cut_of(job), "")) for job in jobs]


def _cut_of(job: Job) -> str:
    """What tells its chunks from others of the same files."""
    return canonical_json([job.reading, describe(job.setup.chunker) if job.setup.chunker is not None else None])


def _without_defaults(jobs: Sequence[Job], axes: Mapping[str, Sequence[Any]]) -> list[Job]:
    """The jobs with the options that reports show."""
    unsaid = {
        key for key, value in DEFAULTS.items() if key not in axes and all(job.options.get(key, value) == value for job in jobs)
    }
    return [replace(job, options={key: value for key, value in job.options.items() if key not in unsaid}) for job in jobs]


def _free(name: str, id: str, taken: Mapping[str, str]) -> str:
    return name if name not in taken else f"{name} ({id[:6]})"


def _gate(plans: Sequence[FrozenPlan], asked_for: Mapping[str, float] | None) -> Gate | None:
    """The gate that the runs have in common, with the limits given now laid over it.

    Raises InputError when they have different gates and none is given, InputErrors for what their setups cannot have.
    """
    given = asked_for or {}
    gates = [_frozen_gate(plan) for plan in plans]
    differ = any(gate != gates[0] for gate in gates)
    common = Gate({}) if differ else gates[0]
    if differ and asked_for is not None and not given:
        folders = " and ".join(str(plan.folder) for plan in plans)
        raise InputError(f"{folders} have different gates: write which numbers to reach, as in --fail-under recall=0.9")
    judged = [job.setup for plan in plans for job in plan.jobs if common.setup in (None, job.id)]
    prices = {model: price for plan in plans for model, price in plan.settings.prices.items()}
    asked = next(iter(plans[0].corpora.values())).questions
    wrong = [
        *without_answers(given, judged),
        *without_questions(given, asked),
        *without_judge(given, asked, is_asked=any(plan.settings.judge is not None for plan in plans)),
        *without_prices(given, judged, prices),
    ]
    if wrong:
        raise InputErrors(wrong)
    limits = {**common.limits, **given}
    return Gate(limits, common.setup) if limits else None


def _frozen_gate(plan: FrozenPlan) -> Gate:
    """The gate of a run, its setup by id: names differ in a report of several."""
    written = plan.settings.gate
    id = next((job.id for job in plan.jobs if job.name == written.get("setup")), None)
    return Gate({key: limit for key, limit in written.items() if key != "setup"}, id)
