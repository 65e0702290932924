"""`ragsweep store ls`, `ragsweep store check` and `ragsweep store prune`."""

import sys
from collections.abc import Mapping
from typing import Any

from ragsweep.files import canonical_json
from ragsweep.places import store_folder
from ragsweep.reporting.escape import shortened, visible
from ragsweep.store import Store
from ragsweep.sweep.describe import count

WIDTH = 110
"""Characters of what an entry is that are shown."""


def list_store(configured: str | None = None) -> int:
    """Print one line an entry: kind, the begin of its id, size, age and what it is, or what is wrong with it; and the sum."""
    root = store_folder(configured)
    entries = list(Store(root).entries())
    for entry in entries:
        what = shortened(visible(entry.problem or what_it_is(entry.key or {})), WIDTH)
        sys.stdout.write(
            f"{entry.kind:<10} {entry.id[:8]}  {size_in_words(entry.size):>8}  {age_in_words(entry.age):>8}  {what}\n"
        )
    whole = size_in_words(sum(entry.size for entry in entries))
    sys.stdout.write(f"{len(entries):,} entr{'y' if len(entries) == 1 else 'ies'}, {whole}, in {root}\n")
    return 0


def check_store(configured: str | None = None) -> int:
    """Verify every entry and say what is damaged, which is put aside. The exit code: 1 when something is."""
    root = store_folder(configured)
    damaged: list[str] = []
    good = Store(root, warn=damaged.append).check()
    others = sum(entry.foreign for entry in Store(root).entries())
    sys.stdout.writelines(f"{said}\n" for said in damaged)
    foreign = f", {others} of other formats, which this release does not read" if others else ""
    sys.stdout.write(f"{good} entries are good, {len(damaged)} damaged{foreign}, in {root}\n")
    return 1 if damaged else 0


def prune_store(configured: str | None = None) -> int:
    """Remove what no run can use, and say how much that was."""
    root = store_folder(configured)
    number, size = Store(root).prune()
    sys.stdout.write(f"removed {number} of what no run can use, {size:,} bytes, from {root}\n")
    return 0


def what_it_is(key: Mapping[str, Any]) -> str:
    """The key of an entry for a person: the file, or the parts that it was made by with their settings.

    >>> what_it_is({"id": "hr.pdf", "bytes": "77df", "parser": "pypdf", "version": "4"})
    'hr.pdf, read by pypdf'
    >>> what_it_is({"documents": [["a.md", "f"]], "chunker": {"_target_": "x.Word", "version": 1, "chunk_size": 60}})
    '1 document by word chunk_size=60'
    """
    if "id" in key:
        return f"{key['id']}, read by {key.get('parser')}"
    documents = [count(len(key["documents"]), "document")] if "documents" in key else []
    parts = [_part(value) for value in key.values() if isinstance(value, Mapping) and "_target_" in value]
    return " by ".join([*documents, " with ".join(parts)]) if parts else canonical_json(key)


def _part(described: Mapping[str, Any]) -> str:
    """A part of a key: its class, and its settings; of a model its name alone, without digests."""
    values = {name: value for name, value in described.items() if name not in ("_target_", "version") and value is not None}
    shown = (f"{name}={str(value).split(' ')[0] if name == 'model' else value}" for name, value in values.items())
    return " ".join([described["_target_"].rpartition(".")[2].lower(), *shown])


def size_in_words(size: int) -> str:
    """Bytes in the largest unit of which there is one.

    >>> [size_in_words(size) for size in (0, 999, 4046, 1_352_211, 25_000_000_000)]
    ['0 B', '999 B', '4.0 kB', '1.4 MB', '25.0 GB']
    """
    if size < 1000:
        return f"{size} B"
    number, unit = next((size / 1000**power, unit) for power, unit in ((3, "GB"), (2, "MB"), (1, "kB")) if size >= 1000**power)
    return f"{number:,.1f} {unit}"


def age_in_words(seconds: float) -> str:
    """How long ago it was made.

    >>> [age_in_words(seconds) for seconds in (0, 59, 3599, 86_399, 86_400)]
    ['0 min', '0 min', '59 min', '23 h', '1 day']
    """
    if seconds < 3600:
        return f"{seconds // 60:.0f} min"
    return f"{seconds // 3600:.0f} h" if seconds < 86_400 else count(int(seconds // 86_400), "day")
