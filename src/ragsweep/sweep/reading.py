"""Files and questions, read and checked: each file parsed once, its text kept in the store."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property, partial
from hashlib import sha256
from pathlib import Path
from typing import Any

from ragsweep import documents as reader
from ragsweep import files
from ragsweep import questions as labels
from ragsweep.errors import InputError, InputErrors, StoreError
from ragsweep.store import Store
from ragsweep.sweep.pool import run_tasks, workers
from ragsweep.sweep.wanted import Wanted
from ragsweep.types import Document, Question

DOCUMENT = "document.json"
PARALLEL_BYTES = 200_000
"""Only files that are slow to parse are worth starting workers for: PDFs of more than this in all."""
SLOW = ".pdf"
"""Parsed texts of these are stored at once, also by a command that then finds a mistake; others when work begins."""


@dataclass(frozen=True)
class Corpus:
    """The documents of a sweep by id, in order of id, and what their parsed texts are stored under."""

    documents: Mapping[str, Document]
    stored: Mapping[str, Mapping[str, Any]]
    notices: Sequence[str]

    @cached_property
    def keys(self) -> list[tuple[str, str]]:
        """(id, digest of text, pages, headings and blocks) of each document: what a setup's identity says of them."""
        return [(document.id, _digest(document)) for document in self.documents.values()]


def read_corpus(wanted: Wanted, store: Store) -> tuple[Corpus, list[Question], list[str]]:
    """The documents, the questions with their evidence, and notices about labels.

    Raises InputErrors with every mistake: those found while composing, those in files and those in questions.
    """
    problems: list[str] = list(wanted.problems)
    corpus = _collect(problems, partial(read_documents, wanted, store))
    written = _collect(problems, partial(_load, wanted))
    if corpus is None or written is None:
        raise InputErrors([*problems, *(written.errors if written is not None else [])])
    resolved = _collect(problems, partial(labels.resolve, written, corpus.documents))
    if problems:
        raise InputErrors(problems)
    return corpus, *resolved


def read_documents(wanted: Wanted, store: Store) -> Corpus:
    """Every file that is meant. Raises InputErrors naming each that cannot be read."""
    if wanted.files is None:
        raise InputErrors(["dataset.files: write which files to read: dataset.files=docs, or --files docs"])
    selection = reader.find(wanted.files, wanted.base, wanted.root)
    problems: list[str] = []
    named = {}
    for path, id in selection.files:
        data = _collect(problems, partial(_bytes, path, id))
        if data is not None:
            named[id] = (data, _key(data, id))
    parsed = _parse(named, store, wanted, problems)
    if problems:
        raise InputErrors(problems)
    documents = {id: parsed[id] for id in named}
    notices = [*selection.notices, *(notice for document in documents.values() for notice in document.notices)]
    return Corpus(documents, {id: key for id, (_, key) in named.items()}, notices)


def stored_document(store: Store, key: Mapping[str, Any]) -> Document:
    """The document stored under ``key``. Raises StoreError when it is not there."""
    folder = store.find("documents", key)
    if folder is None:
        raise StoreError(f"the text of {key['id']!r} is no longer in the store {store.root}: run the experiment again")
    return reader.from_json(json.loads((folder / DOCUMENT).read_bytes()))


def keep_document(store: Store, key: Mapping[str, Any], document: Document) -> None:
    """Store a document under ``key``, unless it is stored."""
    store.build("documents", key, lambda folder: files.write(folder / DOCUMENT, files.strict_json(reader.to_json(document))))


def _digest(document: Document) -> str:
    headings = [asdict(heading) for heading in document.headings]
    return files.digest([document.text, document.pages, headings, [asdict(block) for block in document.blocks]])


def _parse(
    named: Mapping[str, tuple[bytes, Mapping[str, Any]]], store: Store, wanted: Wanted, problems: list[str]
) -> dict[str, Document]:
    slow = {id: key for id, (_, key) in named.items() if id.lower().endswith(SLOW)}
    parsed = {id: stored_document(store, key) for id, key in slow.items() if store.find("documents", key)}
    missing = [(data, id) for id, (data, _) in named.items() if id not in parsed]
    n_jobs = workers(wanted.n_jobs) if sum(len(data) for data, id in missing if id in slow) > PARALLEL_BYTES else 1
    for (_, id), result in run_tasks(_parse_one, sorted(missing, key=lambda task: -len(task[0])), n_jobs):
        if isinstance(result, Document):
            parsed[id] = result
            if id in slow:
                keep_document(store, slow[id], result)
        else:
            problems.append(result)
    return parsed


def _parse_one(data: bytes, id: str) -> Document | str:
    try:
        return reader.parse(data, id)
    except InputError as error:
        return str(error)


def _bytes(path: Path, id: str) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise InputError(f"{id!r} cannot be read: {error.strerror}") from None


def _key(data: bytes, id: str) -> Mapping[str, Any]:
    parser = reader.parser_for(id)
    return {"id": id, "bytes": sha256(data).hexdigest(), "parser": parser.name, "version": parser.version}


def _load(wanted: Wanted) -> Any:
    if wanted.questions is None:
        raise InputErrors(["dataset.questions: write where the questions are: dataset.questions=questions.json"])
    source = wanted.base / wanted.questions if isinstance(wanted.questions, str) else wanted.questions
    return labels.load(source)


def _collect(problems: list[str], call: Any) -> Any:
    """What ``call`` gives, or None when it raised, with its mistakes kept."""
    try:
        return call()
    except InputErrors as error:
        problems.extend(error.messages)
    except InputError as error:
        problems.append(str(error))
    return None
