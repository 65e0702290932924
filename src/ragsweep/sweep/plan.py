"""The plan: every check, every distinct thing, and the frozen setups, before any work."""

import logging
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, cast

from ragsweep import files
from ragsweep.errors import InputErrors
from ragsweep.index import Chunks, build_chunks
from ragsweep.reporting.naming import name as name_of
from ragsweep.reporting.naming import option as written
from ragsweep.setups import GROUPS, Setup, describe, field_name
from ragsweep.store import Store
from ragsweep.sweep.notices import chunk_label_notices, chunking_notices, mean_words, room_notices
from ragsweep.sweep.pool import workers
from ragsweep.sweep.reading import Corpus, read_corpus
from ragsweep.sweep.units import by_unit, unit_notices, with_unit
from ragsweep.sweep.wanted import Row, Wanted
from ragsweep.types import Chunker, Match, Question

log = logging.getLogger(__name__)
CHUNK_KEYS = ("chunk_size", "chunk_overlap", "length")
VALUES = (*CHUNK_KEYS, "top_k", "top_n", "context_words", "language", "dedupe")
DEFAULTS = {"length": "words", "dedupe": 1.0, "context_words": None, "language": "english"}
"""Root values that reports show; those with a default here only where they are swept or not the default."""


@dataclass(frozen=True)
class Planned:
    """One setup: its id, name, shown options, the name of its chunking, and the combinations that it stands for too.

    ``error`` says why it cannot run; it keeps its row. ``folder`` is its place in the run folder.
    """

    id: str
    name: str
    options: Mapping[str, Any]
    setup: Setup
    chunking: str
    beside: bool = False
    folded: tuple[str, ...] = ()
    error: str | None = None

    @property
    def folder(self) -> str:
        """A safe folder name."""
        return files.slug(self.name)


@dataclass(frozen=True)
class Plan:
    """A checked sweep. ``chunkings`` are the chunks of each distinct chunker that worked, by the name that reports
    give it, and ``chunk_words`` their mean number of words."""

    experiment: str | None
    base: Path
    lead: str
    corpus: Corpus
    questions: Sequence[Question]
    questions_file: Path | None
    as_written: bool
    setups: Sequence[Planned]
    axes: Mapping[str, Sequence[Any]]
    combinations: int
    notices: Sequence[str]
    label_notices: Sequence[str]
    n_jobs: int
    side_by_side: int
    store: Path
    sort: str | None
    match: Match
    chunkings: Mapping[str, Chunks]
    chunk_words: Mapping[str, float]


def chunker_id(chunker: Chunker) -> str:
    """A chunker's canonical description."""
    return files.canonical_json(describe(chunker))


def make_plan(wanted: Wanted, store: Store) -> Plan:
    """Read and check everything. Raises InputErrors with all mistakes in config, files and questions together."""
    corpus, questions, notices = read_corpus(wanted, store)
    if not wanted.rows:
        raise InputErrors(["there is nothing to run: every combination is impossible", *wanted.skipped])
    chunks, errors = _chunk(wanted.rows, corpus)
    setups = _planned(wanted, corpus, errors)
    several = [name for name, count in Counter(setup.name for setup in setups).items() if count > 1]
    if several:
        raise InputErrors(f"setups: the name {name!r} is that of a setup of the grid too: write another" for name in several)
    chunkings = {setup.chunking: chunks[chunker_id(setup.setup.chunker)] for setup in setups if setup.error is None}
    words = {name: mean_words(part, corpus.documents) for name, part in chunkings.items()}
    lost = chunk_label_notices(questions, chunkings)
    unlimited = [setup.chunking for setup in setups if setup.setup.context_words is None and setup.error is None]
    rooms = {(setup.chunking, setup.setup.context_words) for setup in setups if setup.setup.context_words is not None}
    return Plan(
        experiment=wanted.experiment,
        base=wanted.base,
        lead=_lead(wanted),
        corpus=corpus,
        questions=questions,
        questions_file=wanted.base / wanted.questions if isinstance(wanted.questions, str) else None,
        as_written=wanted.as_written,
        setups=setups,
        axes={key: list(values) for key, values in wanted.axes.items()},
        combinations=len(wanted.rows),
        label_notices=notices,
        notices=[
            *(f"left out: {reason}" for reason in wanted.skipped),
            *corpus.notices,
            *lost,
            *unit_notices(by_unit(wanted.rows)),
            *chunking_notices(chunkings, {name: words[name] for name in unlimited}),
            *room_notices(questions, rooms, words),
        ],
        n_jobs=workers(wanted.n_jobs),
        side_by_side=min(wanted.side_by_side or workers(wanted.n_jobs), len(setups)),
        store=store.root,
        sort=wanted.sort,
        match=wanted.match,
        chunkings=chunkings,
        chunk_words=words,
    )


