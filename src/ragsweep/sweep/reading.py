"""Files and questions, read and checked: each file parsed once, its text kept in the store."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property, partial
from hashlib import sha256
from typing import Any

from ragsweep import documents as reader
from ragsweep import files
from ragsweep import questions as labels
from ragsweep.errors import InputError, InputErrors, StoreError, nearest
from ragsweep.store import Store
from ragsweep.sweep.pool import workers
from ragsweep.sweep.progress import track
from ragsweep.sweep.wanted import Wanted
from ragsweep.types import Document, Question

DOCUMENT = "document.json"
PARALLEL_BYTES = 200_000
"""More than one process parses only when the files have more bytes than this in all."""


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
    if problems and wanted.sample:  # what could not be read may have named the files: nothing is said of the sample
        raise InputErrors(problems)
    corpus = _collect(problems, partial(read_documents, wanted, store))
    written = _collect(problems, partial(_load, wanted))
    if corpus is None or written is None:
        raise InputErrors([*problems, *(written.errors if written is not None else [])])
    resolved = _collect(problems, partial(labels.resolve, written, corpus.documents))
    if problems:
        raise InputErrors(problems)
    return corpus, *resolved


def read_documents(wanted: Wanted, store: Store) -> Corpus:
    """Every file that is meant, but those that cannot be read where ``on_bad_file`` says to skip them.

    Raises InputErrors naming each that cannot be read, also when none can.
    """
    if wanted.files is None:
        raise InputErrors(["dataset.files: write which files to read: dataset.files=docs, or --files docs"])
    selection = reader.find(wanted.files, wanted.base, wanted.root)
    problems = _unknown_passwords(wanted.reading.passwords, [id for _, id in selection.files])
    bad: list[str] = []
    named = {}
    for path, id in selection.files:
        parser = _collect(problems, partial(reader.parser_for, id, wanted.reading))
        data = _collect(bad, partial(reader.read_bytes, path, id, wanted.reading.limits))
        if parser is not None and data is not None:
            named[id] = _File(data, parser.apart, _key(data, id, parser))
    parsed = _parse(named, store, wanted, bad)
    skipped = [id for _, id in selection.files if id not in parsed]
    if problems or (skipped and (wanted.on_bad_file == "error" or not parsed)):
        raise InputErrors([*problems, *bad])
    count = [f"{len(skipped)} of {len(selection.files)} files skipped: {', '.join(map(repr, skipped))}"] if skipped else []
    documents = {id: parsed[id] for id in named if id in parsed}
    remarks = (notice for document in documents.values() for notice in document.notices)
    notices = [*selection.notices, *count, *bad, *remarks, *_equal_texts(documents)]
    return Corpus(documents, {id: named[id].key for id in documents}, notices)


def _equal_texts(documents: Mapping[str, Document]) -> list[str]:
    """A notice: with equal copies dropped, only the first of them can be found, and a label on another is missed."""
    by_text: dict[str, list[str]] = {}
    for document in documents.values():
        by_text.setdefault(document.text, []).append(document.id)
    equal = [ids for ids in by_text.values() if len(ids) > 1]
    shown = "; ".join(" = ".join(ids[:4]) for ids in equal[:3]) + (f"; and {len(equal) - 3} more" if len(equal) > 3 else "")
    return [f"documents of equal text: {shown}: label the first, of equal copies dedupe keeps that"] if equal else []


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


@dataclass(frozen=True)
class _File:
    data: bytes
    apart: bool
    key: Mapping[str, Any]


def _parse(named: Mapping[str, _File], store: Store, wanted: Wanted, bad: list[str]) -> dict[str, Document]:
    """The documents by id. Those that are parsed apart are stored at once, also by a command that then finds a mistake."""
    parsed: dict[str, Document] = {}
    missing = []
    for id, file in named.items():
        if not file.apart:
            document = _collect(bad, partial(reader.parse, file.data, id, wanted.reading))
            parsed |= {id: document} if document else {}
        elif store.sound("documents", file.key):
            parsed[id] = stored_document(store, file.key)
        else:
            missing.append((file.data, id))
    n_jobs = workers(wanted.n_jobs) if sum(len(data) for data, _ in missing) > PARALLEL_BYTES else 1
    reading = reader.parse_apart(sorted(missing, key=lambda file: -len(file[0])), wanted.reading, n_jobs)
    for id, result in track(reading, "files read", len(missing), brief=True):
        if isinstance(result, Document):
            parsed[id] = result
            keep_document(store, named[id].key, result)
        else:
            bad.append(str(result))
    bad.sort()
    return parsed


def _key(data: bytes, id: str, parser: reader.Parser) -> Mapping[str, Any]:
    return {"id": id, "bytes": sha256(data).hexdigest(), "parser": parser.name, "version": parser.version}


def _unknown_passwords(passwords: Sequence[str] | Mapping[str, str], ids: Sequence[str]) -> list[str]:
    unknown = sorted(set(passwords) - set(ids)) if isinstance(passwords, Mapping) else []
    return [f"dataset.passwords: there is no file {id!r}; {nearest(id, ids)}" for id in unknown]


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
