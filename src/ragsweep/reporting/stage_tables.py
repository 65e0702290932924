"""The tables below the questions to look at: stages, where the evidence ended, the scorecard, scores by keys of questions."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from ragsweep.reporting.breakdown import breakdown
from ragsweep.reporting.escape import visible
from ragsweep.reporting.naming import cut_of, embedding_name
from ragsweep.reporting.scorecard import scorecard
from ragsweep.reporting.stages import ENDS, Stage, ends_in_words, ledger, stages
from ragsweep.results import End, Report, Result


@dataclass(frozen=True)
class StageTable:
    """The setups or chunkings at one stage, as plain text that is not escaped. ``note`` stands above it, or in its place."""

    title: str
    header: Sequence[str]
    rows: Sequence[Sequence[str]]
    note: str = ""


def stage_tables(report: Report, results: Sequence[Result]) -> list[StageTable]:
    """Those of a table with these ``results``, without any that has nothing to say."""
    found = [
        *(_stage(stage, results) for stage in stages(report)),
        _ledger(results),
        _stage(scorecard(report), results),
        *_by_keys(results),
    ]
    return [table for table in found if table.rows or table.note]


def shares(counts: Mapping[End, int], *, shown: bool = False) -> dict[End, str]:
    """Of all evidences, in per cent; only those over 0 as ``shown``."""
    found = {end: _share(count / (sum(counts.values()) or 1)) for end, count in counts.items()}
    return {end: share for end, share in found.items() if not shown or share != _share(0)}


def _share(share: float) -> str:
    return f"{share:.1%}"


def _stage(stage: Stage, results: Sequence[Result]) -> StageTable:
    """Its numbers that any of the setups has; no rows where there are none."""
    numbers = [
        number for number in stage.numbers if number.label and any(number.value(result) is not None for result in results)
    ]
    names = _row_names(stage, results)
    rows: dict[str, list[str]] = {}
    for result in results if numbers else ():
        if result.setup.id in names and not (result.setup.unknown and all(each.value(result) is None for each in numbers)):
            key, name = names[result.setup.id]
            rows.setdefault(key, [visible(name), *(number.show(result) for number in numbers)])
    header = {"setup": "setup", "chunking": "chunks", "embedding": "vectors"}[stage.rows]
    note = stage.note if numbers else stage.absent
    return StageTable(stage.title, [header, *(number.label or "" for number in numbers)], list(rows.values()), note)


def _row_names(stage: Stage, results: Sequence[Result]) -> dict[str, tuple[str, str]]:
    """For each setup that has a row the key of the row, which several may share, and its name."""
    if stage.rows == "setup":
        return {result.setup.id: (result.setup.id, result.setup.name) for result in results}
    setups = [result.setup for result in results]
    if stage.rows == "chunking":
        several = len({cut_of(setup) for setup in setups}) > 1
        named = {setup.id: f"{setup.chunking} + {cut_of(setup)}" if several else setup.chunking for setup in setups}
    else:
        setups = [setup for setup in setups if setup.embedding_score]
        differing = [key for key in ("top_k", "dedupe") if len({str(setup.options.get(key)) for setup in setups}) > 1]
        named = {setup.id: embedding_name(setup, differing) for setup in setups}
    return {id: (name, name) for id, name in named.items()}


def _ledger(results: Sequence[Result]) -> StageTable:
    """Where the required evidence ended, a row each setup and one for all, in per cent; no rows where none is required."""
    others = _ENDS_OF_OTHERS[results[0].setup.generates]
    shown = [end for end in ENDS if end not in others or ledger(results)[end]]
    counted = [(result.setup.name, ledger([result])) for result in results]
    if len(results) > 1:
        counted.append(("all (end-to-end)" if results[0].setup.generates else "all (retrieval)", ledger(results)))
    rows = [[visible(name), *(shares(count)[end] for end in shown)] for name, count in counted if sum(count.values())]
    words = ends_in_words(results)
    return StageTable("Where the required evidence ended", ["setup", *(words[end] for end in shown)], rows)


_ENDS_OF_OTHERS: Mapping[bool, Sequence[End]] = {True: ("found",), False: ("abstained", "not_cited", "cited")}
"""Ends that a setup with, or without, a generator does not have."""


def _by_keys(results: Sequence[Result]) -> Iterator[StageTable]:
    """A table for each key of questions, a row each setup and value: their names are one cell, by which rows are compared."""
    for key in results[0].by:
        groups = [group for group in breakdown(results) if group.key == key]
        numbers = [number for number in groups[0].numbers if any(number.value(group.result) is not None for group in groups)]
        rows = [
            [visible(f"{group.result.setup.name}: {group.name}"), *(number.show(group.result) for number in numbers)]
            for group in groups
        ]
        yield StageTable(f"By {visible(key)}", [f"setup: {visible(key)}", *(number.label or "" for number in numbers)], rows)