def _chunk(rows: Sequence[Row], corpus: Corpus) -> tuple[dict[str, Chunks], dict[str, str]]:
    """The chunks of each distinct chunker; one that raises costs its own setups, not the sweep."""
    chunks: dict[str, Chunks] = {}
    errors: dict[str, str] = {}
    for row in rows:
        chunker = row.setup.chunker
        key = chunker_id(chunker)
        if key in chunks or key in errors:
            continue
        try:
            chunks[key] = build_chunks(corpus.documents.values(), chunker)
        except Exception as error:
            log.exception("chunker %s", key)
            errors[key] = f"{type(error).__name__}: {error}"
    return chunks, errors


def _planned(wanted: Wanted, corpus: Corpus, errors: Mapping[str, str]) -> list[Planned]:
    """The distinct setups, in the order written; combinations that compute the same are folded into the first."""
    chunkings = chunking_names(wanted)
    units = by_unit(wanted.rows) if len(wanted.axes.get("chunker", ())) > 1 else {}
    by_id: dict[str, list[Row]] = {}
    for row in wanted.rows:
        by_id.setdefault(row.setup.id(corpus.keys), []).append(row)
    setups = []
    for id, (first, *others) in by_id.items():
        options = shown(first, wanted.axes)
        setups.append(
            Planned(
                id=id,
                name=first.name or name_of(with_unit(options) if units else options, wanted.axes),
                options=options,
                setup=first.setup,
                chunking=chunkings[chunker_id(first.setup.chunker)],
                beside=first.name is not None,
                folded=tuple(row.name or _asked(row, wanted.axes) for row in others),
                error=errors.get(chunker_id(first.setup.chunker)),
            )
        )
    return setups


def chunking_names(wanted: Wanted) -> dict[str, str]:
    """A name for each distinct chunker: its option and its swept values; all its values where that is not enough."""
    names: dict[str, str] = {}
    axes = {key: values for key, values in wanted.axes.items() if key in CHUNK_KEYS or key.startswith("chunker.")}
    units = by_unit(wanted.rows)
    for row in wanted.rows:
        chunker = row.setup.chunker
        if chunker_id(chunker) in names:
            continue
        values = with_unit(shown(row, axes)) if units else shown(row, axes)
        option = values["chunker"]
        parts = [written(key.removeprefix("chunker."), values[key]) for key in axes if key in values]
        name = " + ".join([option, *parts])
        if name in names.values():
            name = " + ".join([option, *(f"{key}={value}" for key, value in asdict(cast(Any, chunker)).items())])
        names[chunker_id(chunker)] = name
    return names


def shown(row: Row, axes: Mapping[str, Sequence[Any]]) -> dict[str, Any]:
    """The values that reports show of a setup: effective ones, and none for what its parts do not use."""
    setup = row.setup
    options: dict[str, Any] = {group: row.choices[group] for group in GROUPS if getattr(setup, group) is not None}
    owners = (setup, setup.chunker, setup.generator, setup.reranker, setup.retriever, getattr(setup.retriever, "bm25", None))
    for key in VALUES:
        values = [getattr(owner, key) for owner in owners if hasattr(owner, key)]
        if values and (key in axes or key not in DEFAULTS or values[0] != DEFAULTS[key]):
            options[key] = "off" if key == "dedupe" and values[0] is None else values[0]
    if setup.context_words is not None:
        del options["top_n"]  # the words decide
    for key in axes:
        group, _, path = key.partition(".")
        if group in GROUPS and path:
            value = getattr(setup, group)
            for name in path.split("."):
                value = getattr(value, field_name(name), None)
            if value is not None:
                options[key] = list(value) if isinstance(value, tuple) else value
    return options


def _asked(row: Row, axes: Mapping[str, Sequence[Any]]) -> str:
    return " ".join(f"{key}={row.asked[key]}" for key in axes if key in row.asked)


def _lead(wanted: Wanted) -> str:
    if wanted.sample:
        return "no experiment and no files were named: the sample experiment=policies, without its sweep"
    return f"experiment={wanted.experiment}" if wanted.experiment else "your files"
