"""A setup in Python: index files, ask, evaluate; and several setups over the same files and questions."""

import os
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from ragsweep.api.evaluation import Evaluation, evaluations, row
from ragsweep.api.hits import is_whole
from ragsweep.config.settings import Asked, Files, Questions, Settings, wanted
from ragsweep.contexts.outside import extended
from ragsweep.embedders.prefixes import as_queries
from ragsweep.embedders.queries import PreparedVectors
from ragsweep.errors import InputError, InputErrors, ServerError, WorkerError, nearest, reason
from ragsweep.evaluation.records import to_dict
from ragsweep.evaluation.result import REFUSALS
from ragsweep.evaluation.run import answer_one, queries
from ragsweep.forks import answer
from ragsweep.index import Index
from ragsweep.questions.labels import is_text
from ragsweep.questions.pages import page_numbers
from ragsweep.rag_types.search import Search
from ragsweep.redaction import redact
from ragsweep.setups import GROUPS, Setup
from ragsweep.sweep.clock import Clock
from ragsweep.sweep.collect import scored_run
from ragsweep.sweep.embedding import embed_queries
from ragsweep.sweep.frozen import PLAN, SPARE, FrozenPlan, freeze, thaw
from ragsweep.sweep.opening import open_index
from ragsweep.sweep.plan import Plan, make_plan
from ragsweep.sweep.prepare import build_shared, keep_documents
from ragsweep.sweep.progress import QUIET
from ragsweep.sweep.run import make_store, note
from ragsweep.sweep.wanted import Wanted
from ragsweep.types import Document, Hit, Record

NO_QUESTION = [{"id": "none", "question": "none", "answerable": False}]
"""What stands for questions where none is asked."""


@dataclass(frozen=True)
class _Opened:
    setup: Setup
    index: Index
    documents: Mapping[str, Document]


