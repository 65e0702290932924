"""What the values of a combination are called in reports: options of setups, and names of chunkings."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any, cast

from ragsweep.files import canonical_json
from ragsweep.parts import Chunker
from ragsweep.reporting.naming import option as written
from ragsweep.setups import GROUPS, describe, field_name
from ragsweep.sweep.reading import Corpus
from ragsweep.sweep.units import by_unit, with_unit
from ragsweep.sweep.wanted import Row, Wanted

CHUNK_KEYS = ("chunk_size", "chunk_overlap", "length")
VALUES = (*CHUNK_KEYS, "top_k", "top_n", "context_words", "language", "dedupe")
"""Root values that reports show."""


def chunker_id(chunker: Chunker | None) -> str:
    """A chunker's canonical description, "" where nothing is cut."""
    return canonical_json(describe(chunker)) if chunker is not None else ""


def chunking_names(wanted: Wanted) -> dict[tuple[str, str], str]:
    """A name for each distinct chunker over each corpus: its option, its swept values and, of several, its reading; all its
    values where that is not enough."""
    names: dict[tuple[str, str], str] = {}
    axes = {key: values for key, values in wanted.axes.items() if key in CHUNK_KEYS or key.startswith("chunker.")}
    units = by_unit(wanted.rows)
    several = len({row.reading for row in wanted.rows}) > 1
    for row in wanted.rows:
        chunker = row.setup.chunker
        if chunker is None or (row.reading, chunker_id(chunker)) in names:
            continue
        values = with_unit(_values(row, axes)) if units else _values(row, axes)
        option = values["chunker"]
        read = [written("pdf", row.reading)] if several else []
        swept = [written(key, values[key]) for key in axes if key in values]
        name = " + ".join([option, *swept, *read])
        if name in names.values():
            name = " + ".join([option, *(f"{key}={value}" for key, value in asdict(cast(Any, chunker)).items()), *read])
        names[row.reading, chunker_id(chunker)] = name
    return names


def options_of(row: Row, axes: Mapping[str, Sequence[Any]], corpus: Corpus) -> dict[str, Any]:
    """The effective values of a setup over a corpus, and none for what its parts, or the files, do not use."""
    return {**_values(row, axes), **({"pdf": row.reading} if row.reading in corpus.parsers else {})}


def _values(row: Row, axes: Mapping[str, Sequence[Any]]) -> dict[str, Any]:
    setup = row.setup
    options: dict[str, Any] = {group: row.choices[group] for group in GROUPS if getattr(setup, group) is not None}
    asking = {group: getattr(setup, group) for group in options if "server" in getattr(setup, group).needs}
    options |= {f"{group}.model": part.model for group, part in asking.items()}
    owners = (setup, setup.chunker, setup.generator, setup.reranker, setup.retriever, getattr(setup.retriever, "bm25", None))
    for key in VALUES:
        values = [getattr(owner, key) for owner in owners if hasattr(owner, key)]
        if values:
            options[key] = "off" if key == "dedupe" and values[0] is None else values[0]
    if setup.context_words is not None:
        del options["top_n"]  # the words decide
    if setup.chunker is None:
        del options["dedupe"]  # contexts of another system are ranked as they came
    for key in axes:
        group, _, path = key.partition(".")
        if group in GROUPS and path:
            value = getattr(setup, group)
            for name in path.split("."):
                value = getattr(value, field_name(name), None)
            if path.startswith("prompts."):  # its text is long: a prompt is called as it was named
                options[key] = row.asked.get(key, "default")
            elif value is not None:
                options[key] = list(value) if isinstance(value, tuple) else value
    return options


def asked_of(row: Row, first: Row, axes: Mapping[str, Sequence[Any]]) -> str:
    """What a combination asks for that the first one of its setup does not; all of it beside one with a name."""
    keys = [key for key in axes if key in row.asked and (first.name or row.asked[key] != first.asked.get(key))]
    return " ".join(f"{key}={row.asked[key]}" for key in keys)
