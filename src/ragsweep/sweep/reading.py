"""Files and questions, read and checked: each file parsed once by each parser, its text kept in the store."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property, partial
from hashlib import sha256
from itertools import takewhile
from pathlib import Path
from typing import Any, cast

from ragsweep import documents as reader
from ragsweep import files
from ragsweep import questions as labels
from ragsweep.errors import InputError, InputErrors, StoreError, nearest
from ragsweep.store import Store
from ragsweep.sweep.notices import said_once
from ragsweep.sweep.pool import workers
from ragsweep.sweep.progress import say, track
from ragsweep.sweep.wanted import Wanted
from ragsweep.types import Document, Question

DOCUMENT = "document.json"
LEAVE = "to leave out what cannot be read, and have it counted in every report: dataset.on_bad_file=skip"
PARALLEL_BYTES = 200_000
"""More than one process parses only when the files have more bytes than this in all."""


@dataclass(frozen=True)
class Corpus:
    """The documents of a sweep as one reading of its files has them, by id, in order of id; what their parsed texts are stored
    under; and the questions, with their evidence in these texts."""

    documents: Mapping[str, Document]
    stored: Mapping[str, Mapping[str, Any]]
    questions: Sequence[Question] = ()

    @cached_property
    def keys(self) -> list[tuple[str, str]]:
        """(id, digest of text, pages, headings and blocks) of each document: what a setup's identity says of them."""
        return [(document.id, _digest(document)) for document in self.documents.values()]

    @cached_property
    def parsers(self) -> frozenset[str]:
        """The names of the parsers that read it."""
        return frozenset(key["parser"] for key in self.stored.values())


@dataclass(frozen=True)
class Corpora:
    """A corpus for each reading, by its name: of the same files and questions. Notices about the files, and about labels."""

    by_reading: Mapping[str, Corpus]
    notices: Sequence[str]
    label_notices: Sequence[str] = ()


def read_corpora(wanted: Wanted, store: Store) -> Corpora:
    """The documents, and the questions with their evidence, of each reading.

    Raises InputErrors with every mistake: those found while composing, those in files and those in questions.
    """
    problems: list[str] = list(wanted.problems)
    if problems and wanted.sample:  # what could not be read may have named the files: nothing is said of the sample
        raise InputErrors(problems)
    read = _collect(problems, partial(read_documents, wanted, store))
    written = _collect(problems, partial(_load, wanted))
    if read is None or written is None:
        problems += written.errors if written is not None else []
        raise InputErrors([*problems[:-1], problems[-1] + _moved(wanted)])
    texts = [corpus.documents for corpus in read.by_reading.values()]
    resolved = _collect(problems, partial(labels.resolve, written, *texts))
    if problems:
        raise InputErrors(problems)
    found = dict(zip(read.by_reading, resolved, strict=True))
    corpora = {name: replace(corpus, questions=found[name][0]) for name, corpus in read.by_reading.items()}
    return Corpora(corpora, read.notices, said_once({name: notices for name, (_, notices) in found.items()}))


def read_documents(wanted: Wanted, store: Store) -> Corpora:
    """Every file that is meant, but those that some reading cannot read where ``on_bad_file`` says to skip them. No questions.

    Raises InputErrors naming each that cannot be read, also when none can.
    """
    if wanted.files is None:
        raise InputErrors(["dataset.files: write which files to read: dataset.files=docs, or --files docs"])
    selection = reader.find(wanted.files, wanted.base, wanted.root)
    problems = _unknown_passwords(wanted.reading.passwords, [id for _, id in selection.files])
    bad: dict[str, list[str]] = {name: [] for name in wanted.readings}
    named = _named(wanted, selection, problems, bad)
    parsed: dict[tuple[str, str], Document | str] = {}
    for name, settings in wanted.readings.items():
        new = [file for file in named[name] if file.parsed_as not in parsed]  # what no other reading has read alike
        parsed |= _parse(new, settings, store, wanted.settings.n_jobs)
        bad[name] += (said for file in named[name] if isinstance(said := parsed[file.parsed_as], str))
        bad[name].sort()
    read = [{file.id for file in of_one if isinstance(parsed[file.parsed_as], Document)} for of_one in named.values()]
    skipped = [id for _, id in selection.files if not all(id in of_one for of_one in read)]
    if problems or (skipped and (wanted.on_bad_file == "error" or len(skipped) == len(selection.files))):
        *others, last = [*problems, *said_once(bad)]
        raise InputErrors(
            [*others, f"{last}\n    {LEAVE}" if 1 < len(skipped) < len(selection.files) and any(bad.values()) else last]
        )
    corpora = {}
    for name, of_one in named.items():
        kept = {file.id: file for file in of_one if file.id not in skipped}  # the same files in every reading
        texts = ((id, parsed[file.parsed_as]) for id, file in kept.items())
        documents = {id: text for id, text in texts if isinstance(text, Document)}
        corpora[name] = Corpus(documents, {id: file.key for id, file in kept.items()})
    count = [f"{len(skipped)} of {len(selection.files)} files skipped, each named below"] if skipped else []
    remarks = {name: [*bad[name], *_remarks(corpus.documents)] for name, corpus in corpora.items()}
    return Corpora(corpora, [*selection.notices, *count, *said_once(remarks)])


def _remarks(documents: Mapping[str, Document]) -> list[str]:
    """What is to be said of documents, each and together."""
    return [*(notice for document in documents.values() for notice in document.notices), *_equal_texts(documents)]


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
        raise StoreError(
            f"the text of {key['id']!r} is no longer in the store {store.root}: ragsweep resume reads its file again, "
            "where that is as it was"
        )
    return reader.from_json(json.loads((folder / DOCUMENT).read_bytes()))


