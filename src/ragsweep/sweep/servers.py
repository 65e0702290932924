"""What a plan needs of model servers before any work: their keys, and the digests of their models."""

from dataclasses import replace
from typing import Any

from ragsweep.errors import InputError, ServerError
from ragsweep.files import canonical_json
from ragsweep.setups import GROUPS, describe
from ragsweep.sweep.wanted import Row, Wanted


def ready(wanted: Wanted) -> Wanted:
    """``wanted`` with every part as its server makes it (``Asking.ready``); what cannot be is among its problems."""
    found: dict[str, Any] = {}
    problems: list[str] = []

    def of(group: str, part: Any) -> Any:
        key = canonical_json(describe(part))
        if key not in found:
            try:
                found[key] = part.ready()
            except (InputError, ServerError) as error:
                problems.append(f"{group}: {error}")
                found[key] = part
        return found[key]

    def row_of(row: Row) -> Row:
        parts = {group: getattr(row.setup, group) for group in GROUPS}
        asking = {group: of(group, part) for group, part in parts.items() if part is not None and "server" in part.needs}
        return replace(row, setup=replace(row.setup, **asking)) if asking else row

    rows = [row_of(row) for row in wanted.rows]
    return replace(wanted, rows=rows, problems=[*wanted.problems, *dict.fromkeys(problems)])
