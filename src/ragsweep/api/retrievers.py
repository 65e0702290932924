"""Retrievers that are not of ragsweep, scored by its rules: any object with ``search(question, k)``."""

import logging
from collections.abc import Iterable, Mapping
from dataclasses import replace
from itertools import islice
from time import perf_counter
from typing import Any, Protocol

from ragsweep.api.evaluation import Evaluation, evaluations, row
from ragsweep.api.hits import ByDocuments, ByLabels, is_whole, told
from ragsweep.config.settings import Files, Questions, Settings, wanted
from ragsweep.contexts.reading import Context
from ragsweep.errors import InputError, InputErrors, reason
from ragsweep.evaluation.result import result
from ragsweep.evaluation.score import score
from ragsweep.evaluation.stages import Rules
from ragsweep.evaluation.unknown import known
from ragsweep.questions import few_questions, load
from ragsweep.redaction import redact
from ragsweep.results import Description, Report, Result, Usage
from ragsweep.sweep.collect import has_spans
from ragsweep.sweep.progress import QUIET
from ragsweep.sweep.reading import read_corpora
from ragsweep.sweep.run import make_store
from ragsweep.sweep.wanted import Wanted
from ragsweep.types import Question, Record, Step

log = logging.getLogger(__name__)
SETTINGS = ("dataset", "pdf", "evidence_match", "store")
"""The settings that are of files and questions, whatever searches."""


class Retriever(Protocol):
    """Anything that searches. Hits are mappings or objects, best first, with ``source`` (the file) and, where known, ``text``,
    ``page_numbers`` (or one ``page``), ``start`` and ``end`` (characters of its text), ``chunk`` (its number in it) and
    ``score``."""

    def search(self, question: str, k: int) -> Iterable[Any]:
        """At most ``k`` hits; of more, the first ``k`` count."""


def evaluate_retriever(
    retriever: Retriever, questions: Questions, top_k: int = 5, *, files: Files | None = None, settings: Settings | None = None
) -> Evaluation:
    """``compare_retrievers`` of one retriever, called by the name of its class."""
    return compare_retrievers({type(retriever).__name__: retriever}, questions, top_k, files=files, settings=settings)[0]


def compare_retrievers(
    retrievers: Mapping[str, Retriever],
    questions: Questions,
    top_k: int = 5,
    *,
    files: Files | None = None,
    settings: Settings | None = None,
) -> list[Evaluation]:
    """Every retriever asked every question once, in order, and its first ``top_k`` hits scored. An Evaluation each, as given.

    With ``files`` evidence is looked up in the documents, and a hit is where its start and end, its text or its pages say, as
    in every other report (docs/python.md). Without them a file or page is found by a hit that names it, a quote by one whose
    text holds it, a span by one that covers it. ``settings`` may name ``evidence_match``, ``pdf``, ``dataset`` and ``store``.

    A search that raises is a failed question: a row with its error, and 0 in every mean. Raises InputErrors for mistakes in
    questions and files, and for hits of which nothing can be made: a score that is NaN, a page 0, a text that is none.
    """
    if not isinstance(retrievers, Mapping):
        raise InputErrors([f"retrievers: {type(retrievers).__name__} gives no names: write {{'mine': retriever}}"])
    given = settings or {}
    problems = [
        f"{key}: a retriever of your own has no such setting; write one of {', '.join(SETTINGS)}"
        for key in given
        if str(key).partition(".")[0] not in SETTINGS
    ]
    problems += [] if is_whole(top_k, 1) else [f"top_k={top_k!r}: write a whole number of 1 or more"]
    problems += [] if retrievers else ["retrievers: write at least one: {'mine': retriever}"]
    for name, each in retrievers.items():
        if not isinstance(name, str) or not name.strip():
            problems.append(f"retriever {name!r}: write its name as a text, as in {{'mine': retriever}}")
        if isinstance(each, type):
            problems.append(f"retriever {name!r}: {each.__name__} is a class: write an object of it, {each.__name__}(...)")
        elif not callable(getattr(each, "search", None)):
            problems.append(f"retriever {name!r}: {type(each).__name__} has no search(question, k)")
    token = QUIET.set(True)
    try:
        want = wanted(files if files is not None else (), questions, [], {} if problems else given)
        want = replace(want, problems=[*problems, *want.problems])
        asked, notices = _of_documents(want) if files is not None else (_of_labels(want), [])
    finally:
        QUIET.reset(token)
    report = Report(
        dataset="retrievers",
        questions=len(asked.questions),
        answerable=sum(question.answerable for question in asked.questions),
        fixed={"top_k": top_k},
        axes={},
        results=(),
        notices=[*notices, *filter(None, [few_questions(asked.questions)])],
        rule=want.settings.evidence_match if has_spans(asked.questions) else None,
    )
    return _compared(retrievers, asked, int(top_k), report)


