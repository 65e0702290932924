"""A run that was cut off goes on: what is recorded counts, what is left runs, and the report is that of an undisturbed run."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ragsweep import questions as labels
from ragsweep.errors import InputErrors
from ragsweep.places import outputs_folder
from ragsweep.store import Store
from ragsweep.sweep.chunking import Chunking, cut
from ragsweep.sweep.clock import Clock
from ragsweep.sweep.frozen import (
    PLAN,
    RECORDED,
    SPARE,
    FrozenPlan,
    Job,
    PricesNow,
    digest_of,
    is_finished,
    noted,
    refreeze,
    thaw,
)
from ragsweep.sweep.judging import left_to_judge
from ragsweep.sweep.limit import limited
from ragsweep.sweep.notices import chunk_label_notices, said_once
from ragsweep.sweep.pool import workers
from ragsweep.sweep.progress import say
from ragsweep.sweep.reading import Corpus, read_removed
from ragsweep.sweep.recorded import resume_scored
from ragsweep.sweep.run import at_work, finish, open_store
from ragsweep.sweep.servers import ready, still_ready
from ragsweep.sweep.wanted import Launch, Wanted
from ragsweep.types import Document, Question


@dataclass(frozen=True)
class Left:
    """What is left of a frozen plan, as far as preparing asks."""

    setups: Sequence[Job]
    chunkings: Mapping[str, Chunking]
    corpora: Mapping[str, Corpus]
    asked: Sequence[str]
    n_jobs: int


def unfinished_run() -> Path | None:
    """The newest run under the outputs folder that did not end, by the time in its name."""
    return next((folder for folder in _newest_first() if not is_finished(folder)), None)


def has_runs() -> bool:
    """Whether there is any under the outputs folder."""
    return bool(_newest_first())


def failed_run() -> tuple[Path, int] | None:
    """The newest run that ended with questions that a resume asks again, and their number."""
    return next(((folder, number) for folder in _newest_first() if (number := noted(folder).get("to_ask_again", 0))), None)


def _newest_first() -> list[Path]:
    folders = {path.parent for path in outputs_folder().glob(f"*/*/{PLAN}") if not path.parent.is_symlink()}
    return sorted(folders, key=lambda folder: folder.name, reverse=True)


def resume(
    folder: Path, wanted: Wanted, launch: Launch, prices_now: PricesNow, *, judge: bool = False, as_json: bool = False
) -> int:
    """Go on with the run in ``folder``, with the launcher and n_jobs of ``wanted``, and its ``judge``. Returns the exit code.

    The questions are those of their file now: records are found by what was asked, so edited labels only score them again.
    Prices are those of the experiment's file now.
    Raises InputErrors for mistakes in the edited file, StoreError naming a document whose text was removed from the store.
    """
    wanted = ready(replace(wanted, rows=())) if judge else wanted
    if wanted.problems:
        raise InputErrors(wanted.problems)
    if RECORDED in noted(folder):
        return resume_scored(folder, wanted, prices_now, judge=judge, as_json=as_json)
    with at_work(folder):
        clock = Clock()
        frozen = thaw(folder / PLAN)
        store = open_store(Path(frozen.content["store"]))
        store.keep_beside(folder / SPARE)
        with clock.of("plan"):
            needed, changed = _left(frozen, store, workers(wanted.settings.n_jobs))
        now = wanted.settings
        judged = replace(frozen.settings, judge=now.judge, judge_option=now.judge_option) if judge else frozen.settings
        again = (
            replace(frozen, settings=judged)
            .priced(prices_now)
            .again(
                {name: corpus.questions for name, corpus in needed.corpora.items()},
                side_by_side=min(wanted.side_by_side or needed.n_jobs, len(frozen.jobs)),
                **changed,
            )
        )
        counts = _counts(frozen, again)
        repriced = again.settings.prices != frozen.settings.prices
        judged_anew = again.settings.judge != frozen.settings.judge or left_to_judge(again) > 0
        if is_finished(folder) and not (repriced or judged_anew or any(counts[what] for what in COUNTS if what != "reused")):
            say(f"{folder}: this run is finished: there is nothing to resume")
            return int(noted(folder).get("exit_code", 0))
        said = ", ".join(f"{what} {counts[what]:,}" for what in COUNTS)
        say(f"resuming {folder}: {said}")
        still_ready([job.setup for job in again.jobs if job.error is None and again.left(job)], again.settings.judge)
        refreeze(again)
        needed = replace(needed, setups=[job for job in needed.setups if again.left(job)])
        return finish(again, needed, store, launch, clock, as_json=as_json, lines=[said]).exit_code


COUNTS = ("reused", "re-scored", "run", "dropped")
"""What becomes of questions, over all setups: kept; kept and scored by edited labels; asked now; no longer asked."""


def _left(frozen: FrozenPlan, store: Store, n_jobs: int) -> tuple[Left, dict[str, Any]]:
    """The documents from the store, cut again, with the questions as they are now; and what else the plan says of those."""
    stored = {name: [file["stored"] for file in corpus.files] for name, corpus in frozen.corpora.items()}
    read_removed(stored, frozen.content["dataset"], store, n_jobs)
    documents = {name: dict(corpus.documents(store)) for name, corpus in frozen.corpora.items()}
    questions, changed = _questions(frozen, documents)
    corpora = {
        name: Corpus(documents[name], {file["id"]: file["stored"] for file in corpus.files}, questions[name])
        for name, corpus in frozen.corpora.items()
    }
    working = [job for job in frozen.jobs if job.error is None]
    first = {job.chunking: (job.reading, job.setup.chunker) for job in reversed(working)}
    chunkings = {
        name: cut(store, reading, corpora[reading].keys, documents[reading], chunker)
        for name, (reading, chunker) in first.items()
        if chunker is not None
    }
    asked = next(iter(questions.values()))
    chunk_label_notices(asked, chunkings)  # raises for labels that are right nowhere
    return Left(working, chunkings, corpora, [question.text for question in asked], n_jobs), changed


def todays_questions(
    frozen: FrozenPlan, documents: Mapping[str, Mapping[str, Document]]
) -> dict[str, tuple[list[Question], list[str]]] | None:
    """For each reading all questions as their file has them now, and notices; None where there is no such file."""
    source = frozen.content["questions_file"]
    if source is None or not Path(source).is_file():
        return None
    return dict(zip(documents, labels.resolve(labels.load(Path(source)), *documents.values()), strict=True))


def _questions(
    frozen: FrozenPlan, documents: Mapping[str, Mapping[str, Document]]
) -> tuple[dict[str, Sequence[Question]], dict[str, Any]]:
    """Today's questions within the limit of the run; notices and their whole number. Those of the plan where there are none."""
    settings, resolved = frozen.settings, todays_questions(frozen, documents)
    if resolved is None:
        return {name: corpus.questions for name, corpus in frozen.corpora.items()}, {}
    asked = {name: limited(found, settings.limit, settings.limit_seed) for name, (found, _) in resolved.items()}
    (everything, _), some = next(iter(resolved.values())), next(iter(asked.values()))
    notices = said_once({name: said for name, (_, said) in resolved.items()})
    return dict(asked), {
        "label_notices": [*notices, *filter(None, [labels.few_questions(some)])],
        "whole": len(everything) if len(some) < len(everything) else None,
        "questions_digest": digest_of(Path(frozen.content["questions_file"])),
    }


def _counts(before: FrozenPlan, now: FrozenPlan) -> Counter[str]:
    """How many questions, each repeat for itself, of each of COUNTS. One whose text was edited is run, and not dropped too."""
    found: Counter[str] = Counter()
    for job in (job for job in now.jobs if job.error is None):
        labelled = {each.text: replace(each, where="") for each in before.corpora[job.reading].questions}
        questions = now.corpora[job.reading].questions
        left = Counter(text for text, _ in now.left(job))
        for text, question in {each.text: each for each in questions}.items():
            same = labelled.get(text) == replace(question, where="")
            found["run"] += left[text]
            found["reused" if same else "re-scored"] += now.settings.repeats - left[text]
        texts, ids = {each.text for each in questions}, {each.id for each in questions}
        recorded = Counter(text for text, _ in now.records(job))
        found["dropped"] += sum(recorded[text] for text, old in labelled.items() if text not in texts and old.id not in ids)
    return found
