"""The plan: every check, every distinct thing, and the frozen setups, before any work."""

import logging
import os
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from ragsweep import files
from ragsweep.documents import PdfReader
from ragsweep.errors import InputErrors, StoreError, nearest
from ragsweep.questions import few_questions, unknown_keys
from ragsweep.reporting.columns import OF_JUDGE
from ragsweep.reporting.gate import without_answers, without_judge, without_prices, without_questions
from ragsweep.reporting.naming import name as name_of
from ragsweep.setups import Setup
from ragsweep.store import Store
from ragsweep.sweep.chunking import Chunking, cut
from ragsweep.sweep.limit import limit_notices, limited
from ragsweep.sweep.naming import asked_of, chunker_id, chunking_names, options_of
from ragsweep.sweep.notices import (
    chunk_label_notices,
    chunking_notices,
    context_notices,
    room_notices,
    script_notices,
    unused_notices,
)
from ragsweep.sweep.pool import workers
from ragsweep.sweep.reading import Corpus, read_corpora
from ragsweep.sweep.run_settings import RunSettings
from ragsweep.sweep.servers import one_name_for_several, ready
from ragsweep.sweep.units import by_unit, unit_notices, with_unit
from ragsweep.sweep.wanted import Row, Wanted
from ragsweep.types import Document, Question

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Planned:
    """One setup: its id, name, options, the names of its reading and chunking ("": nothing is cut), and the combinations that
    it stands for too.

    ``error`` says why it cannot run; it keeps its row. ``folder`` is its place in the run folder.
    """

    id: str
    name: str
    options: Mapping[str, Any]
    setup: Setup
    reading: str
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
    """A checked sweep. ``corpora`` are the distinct ones, by the name of their reading, and ``chunkings`` those that worked, by
    the name that reports give them. ``document_notices`` are among ``notices``. ``dataset`` says which files and questions, as
    an experiment does, with absolute paths. ``whole`` is the number of all questions when a limit left some out.
    ``n_jobs`` is the number of processes, which those of ``settings``, as written, may leave open."""

    experiment: str | None
    base: Path
    dataset: Mapping[str, Any]
    lead: str
    corpora: Mapping[str, Corpus]
    whole: int | None
    questions_file: Path | None
    as_written: bool
    setups: Sequence[Planned]
    axes: Mapping[str, Sequence[Any]]
    combinations: int
    notices: Sequence[str]
    document_notices: Sequence[str]
    label_notices: Sequence[str]
    settings: RunSettings
    n_jobs: int
    side_by_side: int
    launcher: Mapping[str, Any]
    store: Path
    chunkings: Mapping[str, Chunking]
    prices_file: Path | None

    def documents(self) -> Iterator[tuple[Mapping[str, Any], Document]]:
        """The distinct documents of all corpora, with what each is stored under."""
        seen = set()
        for corpus in self.corpora.values():
            for id, key in corpus.stored.items():
                if (id, key["parser"]) not in seen:
                    seen.add((id, key["parser"]))
                    yield key, corpus.documents[id]

    @property
    def asked(self) -> list[str]:
        """The texts of all questions, in the order written: the same in every corpus, unlike their evidence."""
        return [question.text for question in self.any_corpus.questions]

    @property
    def any_corpus(self) -> Corpus:
        """One of the corpora, for what is the same in all: the files, and how many questions there are of what kind."""
        return next(iter(self.corpora.values()))


