"""The frozen plan: what plan.json holds, and how a job and the collector read it back."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, TypeAlias, cast

from ragsweep import files
from ragsweep.errors import InputError, StoreError
from ragsweep.evaluation.records import from_dict, run_key, to_dict
from ragsweep.results import Price
from ragsweep.setups import Setup
from ragsweep.store import Store, scratch
from ragsweep.sweep.plan import Plan
from ragsweep.sweep.reading import stored_document
from ragsweep.sweep.run_settings import RunSettings
from ragsweep.sweep.yaml_text import yaml_lines
from ragsweep.types import Document, Evidence, Place, Question, Record

FORMAT = 5
PLAN = "plan.json"
MANIFEST = "manifest.json"
RECORDS = "records.jsonl"
CONFIG = "config.yaml"
RECORDED = "recorded"
"""In a manifest, the files of other systems that the folder holds, and the cut of their lists."""
ANSWERS = "answers"
SPARE = "store"
"""In the run folder: what the run built and could not write to the store."""


KEYS = (
    *("experiment", "experiment_dir", "axes", "questions_file", "as_written", "side_by_side", "store", "whole", "dataset"),
    *("notices", "label_notices", "prices_file", "launcher", "attempt", "questions_digest"),
)
"""What a reader of plan.json asks for, beside its settings, setups and corpora."""
PricesNow: TypeAlias = Callable[[Path], Mapping[str, Price] | None]
"""Reads the prices of an experiment's file."""


@dataclass(frozen=True)
class Job:
    """One setup of a frozen plan, over the corpus of ``reading``. ``error`` says why it could not be run at all."""

    id: str
    name: str
    folder: str
    reading: str
    chunking: str
    beside: bool
    options: Mapping[str, Any]
    setup: Setup
    folded: Sequence[str]
    error: str | None


def is_reranked(job: Job) -> bool:
    """Whether a reranker chose what it was given."""
    return job.options.get("reranker") != "none"


@dataclass(frozen=True)
class FrozenCorpus:
    """A corpus of a frozen plan: of each document its ``id``, the ``digest`` of its text and what it is ``stored`` under."""

    files: Sequence[Mapping[str, Any]]
    questions: Sequence[Question]

    @property
    def keys(self) -> list[tuple[str, str]]:
        """(id, digest of the text) of each document."""
        return [(file["id"], file["digest"]) for file in self.files]

    def documents(self, store: Store) -> "StoredDocuments":
        """The documents, read from the store as they are asked for."""
        return StoredDocuments(store, {file["id"]: file["stored"] for file in self.files})