class RAG:
    """One setup, over files that are indexed once and kept in the store, as every command of ``ragsweep`` keeps them.

    ``settings`` are values by their names in YAML (docs/experiment-file.md): ``{"chunker": "paragraph", "chunk_size": 300,
    "retriever.k1": 1.2}``; a part with settings of its own may be nested. What is not given has the default of conf/. With
    ``progress`` long work says on stderr how far it is.

    Raises InputErrors with every mistake in the settings.
    """

    def __init__(self, rag_type: str | None = None, settings: Settings | None = None, *, progress: bool = False) -> None:
        if settings is not None and not isinstance(settings, Mapping):
            raise InputErrors([f"settings={settings!r}: write names and values, as in {{'chunker': 'paragraph'}}"])
        given = dict(settings or {})
        if rag_type is not None and given.setdefault("rag_type", rag_type) != rag_type:
            raise InputErrors([f"rag_type={rag_type!r} and settings['rag_type']={given['rag_type']!r}: write one of them"])
        if problems := wanted((), (), [Asked()], given).problems:
            raise InputErrors(problems)
        self._settings, self._progress = given, progress
        self._files: list[str] = []
        self._index: _Opened | None = None

    def index(self, files: Files) -> "RAG":
        """Read, cut, embed and index files, as far as the store does not hold that; returns this RAG.

        ``files`` is a file, folder or glob, or several of them, relative to the current directory. Raises InputErrors naming
        every file that cannot be read, ServerError when an embedder behind a server gives no vectors.
        """
        asked = wanted(files, NO_QUESTION, [Asked()], self._settings).set(limit=None, repeats=1, by=())
        named = [asked.files] if isinstance(asked.files, str) else asked.files or []
        self._index, self._files = None, [os.path.abspath(name) for name in named]  # noqa: PTH100 - as files are found
        with _prepared(asked, self._progress, asks=False) as frozen:
            (job,) = frozen.jobs
            if job.error is not None:
                raise WorkerError(job.error)
            if why := frozen.unprepared(job):
                raise ServerError(why)
            index = open_index(frozen, job)
            self._index = _Opened(job.setup, index, dict(index.documents))  # all read: the folder may hold some of them
        return self

    def ask(self, question: str) -> str:
        """The answer; a refusal is one too. Raises WorkerError when the question fails, InputError for rag_type=search."""
        ran = self.run(question)
        if ran["error"] is not None:
            raise WorkerError(ran["error"])
        if ran["answer"] is None and ran["status"] == "searched":
            raise InputError("rag_type=search gives no answer: run(question)['sources'] are the chunks that it found")
        return ran["answer"] or ""

    def run(self, question: str) -> dict[str, Any]:
        """What happened for a question, as JSON values.

        ``answer`` (None without an answer step), ``abstained``, ``sources`` (the chunks that the generator
        was given, best first: source, page_numbers, chunk, start, end, score, cited, text), ``log`` (each step with its name,
        seconds, inputs and outcome), ``seconds`` (service time), ``status`` and, where it failed, ``error``.
        """
        opened = self._opened()
        record = _answered(opened, opened.setup, question)
        happened, documents = to_dict(record), extended(opened.documents, record.outside)
        cited = record.answer.cited if record.answer else ()
        return {
            "answer": record.answer.text if record.answer else None,
            "abstained": record.status in REFUSALS,
            "sources": [{**_source(documents, hit), "cited": hit.chunk in cited} for hit in record.final],
            "log": happened["steps"],
            "seconds": record.seconds,
            "status": record.status,
            "error": happened.get("error"),
        }

    def search(self, question: str, k: int) -> list[dict[str, Any]]:
        """The best ``k`` chunks after reranking, best first, as ``run`` gives sources: a retriever for ``compare_retrievers``.

        Raises InputError for a ``k`` that is no whole number of 1 or more, WorkerError when the search fails.
        """
        opened = self._opened()
        if not is_whole(k, 1):
            raise InputError(f"k={k!r}: write a whole number of 1 or more")
        parts = {**{group: getattr(opened.setup, group) for group in GROUPS}, "rag_type": Search()}
        record = _answered(opened, Setup.of(parts, top_k=int(k), top_n=int(k), dedupe=opened.setup.dedupe), question)
        if record.error is not None:
            raise WorkerError(record.error)
        return [_source(extended(opened.documents, record.outside), hit) for hit in record.final]

    def evaluate(self, questions: Questions) -> Evaluation:
        """Every question asked and scored end to end, as ``ragsweep run`` does it, with the same numbers.

        ``questions`` is a .json or .jsonl file, or a list as ``load_questions`` gives it. A question that fails is a row with
        an error, and 0 in every mean. Raises InputErrors with all mistakes in files and questions.
        """
        self._opened()
        return _evaluated(wanted(self._files, questions, [Asked()], self._settings), self._progress)[0]

    def evaluate_retrieval(self, questions: Questions, top_k: int | None = None) -> Evaluation:
        """The same for search alone (rag_type=search), without an answer step.

        With ``top_k`` that many chunks are retrieved, reranked and scored; without, top_k and top_n are those of the settings.
        """
        cut = {"top_k": top_k, "top_n": top_k, "context_words": None} if top_k is not None else {}
        self._opened()
        asked = wanted(self._files, questions, [Asked({"rag_type": "search", **cut})], self._settings)
        return _evaluated(asked, self._progress)[0]

    def _opened(self) -> _Opened:
        if self._index is None:
            raise InputError("nothing is indexed yet: write rag.index(files) first")
        return self._index


def compare_setups(
    *,
    files: Files,
    questions: Questions,
    setups: Sequence[Mapping[str, Any]],
    settings: Settings | None = None,
    progress: bool = False,
) -> list[Evaluation]:
    """Every setup over the same files and questions; what they share is computed once. An Evaluation each, in the order given.

    A setup is ``{"name": ..., "rag_type": ..., "settings": {...}}``; ``settings`` beside them are for all. With
    ``{"n_jobs": 2}`` among these, two setups run side by side, in processes of their own. Raises InputErrors with all mistakes.
    """
    problems: list[str] = []
    asked = [_asked(place, setup, problems) for place, setup in enumerate(setups)]
    names = Counter(each.name for each in asked)
    problems += [f"setups: the name {name!r} is given twice: write another" for name, count in names.items() if count > 1]
    problems += [] if setups else ["setups: write at least one: {'name': 'pages', 'settings': {'chunker': 'page'}}"]
    want = wanted(files, questions, asked, settings or {})
    found = {each["name"]: each for each in _evaluated(replace(want, problems=[*problems, *want.problems]), progress)}
    return [found[each.name] for each in asked]