def make_plan(wanted: Wanted, store: Store, *, ask_servers: bool = True) -> Plan:
    """Read and check everything. Raises InputErrors with all mistakes in config, files and questions together.

    With ``ask_servers`` parts are as their servers make them, and without a key or a model there is no plan.
    """
    wanted = ready(wanted) if ask_servers else wanted
    settings = wanted.settings
    wrong = [] if "setup" in settings.gate else without_answers(settings.gate, [row.setup for row in wanted.rows])
    read = read_corpora(replace(wanted, problems=[*wanted.problems, *wrong]), store)
    if not wanted.rows:
        raise InputErrors(["there is nothing to run: every combination is impossible", *wanted.skipped])
    wanted = replace(wanted, rows=_on_distinct(wanted.rows, read.by_reading))
    corpora: dict[str, Corpus] = {row.reading: read.by_reading[row.reading] for row in wanted.rows}
    cuts, errors = _cut(wanted.rows, corpora, store)
    setups = _planned(wanted, corpora, errors)
    several = [name for name, count in Counter(setup.name for setup in setups).items() if count > 1]
    if several:
        raise InputErrors(f"setups: the name {name!r} is that of a setup of the grid too: write another" for name in several)
    working = [setup for setup in setups if setup.error is None]
    cut_setups = [setup for setup in working if setup.setup.chunker is not None]
    chunkings = {setup.chunking: cuts[setup.reading, chunker_id(setup.setup.chunker)] for setup in cut_setups}
    questions = next(iter(corpora.values())).questions
    problems = [*_gate_problems(settings, setups, questions), *unknown_keys(settings.by, questions)]
    if problems := [*problems, *one_name_for_several(wanted.rows)]:
        raise InputErrors(problems)
    unused_judge = settings.judge is not None and not any("generator" in setup.setup.needs for setup in working)
    unjudged = settings.judge is None and settings.sort in OF_JUDGE
    asked = limited(questions, settings.limit, settings.limit_seed)
    lost = chunk_label_notices(questions, chunkings)
    unlimited = {setup.chunking for setup in working if setup.setup.context_words is None}
    rooms = {(setup.chunking, setup.setup.context_words) for setup in setups if setup.setup.context_words is not None}
    return Plan(
        experiment=wanted.experiment,
        base=wanted.base,
        dataset=_dataset(wanted),
        lead=_lead(wanted),
        corpora={name: _asked_of(corpus, settings) for name, corpus in corpora.items()},
        whole=len(questions) if len(asked) < len(questions) else None,
        questions_file=wanted.base / wanted.questions if isinstance(wanted.questions, str) else None,
        as_written=wanted.as_written,
        setups=setups,
        axes={key: list(values) for key, values in wanted.axes.items()},
        combinations=len(wanted.rows),
        document_notices=read.notices,
        label_notices=[*read.label_notices, *filter(None, [few_questions(asked)])],
        notices=[
            *(f"left out: {reason}" for reason in wanted.skipped),
            *limit_notices(settings.limit, len(questions)),
            *read.notices,
            *lost,
            *unused_notices([setup.setup for setup in setups], wanted.written, settings.sort),
            *script_notices([setup.setup for setup in setups], next(iter(corpora.values())).documents),
            *unit_notices(by_unit(wanted.rows)),
            *chunking_notices(chunkings, unlimited),
            *(["judge: no setup answers, so there is nothing to judge"] if unused_judge else []),
            *([f"report.sort={settings.sort}: no judge is asked, so Recall decides"] if unjudged else []),
            *room_notices(questions, rooms, chunkings),
            *context_notices(questions, [setup.name for setup in working if setup.setup.chunker is None]),
        ],
        settings=settings.of_all(len(setups) * len(asked) * settings.repeats),
        n_jobs=workers(settings.n_jobs),
        side_by_side=min(wanted.side_by_side or workers(settings.n_jobs), len(setups)),
        launcher=wanted.launcher,
        store=store.root,
        chunkings=chunkings,
        prices_file=wanted.prices_file,
    )


def _asked_of(corpus: Corpus, settings: RunSettings) -> Corpus:
    """A corpus with the questions that the limit leaves."""
    asked = limited(corpus.questions, settings.limit, settings.limit_seed)
    return corpus if len(asked) == len(corpus.questions) else replace(corpus, questions=asked)


def _on_distinct(rows: Sequence[Row], corpora: Mapping[str, Corpus]) -> list[Row]:
    """The rows, each on the first of the readings that give the same texts as its own."""
    firsts: dict[tuple[tuple[str, str], ...], PdfReader] = {}
    for row in rows:
        firsts.setdefault(tuple(corpora[row.reading].keys), row.reading)
    return [replace(row, reading=firsts[tuple(corpora[row.reading].keys)]) for row in rows]


