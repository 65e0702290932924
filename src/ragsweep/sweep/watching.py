"""How far the setups of a run are, counted on disk: the same for every launcher, Hydra's own and those on other machines."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Event, Thread

from ragsweep.sweep.frozen import RECORDS
from ragsweep.sweep.progress import Stage

PAUSE = 1.0
"""Seconds between two looks: seldom enough to take no time from the questions that are measured in this process."""


class Counter:
    """Counts the records of setups, each byte of their files once."""

    def __init__(self, folders: Sequence[Path], questions: int) -> None:
        self._questions = questions
        self._read = dict.fromkeys((folder / RECORDS for folder in folders), (0, 0))

    def count(self) -> tuple[int, int]:
        """(questions, setups) that are done."""
        for path, (place, lines) in self._read.items():
            with suppress(OSError), path.open("rb") as file:  # a setup that has not begun has no file
                file.seek(place)
                new = file.read()
                self._read[path] = place + len(new), lines + new.count(b"\n")
        done = [min(lines, self._questions) for _, lines in self._read.values()]
        return sum(done), sum(count == self._questions for count in done)


@contextmanager
def watching(folders: Sequence[Path], questions: int) -> Iterator[None]:
    """Say while the body runs how many of ``questions`` (distinct texts) the setups of these folders have done."""
    counter, ended = Counter(folders, questions), Event()
    with Stage("questions done", len(folders) * questions) as stage:

        def look() -> None:
            done, setups = counter.count()
            stage.at(done, f", {setups:,} of {len(folders):,} setup{'s' * (len(folders) > 1)}")

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
