"""What a plan needs of model servers before any work: their keys, and the digests of their models."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from ragsweep.errors import InputError, InputErrors, ServerError
from ragsweep.files import canonical_json
from ragsweep.judges.judging import Judge
from ragsweep.redaction import redact
from ragsweep.setups import GROUPS, Setup, describe, identity
from ragsweep.sweep.wanted import Row, Wanted


def asking(setup: Setup) -> dict[str, Any]:
    """The parts of a setup that ask a server, by group."""
    parts = {group: getattr(setup, group) for group in GROUPS}
    return {group: part for group, part in parts.items() if part is not None and "server" in part.needs}


class _Servers:
    """Each distinct part that asks a server, made ready once; ``problems`` are why some are not."""

    def __init__(self) -> None:
        self.problems: dict[str, None] = {}
        self._found: dict[str, Any] = {}

    def ready(self, setup: Setup) -> dict[str, tuple[Any, Any]]:
        """The parts of a setup that ask a server, by group: as they are, and as their server makes them."""
        return {group: (part, self.ready_one(group, part)) for group, part in asking(setup).items()}

    def ready_one(self, group: str, part: Any) -> Any:
        """A part of a group as its server makes it; as it was where that is not there."""
        key = canonical_json(describe(part))
        if key not in self._found:
            try:
                self._found[key] = part.ready()
            except (InputError, ServerError) as error:
                self.problems[f"{group}: {error}"] = None
                self._found[key] = part
        return self._found[key]


def ready(wanted: Wanted) -> Wanted:
    """``wanted`` with every part as its server makes it (``Asking.ready``); what cannot be is among its problems."""
    servers = _Servers()

    def row_of(row: Row) -> Row:
        made = {group: part for group, (_, part) in servers.ready(row.setup).items()}
        return replace(row, setup=replace(row.setup, **made)) if made else row

    rows = [row_of(row) for row in wanted.rows]
    settings = wanted.settings
    if settings.judge is not None:
        settings = replace(settings, judge=servers.ready_one("judge", settings.judge))
    return replace(wanted, rows=rows, settings=settings, problems=[*wanted.problems, *servers.problems])


def one_name_for_several(rows: Sequence[Row]) -> Iterator[str]:
    """What is wrong with combinations that differ in an address alone: one would stand for all, and the others not be asked."""
    addresses: dict[tuple[str, str], dict[str, None]] = {}
    for row in rows:
        for group, part in asking(row.setup).items():
            addresses.setdefault((group, part.model), {})[part.base_url] = None
    if all(len(urls) == 1 for urls in addresses.values()):
        return
    alike: dict[tuple[str, str], dict[str, Setup]] = {}
    for row in rows:
        where = canonical_json({group: part.base_url for group, part in asking(row.setup).items()})
        alike.setdefault((row.reading, row.setup.id(())), {})[where] = row.setup
    found = {
        (group, part.model)
        for same in alike.values()
        if len(same) > 1
        for setup in same.values()
        for group, part in asking(setup).items()
    }
    for group, model in sorted(found):
        if len(urls := addresses[group, model]) > 1:
            instead = "leave the name out" if group == "retriever" else "compare them in runs of their own (store.dir=...)"
            yield (
                f"{group}.base_url: {' and '.join(map(redact, urls))} have one name, {group}.model={model}, so they are one "
                f"setup, and only the first would be asked: write one of them, or {instead}"
            )


def still_ready(setups: Iterable[Setup], judge: Judge | None = None) -> None:
    """Raises InputErrors for a server of frozen setups, or of their judge, that is not ready, or that has another model by the
    same name now."""
    servers = _Servers()
    made = [each for setup in setups for each in servers.ready(setup).items()]
    if judge is not None:
        made.append(("judge", (judge, servers.ready_one("judge", judge))))
    changed = {
        f"{group}: {part.base_url} has another model as {part.model} than when the run began: run the experiment again"
        for group, (part, now) in made
        if identity(part) != identity(now)
    }
    if servers.problems or changed:
        raise InputErrors([*servers.problems, *sorted(changed)])
