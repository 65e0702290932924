"""What failed, by reason: which questions of which setups, and the log that has the traceback."""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

TRACEBACK = re.compile(r"^Traceback \(most recent call last\):\n(?:(?!\d{4}-\d\d-\d\d ).*\n)+", re.MULTILINE)
REQUESTS = re.compile(r" \(\d+ requests\)$")
"""How often a call was tried (models.client): the same reason, whatever the number."""
LOG = "run.log"

Failures = Mapping[str, Mapping[tuple[str, Path], list[str]]]
"""By cause, then by (setup, its log): the ids of the questions."""


def cause(error: str) -> str:
    """The reason of a failed question without the number of requests that it took, which differs among those of one cause.

    >>> cause("ServerError: POST http://localhost/v1: no answer (ConnectError); is the server running? (5 requests)")
    'ServerError: POST http://localhost/v1: no answer (ConnectError); is the server running?'
    """
    return REQUESTS.sub("", error)


def failure_lines(failures: Failures, *, debug: bool) -> Iterator[str]:
    """A line for each cause and one for each of its setups; with ``debug`` the first traceback of each cause too."""
    for reason, setups in failures.items():
        number = sum(map(len, setups.values()))
        yield f"failed: {reason} ({number:,} question{'s' * (number > 1)})"
        for (name, log), ids in setups.items():
            yield f"  {name}: {_some(ids)}: {log}"
        for log in [log for _, log in setups][:1] if debug else ():
            yield from (f"    {line}" for line in _traceback(log, reason).splitlines())


def _traceback(log: Path, reason: str) -> str:
    """The traceback that ends with ``reason``; empty where the log has none, as of a process that was killed."""
    written = TRACEBACK.findall(log.read_text(encoding="utf-8", errors="replace")) if log.is_file() else []
    return next((each for each in written if reason.partition("\n")[0] in each), "")


def _some(ids: list[str]) -> str:
    return ", ".join(ids[:3]) + (f" and {len(ids) - 3} more" if len(ids) > 3 else "")