def _of_documents(want: Wanted) -> tuple[ByDocuments, list[str]]:
    read = read_corpora(want, make_store(want))
    (corpus,) = read.by_reading.values()
    return ByDocuments(corpus.questions, corpus.documents), [*read.notices, *read.label_notices]


def _of_labels(want: Wanted) -> ByLabels:
    loaded = load(want.base / want.questions if isinstance(want.questions, str) else want.questions or [])
    if want.problems or loaded.errors:
        raise InputErrors([*want.problems, *loaded.errors])
    return ByLabels(loaded.drafts)


def _compared(
    retrievers: Mapping[str, Retriever], asked: ByDocuments | ByLabels, top_k: int, report: Report
) -> list[Evaluation]:
    """Ask and score; ``report`` says what is the same for all."""
    results: list[Result] = []
    rows: dict[str, list[dict[str, Any]]] = {}
    notices = list(report.notices)
    for name, retriever in retrievers.items():
        scores, rows[name] = [], []
        for number, question in enumerate(asked.questions):
            record, hits_told = _searched(retriever, question, top_k, f"retriever {name!r}, question {question.id!r}")
            labelled, documents, hits = asked.place(number, hits_told)
            record = replace(record, retrieved=tuple(hits), final=tuple(hits))
            scores.append(score(record, labelled, documents, top_k, top_k, report.rule or "union", Rules(generates=False)))
            rows[name].append({**row(scores[-1], record), "sources": [each.source for each in hits_told]})
        found = result(Description(name, name, {"top_k": top_k}, top_k, generates=False, chunking=""), scores)
        unknown = Usage(calls=0, input_tokens=None, output_tokens=None, cost=None)
        found = known(found, sorted(asked.unknown))  # words that nobody knows would read as few
        results.append(replace(found, steps=None, reranking=None, usage=unknown))  # what happens inside a search nobody tells
        notices += [f"{name}: hits {why}: {number}" for why, number in asked.counts.items()]
        asked.counts.clear()
        asked.unknown.clear()
    return evaluations(replace(report, results=results, notices=notices), rows)


def _searched(retriever: Retriever, question: Question, k: int, where: str) -> tuple[Record, list[Context]]:
    """What one search gave, and its wall time in seconds. What is our own mistake, or of its caller, is raised."""
    start = perf_counter()
    try:
        given = retriever.search(question.text, k)
        if not isinstance(given, Iterable) or isinstance(given, str | bytes | Mapping):
            raise InputError(f"{where}: search gave {type(given).__name__}: write a list of hits, best first")
        found = list(islice(given, k))
        seconds = perf_counter() - start
        hits = told(found, where)  # here, as an object may fetch what it tells when it is asked
    except (InputError, InputErrors):
        raise
    except Exception as error:
        log.exception("failed: %s", where)
        return Record(question.text, 0, "failed", error=redact(reason(error))), []
    step = Step("search", seconds, {"query": question.text, "top_k": k}, {"hits": len(hits)})
    return Record(question.text, 0, "searched", steps=(step,)), hits