def read_removed(
    corpora: Mapping[str, Sequence[Mapping[str, Any]]], dataset: Mapping[str, Any], store: Store, n_jobs: int | None
) -> None:
    """Read again the files whose texts were removed from the store: by the name of each reading, what they were stored under.

    Raises StoreError naming a file that is gone, or is not what it was.
    """
    removed = {name: [key for key in keys if store.find("documents", key) is None] for name, keys in corpora.items()}
    if not any(removed.values()):
        return
    say(f"{sum(map(len, removed.values()))} texts were removed from the store: their files are read again")
    selection = reader.find(dataset["files"], Path("/"), dataset["root"])
    paths = {id: path for path, id in selection.files}
    for name, keys in removed.items():
        settings = reader.Settings(cast(reader.PdfReader, name), reader.Limits(**dataset["limits"]), dataset["passwords"])
        found = [_file(paths[key["id"]], key["id"], settings) for key in keys if key["id"] in paths]
        same = [file for file in found if file.key in keys]
        if others := sorted({key["id"] for key in keys} - {file.id for file in same}):
            raise StoreError(
                f"the text of {others[0]!r} is no longer in the store {store.root}, and its file is gone or not what it was: "
                "run the experiment again"
            )
        parsed = _parse(same, settings, store, n_jobs)
        for file in same:
            document = parsed[file.parsed_as]
            if isinstance(document, str):
                raise StoreError(document)
            keep_document(store, file.key, document)


def keep_document(store: Store, key: Mapping[str, Any], document: Document) -> None:
    """Store a document under ``key``, unless it is stored."""
    store.build("documents", key, lambda folder: files.write(folder / DOCUMENT, files.strict_json(reader.to_json(document))))


def _digest(document: Document) -> str:
    headings = [asdict(heading) for heading in document.headings]
    return files.digest([document.text, document.pages, headings, [asdict(block) for block in document.blocks]])


def _named(
    wanted: Wanted, selection: reader.Selection, problems: list[str], bad: Mapping[str, list[str]]
) -> dict[str, list["_File"]]:
    """The files of each reading, with their bytes and the parser that is to read them."""
    readings = wanted.readings
    named: dict[str, list[_File]] = {name: [] for name in readings}
    for path, id in selection.files:
        unreadable: list[str] = []
        data = _collect(unreadable, partial(reader.read_bytes, path, id, wanted.reading.limits))
        digest = sha256(data).hexdigest() if data is not None else ""
        for name, settings in readings.items():
            bad[name].extend(unreadable)
            parser = _collect(problems, partial(reader.parser_for, id, settings))
            if parser is not None and data is not None:
                named[name].append(_File(id, data, digest, parser))
    return named


def _file(path: Path, id: str, settings: reader.Settings) -> "_File":
    data = reader.read_bytes(path, id, settings.limits)
    return _File(id, data, sha256(data).hexdigest(), reader.parser_for(id, settings))


@dataclass(frozen=True)
class _File:
    id: str
    data: bytes
    sha256: str
    parser: reader.Parser

    @property
    def parsed_as(self) -> tuple[str, str]:
        """What tells its parsed text from others of the same files."""
        return self.id, self.parser.name

    @property
    def key(self) -> Mapping[str, Any]:
        """What its parsed text is stored under."""
        return {"id": self.id, "bytes": self.sha256, "parser": self.parser.name, "version": self.parser.version}


def _parse(
    new: Sequence[_File], settings: reader.Settings, store: Store, n_jobs: int | None
) -> dict[tuple[str, str], Document | str]:
    """The documents, or why there is none. Those that are parsed apart are stored at once, also by a command that then finds a
    mistake."""
    parsed: dict[tuple[str, str], Document | str] = {}
    missing: dict[str, _File] = {}
    for file in new:
        if not file.parser.quick and store.sound("documents", file.key):
            parsed[file.parsed_as] = stored_document(store, file.key)
        elif file.parser.apart:
            missing[file.id] = file
        else:
            why: list[str] = []
            parsed[file.parsed_as] = _collect(why, partial(reader.parse, file.data, file.id, settings)) or why[0]
    largest_first = sorted(((file.data, id) for id, file in missing.items()), key=lambda file: -len(file[0]))
    children = workers(n_jobs) if sum(len(data) for data, _ in largest_first) > PARALLEL_BYTES else 1
    reading = reader.parse_apart(largest_first, settings, children)
    for id, result in track(reading, "files read", len(missing), brief=True):
        file = missing[id]
        parsed[file.parsed_as] = result if isinstance(result, Document) else str(result)
        if isinstance(result, Document):
            keep_document(store, file.key, result)
    return parsed


def _unknown_passwords(passwords: Sequence[str] | Mapping[str, str], ids: Sequence[str]) -> list[str]:
    unknown = sorted(set(passwords) - set(ids)) if isinstance(passwords, Mapping) else []
    return [f"dataset.passwords: there is no file {id!r}; {nearest(id, ids)}" for id in unknown]


def _moved(wanted: Wanted) -> str:
    """A further line of a message: what to write where an experiment's files or questions are no longer there."""
    named = [wanted.files] if isinstance(wanted.files, str) else wanted.files or []
    named = [*named, *([wanted.questions] if isinstance(wanted.questions, str) else [])]
    folders = (takewhile(lambda part: not set(part) & set("*?["), Path(name).parts) for name in named)
    if wanted.experiment is None or wanted.sample or all((wanted.base / Path(*parts)).exists() for parts in folders):
        return ""
    instead = "dataset.files=PATH and dataset.questions=PATH, here or in its file"
    return f"\n    where the files or questions of experiment={wanted.experiment} moved, write their new place: {instead}"


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