@dataclass(frozen=True)
class FrozenPlan:
    """plan.json read back. ``folder`` is the run folder; the corpora are by the names of their readings."""

    folder: Path
    content: Mapping[str, Any]
    settings: RunSettings
    jobs: Sequence[Job]
    corpora: Mapping[str, FrozenCorpus]

    @cached_property
    def manifest(self) -> Mapping[str, Any]:
        """What the run noted of itself when its shared work was ready."""
        found = noted(self.folder)
        if not found:
            raise InputError(f"{self.folder}: the run ended before its first question: write ragsweep resume {self.folder}")
        return found

    def unprepared(self, job: Job) -> str | None:
        """Why the embedder of a job gave no vectors, as far as the run noted it."""
        return self.manifest["unprepared"].get(job.id) if (self.folder / MANIFEST).is_file() else None

    @property
    def answers(self) -> Path | None:
        """The folder of the answers that identical requests share; None where each is asked for itself."""
        return self.folder / ANSWERS if self.settings.share_answers else None

    @property
    def store(self) -> Store:
        """The store that the plan was made over, with what could not be written to it."""
        spare = self.folder / SPARE
        return Store(Path(self.content["store"]), spare=spare if spare.is_dir() else scratch())

    @cached_property
    def documents(self) -> "Mapping[str, StoredDocuments]":
        """Those of each reading; what one job of a process has read serves the next."""
        return {name: corpus.documents(self.store) for name, corpus in self.corpora.items()}

    def job(self, id: str) -> Job:
        """The job of a setup id. Raises InputError when there is none."""
        for job in self.jobs:
            if job.id == id:
                return job
        raise InputError(f"{self.folder / PLAN} has no setup {id!r}")

    def rows(self, job: Job) -> Iterator[tuple[int, Record]]:
        """(attempt, record) of all that was ever recorded for a job: its files in order, each with one writer.

        Raises StoreError naming the line for one that is no record of this run.
        """
        known = {file["id"] for file in self.corpora[job.reading].files}
        for path in files.claimed(self.folder / job.folder / RECORDS):
            for line, row in enumerate(files.read_lines(path), 1):
                key, attempt = row.pop("key", None), row.pop("attempt", 1)
                try:
                    record = from_dict(row, known)
                except StoreError as error:
                    raise StoreError(f"{path}:{line}: {error}: take the line out, and resume the run") from error
                if key == run_key(job.id, record.question, record.repeat):
                    yield attempt, record

    def records(self, job: Job) -> dict[tuple[str, int], Record]:
        """What counts of it, by question text and repeat."""
        return merged(record for _, record in self.rows(job))

    def left(self, job: Job) -> list[tuple[str, int]]:
        """(question text, repeat) of what is still to be asked of a job, each once. What failed in an earlier attempt is asked
        again where ``retry_failed`` says so."""
        again = self.settings.retry_failed
        done = {
            (record.question, record.repeat)
            for attempt, record in self.rows(job)
            if record.status != "failed" or attempt == self.content["attempt"] or not again
        }
        questions, repeats = self.corpora[job.reading].questions, self.settings.repeats
        asked = dict.fromkeys((question.text, repeat) for repeat in range(repeats) for question in questions)
        return [key for key in asked if key not in done]

    def priced(self, prices_now: PricesNow) -> "FrozenPlan":
        """The plan with the prices that its experiment's file has now, where that has some."""
        file = self.content["prices_file"]
        prices = prices_now(Path(file)) if file is not None else None
        return self if prices is None else replace(self, settings=replace(self.settings, prices=prices))

    def again(self, questions: Mapping[str, Sequence[Question]], **content: Any) -> "FrozenPlan":
        """The plan of another attempt: with the questions of each reading as they are now, and what else it changes."""
        corpora = {name: replace(corpus, questions=questions[name]) for name, corpus in self.corpora.items()}
        return replace(self, corpora=corpora, content={**self.content, "attempt": self.content["attempt"] + 1, **content})


def counts_instead(record: Record, before: Record, *, of_one_run: bool = True) -> bool:
    """Whether a record of the same question counts, and not one before it: of a run the last that did not fail, else the last;
    of several runs that of the first in which it did not fail, else of the first."""
    if of_one_run:
        return record.status != "failed" or before.status == "failed"
    return record.status != "failed" and before.status == "failed"


def merged(records: Iterable[Record]) -> dict[tuple[str, int], Record]:
    """What counts, by question text and repeat."""
    found: dict[tuple[str, int], Record] = {}
    for record in records:
        before = found.get((record.question, record.repeat))
        if before is None or counts_instead(record, before):
            found[record.question, record.repeat] = record
    return found


class Recorder:
    """Where one process writes the records of a job: a file of its own, made with the first, as another attempt may still be at
    work on the same setup."""

    def __init__(self, frozen: FrozenPlan, job: Job) -> None:
        self._attempt, self._job = frozen.content["attempt"], job
        self._first = frozen.folder / job.folder / RECORDS

    @cached_property
    def _file(self) -> Path:
        return files.claim(self._first)

    def keep(self, record: Record) -> None:
        """Append a record."""
        files.append_line(self._file, record_line(self._job.id, record, self._attempt))


class StoredDocuments(Mapping[str, Document]):
    """Documents by id; each is read from the store when it is first asked for."""

    def __init__(self, store: Store, keys: Mapping[str, Mapping[str, Any]]) -> None:
        self._store, self._keys = store, keys
        self._read: dict[str, Document] = {}

    def __getitem__(self, id: str) -> Document:
        if id not in self._read:
            self._read[id] = stored_document(self._store, self._keys[id])
        return self._read[id]

    def __iter__(self) -> Iterator[str]:
        return iter(self._keys)

    def __len__(self) -> int:
        return len(self._keys)