def _asked(place: int, setup: Mapping[str, Any], problems: list[str]) -> Asked:
    if not isinstance(setup, Mapping):
        problems.append(f"setups[{place}]={setup!r}: write {{'name': 'pages', 'settings': {{'chunker': 'page'}}}}")
        return Asked(name=f"[{place}]")
    known = ("name", "rag_type", "settings")
    problems += [f"setups[{place}].{key}: unknown key; {nearest(str(key), known)}" for key in setup if key not in known]
    name, own = setup.get("name"), setup.get("settings") or {}
    if not isinstance(name, str) or not name.strip():
        problems.append(f"setups[{place}]: write a name in it, as in {{'name': 'pages', 'settings': {{'chunker': 'page'}}}}")
    if not isinstance(own, Mapping):
        problems.append(f"setups[{place}].settings={own!r}: write keys and values, as in {{'chunker': 'page'}}")
    own = own if isinstance(own, Mapping) else {}
    return Asked(own, setup.get("rag_type"), name if isinstance(name, str) else f"[{place}]")


def _evaluated(asked: Wanted, progress: bool) -> list[Evaluation]:
    """Run and score every setup; one that computes what another does has its numbers, under its own name."""
    with _prepared(asked, progress) as frozen:
        with suppress(WorkerError):  # what is not on disk is a failed row
            answer(str(frozen.folder / PLAN), [job.id for job in frozen.jobs if job.error is None], asked.settings.n_jobs or 1)
        collected = scored_run(frozen.folder)
        rows, results = {}, []
        for job, result in zip(frozen.jobs, collected.report.results, strict=True):
            records = frozen.records(job)
            rows[job.id] = [row(score, records.get((score.question, score.repeat))) for score in collected.scores[job.id]]
            results += [replace(result, setup=replace(result.setup, name=name)) for name in (job.name, *job.folded)]
        return evaluations(replace(collected.report, results=results), rows)


@contextmanager
def _prepared(asked: Wanted, progress: bool, *, asks: bool = True) -> Iterator[FrozenPlan]:
    """A plan frozen in a folder that lasts as long, with all that it needs in the store."""
    token = QUIET.set(not progress)
    try:
        store = make_store(asked)
        plan = make_plan(asked, store)
        plan = plan if asks else _without_questions(plan)
        with TemporaryDirectory(prefix="ragsweep-") as folder:
            store.keep_beside(Path(folder) / SPARE)
            keep_documents(plan, store)
            freeze(plan, Path(folder))
            frozen = thaw(Path(folder) / PLAN)
            note(frozen, build_shared(plan, store, Clock()))
            yield frozen
    finally:
        QUIET.reset(token)


def _without_questions(plan: Plan) -> Plan:
    return replace(plan, corpora={name: replace(corpus, questions=[]) for name, corpus in plan.corpora.items()})


def _answered(opened: _Opened, setup: Setup, question: str) -> Record:
    """One question of a setup over an open index."""
    if not is_text(question):
        raise InputError(f"question={question!r}: write what to ask, as text")
    texts = queries(setup, [question])
    prepared = {}
    for embedder in setup.query_embedders:
        try:
            _, matrix, seconds, tokens = embed_queries(embedder, as_queries(texts, embedder))
        except ServerError as error:
            return Record(question, 0, "failed", error=redact(reason(error)))
        prepared[embedder] = PreparedVectors(texts, matrix, seconds.tolist(), embedder, tokens)
    return answer_one(setup, opened.index, question, 0, prepared)


def _source(documents: Mapping[str, Document], hit: Hit) -> dict[str, Any]:
    document = documents[hit.document]
    return {
        "source": hit.document,
        "page_numbers": page_numbers(document, hit.start, hit.end),
        "chunk": hit.number,
        "start": hit.start,
        "end": hit.end,
        "score": hit.score,
        "text": document.text[hit.start : hit.end],
    }
