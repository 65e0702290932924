"""One question of one setup, of a composed one or of one that a run froze: the answer, the trace of its steps, a verdict."""

import sys
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory

from ragsweep import files
from ragsweep.errors import InputError, ServerError, nearest, reason
from ragsweep.evaluation.ceiling import reachable
from ragsweep.evaluation.run import run
from ragsweep.evaluation.score import score
from ragsweep.evaluation.stages import Rules
from ragsweep.reporting.asked import Asked, answer_lines, as_json, traced_lines
from ragsweep.reporting.escape import visible
from ragsweep.store import Store
from ragsweep.sweep.chunking import cut
from ragsweep.sweep.clock import Clock
from ragsweep.sweep.describe import listed
from ragsweep.sweep.frozen import PLAN, SPARE, FrozenPlan, Job, freeze, is_reranked, thaw
from ragsweep.sweep.named import named, run_and_name
from ragsweep.sweep.opening import open_index, open_queries
from ragsweep.sweep.plan import make_plan
from ragsweep.sweep.pool import workers
from ragsweep.sweep.prepare import Needed, build_shared, keep_documents
from ragsweep.sweep.progress import say
from ragsweep.sweep.reading import Corpus
from ragsweep.sweep.resume import Left, todays_questions
from ragsweep.sweep.run import make_store, open_store
from ragsweep.sweep.servers import still_ready
from ragsweep.sweep.wanted import Wanted
from ragsweep.types import Question, Record

MOST_NAMES = 8
"""Ids of questions that one message lists."""


@dataclass(frozen=True)
class Ask:
    """What to ask: ``text``, or the labelled question ``id`` of the experiment. How to show what comes back."""

    text: str | None = None
    id: str | None = None
    trace: bool = False
    as_json: bool = False

    def of(self, questions: Mapping[str, Question]) -> Question:
        """The question that is meant."""
        if self.id is None:
            return Question("asked", self.text or "", (), answerable=False)
        if self.id not in questions:
            raise InputError(
                f"--question-id {self.id}: there is no such question; {nearest(self.id, list(questions), MOST_NAMES)}"
            )
        return questions[self.id]


def ask(wanted: Wanted, asking: Ask) -> int:
    """Ask the one setup of ``wanted``. Returns the exit code."""
    if asking.id is None:
        if not (asking.text or "").strip():
            raise InputError("the question is empty: write what to search for")
        wanted = replace(wanted, questions=[{"id": "asked", "question": asking.text, "answerable": False}])
    store = make_store(wanted)
    plan = make_plan(wanted.set(limit=None, repeats=1, gate={}, by=()), store)
    if len(plan.setups) > 1:
        raise InputError(
            f"ask takes one setup, and these are {len(plan.setups)} ({listed([each.name for each in plan.setups])}): write one "
            "value for each key, or --setup RUN_DIR:NAME for a setup of a run"
        )
    (planned,) = plan.setups
    corpus = plan.corpora[planned.reading]
    question = asking.of({each.id: each for each in corpus.questions})
    plan = replace(plan, corpora={planned.reading: replace(corpus, questions=[question])})
    say(f"asking {plan.lead}")
    keep_documents(plan, store)
    with TemporaryDirectory() as folder:  # nobody collects a single answer
        freeze(plan, Path(folder))
        frozen = thaw(Path(folder) / PLAN)
    return _show(_asked(frozen, plan, store, question, asking), asking)


def ask_run(setup: str, asking: Ask) -> int:
    """Ask a setup of a run as the run froze it, over the texts that it read, by today's labels. Returns the exit code.

    ``setup`` is written RUN_DIR:NAME; a part of a name will do where one setup has it.
    """
    folder, name = run_and_name(setup, "--setup ")
    frozen = thaw(folder / PLAN)
    if not frozen.jobs:
        raise InputError(f"--setup {folder}: nothing ran here: it holds recorded runs of other systems")
    job = named(folder, frozen.jobs, name, "--setup ")
    store = open_store(Path(frozen.content["store"]))
    store.keep_beside(folder / SPARE)
    question = _question_of(frozen, job, store, asking)
    still_ready([job.setup])
    corpus = frozen.corpora[job.reading]
    documents = dict(corpus.documents(store))
    chunker = job.setup.chunker if job.error is None else None
    needed = Left(
        [job],
        {job.chunking: cut(store, job.reading, corpus.keys, documents, chunker)} if chunker is not None else {},
        {job.reading: Corpus(documents, {file["id"]: file["stored"] for file in corpus.files}, [question])},
        [question.text],
        workers(None),
    )
    say(f"asking {job.name} of {folder}")
    one = replace(frozen, jobs=[job], corpora={job.reading: replace(corpus, questions=[question])})
    return _show(_asked(one, needed, store, question, asking), asking)


def _asked(frozen: FrozenPlan, needed: Needed, store: Store, question: Question, asking: Ask) -> Asked:
    """Ask the one setup of ``frozen`` its one question, once all that it needs is in the store."""
    (job,) = frozen.jobs
    documents = needed.corpora[job.reading].documents
    why = build_shared(needed, store, Clock()).unprepared.get(job.id)
    error = reason(ServerError(why)) if why is not None else job.error
    records: list[Record] = []
    if error is not None:
        records.append(Record(question.text, 0, "failed", error=error))
    else:
        vectors = {each: open_queries(frozen, job, each) for each in job.setup.query_embedders}
        run(job.setup, open_index(frozen, job), [(question.text, 0)], vectors, records.append)
    if asking.id is None:
        return Asked(job.name, question, records[0], documents)
    setup, rule = job.setup, frozen.settings.evidence_match
    rules = Rules(context_words=setup.context_words, generates="generator" in setup.needs)
    if job.chunking in needed.chunkings:
        chunks = needed.chunkings[job.chunking].chunks
        rules = replace(rules, reachable=reachable(chunks, documents, setup.top_n, rule, setup.context_words))
    scored = score(records[0], question, documents, setup.top_k, setup.top_n, rule, rules)
    return Asked(job.name, question, records[0], documents, scored, is_reranked(job))


def _show(asked: Asked, asking: Ask) -> int:
    if asking.as_json:
        sys.stdout.write(files.strict_json(as_json(asked), indent=2).decode() + "\n")
    else:
        if asking.id is not None:
            say(f"{visible(asked.question.id)}: {visible(asked.question.text)}")
        lines = traced_lines(asked) if asking.trace else answer_lines(asked)
        sys.stdout.writelines(f"{line}\n" for line in lines)
    return 1 if asked.record.status == "failed" else 0


# ---- a setup of a run --------------------------------------------------------------------------------------------------


def _question_of(frozen: FrozenPlan, job: Job, store: Store, asking: Ask) -> Question:
    """A labelled question as its file has it today, or as the run had it where there is no such file."""
    if asking.id is None:
        return asking.of({})
    documents = {name: dict(corpus.documents(store)) for name, corpus in frozen.corpora.items()}
    today = todays_questions(frozen, documents)
    questions = today[job.reading][0] if today is not None else frozen.corpora[job.reading].questions
    return asking.of({each.id: each for each in questions})
