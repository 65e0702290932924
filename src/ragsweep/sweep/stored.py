"""`ragsweep store ls`, `ragsweep store check` and `ragsweep store prune`."""

import sys

from ragsweep.files import canonical_json
from ragsweep.places import store_folder
from ragsweep.store import Store


def list_store(configured: str | None = None) -> int:
    """Print one line an entry: kind, id, size, age and key; and what is wrong with it, if anything is."""
    root = store_folder(configured)
    entries = list(Store(root).entries())
    for entry in entries:
        key = entry.problem or canonical_json(entry.key)
        shown = key if len(key) <= 100 else key[:97] + "..."
        sys.stdout.write(f"{entry.kind:<10} {entry.id}  {entry.size:>12,} bytes  {entry.age / 3600:>7.1f} h  {shown}\n")
    sys.stdout.write(f"{len(entries)} entries, {sum(entry.size for entry in entries):,} bytes in {root}\n")
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