def freeze(plan: Plan, folder: Path) -> None:
    """Write plan.json. Everything a job needs is in it or in the store."""
    content = {
        "format": FORMAT,
        "experiment": plan.experiment,
        "experiment_dir": str(plan.base),
        "axes": plan.axes,
        "questions_file": str(plan.questions_file) if plan.questions_file else None,
        "questions_digest": digest_of(plan.questions_file),
        "as_written": plan.as_written,
        "whole": plan.whole,
        "dataset": plan.dataset,
        "side_by_side": plan.side_by_side,
        "store": str(plan.store),
        "launcher": dict(plan.launcher),
        "attempt": 1,
        "prices_file": str(plan.prices_file.absolute()) if plan.prices_file else None,
        "notices": list(plan.notices),
        "label_notices": list(plan.label_notices),
        "settings": plan.settings.plain(),
        "corpora": {
            name: {
                "files": [{"id": id, "digest": digest, "stored": dict(corpus.stored[id])} for id, digest in corpus.keys],
                "questions": [asdict(question) for question in corpus.questions],
            }
            for name, corpus in plan.corpora.items()
        },
        "setups": [
            {
                "id": planned.id,
                "name": planned.name,
                "folder": planned.folder,
                "reading": planned.reading,
                "chunking": planned.chunking,
                "beside": planned.beside,
                "options": dict(planned.options),
                "setup": planned.setup.describe(),
                "folded": list(planned.folded),
                "error": planned.error,
            }
            for planned in plan.setups
        ],
    }
    files.publish(folder / PLAN, files.strict_json(content, indent=2))
    for planned in plan.setups:
        text = "\n".join(yaml_lines(planned.setup.describe())) + "\n"
        files.publish(folder / planned.folder / CONFIG, text.encode())


def digest_of(questions: Path | None) -> str | None:
    """What tells whether a file of questions was edited; None where there is none."""
    return files.sha256_file(questions) if questions is not None and questions.is_file() else None


def refreeze(frozen: FrozenPlan) -> None:
    """Write plan.json again, for another attempt."""
    path = frozen.folder / PLAN
    content = {**json.loads(path.read_bytes()), **frozen.content, "settings": frozen.settings.plain()}
    for name, corpus in frozen.corpora.items():
        content["corpora"][name]["questions"] = [asdict(question) for question in corpus.questions]
    files.publish(path, files.strict_json(content, indent=2))


def thaw(path: Path) -> FrozenPlan:
    """Read a plan.json. Raises StoreError when it is none of ours."""
    try:
        content = json.loads(path.read_bytes())
        if content["format"] != FORMAT:
            raise StoreError(
                f"{path} has format {content['format']}; this release reads format {FORMAT}: run the experiment again"
            )
        jobs = [Job(**{**setup, "setup": Setup.restore(setup["setup"])}) for setup in content["setups"]]
        corpora = {
            name: FrozenCorpus(corpus["files"], [_question(question) for question in corpus["questions"]])
            for name, corpus in content["corpora"].items()
        }
        settings = RunSettings.restore(content["settings"])
        return FrozenPlan(path.parent, {key: content[key] for key in KEYS}, settings, jobs, corpora)
    except (FileNotFoundError, NotADirectoryError):
        cut_off = "; a run that was cut off before it had one did nothing: write it again" if path.parent.is_dir() else ""
        raise InputError(
            f"{path.parent} holds no {PLAN}: name the folder of a run, as in outputs/policies/latest{cut_off}"
        ) from None
    except (ValueError, KeyError, TypeError) as error:
        why = f"{type(error).__name__}: {error}"
        raise StoreError(f"{path} is damaged, or of another release ({why}): run the experiment again") from error


def noted(folder: Path) -> Mapping[str, Any]:
    """What a run noted of itself so far; nothing before its shared work was ready."""
    try:
        return cast(Mapping[str, Any], json.loads((folder / MANIFEST).read_bytes()))
    except FileNotFoundError:
        return {}
    except ValueError as error:
        raise StoreError(f"{folder / MANIFEST} cannot be read: {error}: remove it, and resume the run") from error


def is_finished(folder: Path) -> bool:
    """Whether a run noted that nothing is left of it."""
    return bool(noted(folder).get("finished"))


def record_line(setup_id: str, record: Record, attempt: int = 1) -> dict[str, Any]:
    """A record as a row of records.jsonl."""
    return {"key": run_key(setup_id, record.question, record.repeat), "attempt": attempt, **to_dict(record)}


def _question(values: Mapping[str, Any]) -> Question:
    evidence = tuple(
        Evidence(each["kind"], each["label"], tuple(Place(**place) for place in each["places"])) for each in values["evidence"]
    )
    texts = {key: tuple(values[key]) for key in ("answers", "required_facts")}
    return Question(**{**values, **texts, "evidence": evidence})