def _cut(
    rows: Sequence[Row], corpora: Mapping[str, Corpus], store: Store
) -> tuple[dict[tuple[str, str], Chunking], dict[tuple[str, str], str]]:
    """The chunks of each distinct chunker over each corpus; one that raises costs its own setups, not the sweep."""
    cuts: dict[tuple[str, str], Chunking] = {}
    errors: dict[tuple[str, str], str] = {}
    for row in rows:
        chunker = row.setup.chunker
        key = row.reading, chunker_id(chunker)
        if chunker is None or key in cuts or key in errors:
            continue
        corpus = corpora[row.reading]
        try:
            cuts[key] = cut(store, row.reading, corpus.keys, corpus.documents, chunker)
        except StoreError:
            raise
        except Exception as error:
            log.exception("chunker %s", key)
            errors[key] = f"{type(error).__name__}: {error}"
    return cuts, errors


def _planned(wanted: Wanted, corpora: Mapping[str, Corpus], errors: Mapping[tuple[str, str], str]) -> list[Planned]:
    """The distinct setups, in the order written; combinations that compute the same are folded into the first."""
    chunkings = chunking_names(wanted)
    units = by_unit(wanted.rows) if len(wanted.axes.get("chunker", ())) > 1 else {}
    by_id: dict[str, list[Row]] = {}
    for row in wanted.rows:
        by_id.setdefault(row.setup.id(corpora[row.reading].keys), []).append(row)
    setups = []
    for id, (first, *others) in by_id.items():
        options = options_of(first, wanted.axes, corpora[first.reading])
        cut = first.reading, chunker_id(first.setup.chunker)
        setups.append(
            Planned(
                id=id,
                name=first.name or name_of(with_unit(options) if units else options, wanted.axes),
                options=options,
                setup=first.setup,
                reading=first.reading,
                chunking=chunkings.get(cut, ""),
                beside=first.name is not None,
                folded=tuple(row.name or asked_of(row, first, wanted.axes) for row in others),
                error=errors.get(cut),
            )
        )
    return setups


def _gate_problems(settings: RunSettings, setups: Sequence[Planned], questions: Sequence[Question]) -> list[str]:
    """A setup that there is not, and metrics that have no value in the setups that the gate is for."""
    gate, named = settings.gate, {setup.name: setup.setup for setup in setups}
    if "setup" in gate and gate["setup"] not in named:
        return [f"gate.setup={gate['setup']!r}: there is no such setup; {nearest(gate['setup'], list(named))}"]
    judged = [named[gate["setup"]]] if "setup" in gate else list(named.values())
    return [
        *without_answers(gate, judged),
        *without_questions(gate, questions),
        *without_judge(gate, questions, is_asked=settings.judge is not None),
        *without_prices(gate, judged, settings.prices),
    ]


def _dataset(wanted: Wanted) -> dict[str, Any]:
    """``dataset`` of an experiment over the same files and questions, wherever its file lies."""

    def absolute(name: str) -> str:
        return os.path.abspath(wanted.base / name)  # noqa: PTH100 - without following links, as files are found

    reading, named = wanted.reading, wanted.files
    return {
        "files": [absolute(name) for name in named] if isinstance(named, list) else absolute(named or ""),
        "questions": absolute(wanted.questions) if isinstance(wanted.questions, str) else wanted.questions,
        "root": None if wanted.root is None else absolute(wanted.root),
        "on_bad_file": wanted.on_bad_file,
        "passwords": dict(reading.passwords) if isinstance(reading.passwords, Mapping) else list(reading.passwords),
        "limits": asdict(reading.limits),
    }


def _lead(wanted: Wanted) -> str:
    if wanted.sample:
        return "no experiment and no files were named: the sample experiment=policies, without its sweep"
    return f"experiment={wanted.experiment}" if wanted.experiment else "your files"
