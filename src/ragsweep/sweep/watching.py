"""How far the setups of a run are, counted on disk: the same for every launcher, Hydra's own and those on other machines."""

import json
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from threading import Event, Thread
from typing import Any

from ragsweep import files
from ragsweep.sweep.frozen import RECORDS
from ragsweep.sweep.progress import Stage, say

PAUSE = 1.0
"""Seconds between two looks: seldom enough to take no time from the questions that are measured in this process."""


class Counter:
    """Counts what is recorded from now on of the setups in ``left``: by folder, their names and how many questions they have
    left. Each byte of their files is read once. ``told`` are errors that were said before."""

    def __init__(self, left: Mapping[Path, tuple[str, int]], told: Collection[str] = ()) -> None:
        self._left, self._done = left, dict.fromkeys(left, 0)
        self._read = {path: path.stat().st_size for folder in left for path in files.claimed(folder / RECORDS)}
        self._told = [_line(error) for error in told]
        self._said: set[tuple[str, str]] = set()

    def count(self) -> tuple[int, int]:
        """(questions, setups) that are done. What failed for a reason that its setup had not yet is said."""
        for folder, (name, _) in self._left.items():
            for path in files.claimed(folder / RECORDS):
                lines = self._new(path)
                self._done[folder] += len(lines)
                for line in lines:
                    if b'"failed"' in line:
                        self._say(name, json.loads(line))
        done = [min(number, self._left[folder][1]) for folder, number in self._done.items()]
        return sum(done), sum(number == asked for number, (_, asked) in zip(done, self._left.values(), strict=True))

    def _new(self, path: Path) -> list[bytes]:
        """The whole lines that came to a file."""
        place = self._read.get(path, 0)
        with path.open("rb") as file:
            file.seek(place)
            lines = file.read().splitlines(keepends=True)
        whole = [line for line in lines if line.endswith(b"\n")]
        self._read[path] = place + sum(map(len, whole))
        return whole

    def _say(self, name: str, record: Mapping[str, Any]) -> None:
        error = _line(str(record.get("error")))
        if record.get("status") == "failed" and error not in self._told and (name, error) not in self._said:
            self._said.add((name, error))
            say(f"failed: {name}: {record['question'][:80]!r}: {error[:200]}")


def _line(error: str) -> str:
    return " ".join(error.split())


@contextmanager
def watching(left: Mapping[Path, tuple[str, int]], told: Collection[str] = ()) -> Iterator[None]:
    """Say while the body runs how many of the questions that setups have left are done, and what fails (see Counter)."""
    counter, ended = Counter(left, told), Event()
    with Stage("questions done", sum(number for _, number in left.values())) as stage:

        def look() -> None:
            done, setups = counter.count()
            stage.at(done, f", {setups:,} of {len(left):,} setup{'s' * (len(left) > 1)}")

        def keep_looking() -> None:
            while not ended.wait(PAUSE):
                look()

        look()
        thread = Thread(target=keep_looking, daemon=True)
        thread.start()
        try:
            yield
        finally:
            ended.set()
            thread.join()
            look()
