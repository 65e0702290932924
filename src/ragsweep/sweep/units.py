"""What chunk_size counts, where one sweep gives it several units."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ragsweep.sweep.wanted import Row

SHORT = {"words": "words", "characters": "ch", "tokens": "tokens", "tiktoken:cl100k_base": "cl100k tokens"}


def by_unit(rows: Iterable[Row]) -> Mapping[str, Sequence[str]]:
    """The chunkers by what their chunk_size counts, when one size has several units; else none.

    Default sizes differ by unit and so are no reason.
    """
    chunkers: dict[str, dict[str, None]] = {}
    units: dict[int, set[str]] = {}
    for row in rows:
        unit, size = getattr(row.setup.chunker, "length", None), getattr(row.setup.chunker, "chunk_size", None)
        if unit is not None and size is not None:
            chunkers.setdefault(unit, {})[row.choices["chunker"]] = None
            units.setdefault(size, set()).add(unit)
    several = any(len(of_size) > 1 for of_size in units.values())
    return {unit: list(names) for unit, names in chunkers.items()} if several else {}


def unit_notices(units: Mapping[str, Sequence[str]]) -> list[str]:
    """That chunk_size has several units, and which chunker counts in which."""
    said = "; ".join(f"{unit} ({', '.join(names)})" for unit, names in units.items())
    return [f"chunk_size counts several units: {said}"] if units else []


def with_unit(options: Mapping[str, Any]) -> Mapping[str, Any]:
    """The options of a setup as they are named: the chunker with its size and unit in one.

    >>> with_unit({"chunker": "character", "chunk_size": 200, "length": "characters", "top_k": 5})
    {'chunker': 'character 200 ch', 'top_k': 5}
    """
    if "chunk_size" not in options:
        return options
    named = f"{options['chunker']} {options['chunk_size']} {SHORT[options.get('length', 'words')]}"
    return {**{key: value for key, value in options.items() if key not in ("chunk_size", "length")}, "chunker": named}
