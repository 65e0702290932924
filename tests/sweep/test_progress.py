"""What is said of work as it goes on: never more than a handful of lines a stage, counted on disk for every launcher."""

import json
import threading
from pathlib import Path

import pytest

from ragsweep.reporting.escape import folded
from ragsweep.sweep import progress
from ragsweep.sweep.frozen import RECORDS
from ragsweep.sweep.progress import Stage, track
from ragsweep.sweep.watching import Counter, watching


class Clock:
    """Seconds that pass only when a test says so."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    made = Clock()
    monkeypatch.setattr(progress, "monotonic", made)
    return made


@pytest.mark.parametrize(
    ("seconds", "lines"),
    [
        (0.001, ["texts: 1,000 of 1,000 in 1.0 s"]),
        (0.03, ["texts: 500 of 1,000", "texts: 1,000 of 1,000 in 30 s"]),  # 7.5 s at a quarter are no time
        (60, ["texts: 250 of 1,000", "texts: 500 of 1,000", "texts: 750 of 1,000", "texts: 1,000 of 1,000 in 1000 min 0 s"]),
    ],
)
def test_off_a_terminal_a_long_stage_says_its_quarters_and_every_stage_its_end(clock, capsys, seconds, lines):
    def items():
        for item in range(1000):
            clock.now += seconds
            yield item

    assert list(track(items(), "texts", 1000)) == list(range(1000))
    assert capsys.readouterr().err.splitlines() == lines


@pytest.mark.parametrize(("total", "seconds", "lines"), [(0, 0, 0), (4, 1, 0), (4, 11, 4)])
def test_a_brief_stage_is_silent_until_it_takes_long_and_nothing_to_do_is_no_stage(clock, capsys, total, seconds, lines):
    def items():
        for item in range(total):
            clock.now += seconds
            yield item

    list(track(items(), "files read", total, brief=True))
    assert len(capsys.readouterr().err.splitlines()) == lines


def test_batches_count_as_their_texts_and_a_stage_that_breaks_says_how_far_it_came(clock, capsys):
    def batches():
        yield "abc"
        yield "de"
        raise OSError("full")

    with pytest.raises(OSError, match="full"):
        list(track(batches(), "texts", 9, size=len))
    assert capsys.readouterr().err == "texts: 5 of 9 in 0.0 s\n"


def test_records_are_counted_as_they_grow_whole_lines_only_and_none_twice(tmp_path: Path) -> None:
    folders = [tmp_path / name for name in ("a", "b", "never begun")]
    counter = Counter({folder: (folder.name, 2) for folder in folders})
    assert counter.count() == (0, 0)
    folders[0].mkdir()
    (folders[0] / RECORDS).write_bytes(b'{"a": 1}\n{"torn')
    assert counter.count() == (1, 0)
    (folders[0] / RECORDS).write_bytes(b'{"a": 1}\n{"torn": 2}\n')
    folders[1].mkdir()
    (folders[1] / RECORDS).write_bytes(b"1\n2\n3\n")  # never more than there are questions
    assert counter.count() == counter.count() == (4, 2)


def test_what_earlier_attempts_recorded_is_not_counted_and_each_file_of_a_new_one_is(tmp_path: Path) -> None:
    (tmp_path / RECORDS).write_bytes(b"1\n2\n")
    counter = Counter({tmp_path: ("word", 3)})
    (tmp_path / "records.2.jsonl").write_bytes(b"3\n")
    (tmp_path / "records.3.jsonl").write_bytes(b"4\n")
    assert counter.count() == (2, 0)


def test_a_failure_is_said_when_it_happens_once_for_each_reason_of_a_setup(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    counter = Counter({tmp_path: ("word", 9)})
    rows = [
        {"question": "Why?", "status": status, "error": error}
        for status, error in [
            ("answered", None),
            ("failed", "E: a\nb"),
            ("failed", "E: a\nb"),
            ("failed", "F: c"),
            ("failed", "E"),
        ]
    ]
    (tmp_path / RECORDS).write_text("".join(json.dumps(row) + "\n" for row in rows[:4]) + json.dumps(rows[4]))
    counter.count()
    counter.count()
    assert capsys.readouterr().err == "failed: word: 'Why?': E: a b\nfailed: word: 'Why?': F: c\n"


def test_setups_are_watched_while_they_run_and_counted_at_the_end_also_of_a_launcher_that_stops(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    seen = threading.Event()
    at = Stage.at

    def noticed(stage: Stage, done: int, more: str = "") -> None:
        at(stage, done, more)
        if done:
            seen.set()

    others = threading.active_count()
    monkeypatch.setattr("ragsweep.sweep.watching.PAUSE", 0.01)
    monkeypatch.setattr(Stage, "at", noticed)
    with pytest.raises(RuntimeError), watching({tmp_path / name: (name, 2) for name in "ab"}):
        (tmp_path / "a").mkdir()
        (tmp_path / "a" / RECORDS).write_bytes(b"1\n")
        assert seen.wait(60), "nobody looked"
        (tmp_path / "a" / RECORDS).write_bytes(b"1\n2\n")
        raise RuntimeError
    assert capsys.readouterr().err.startswith("questions done: 2 of 4, 1 of 2 setups in ")
    assert threading.active_count() == others


@pytest.mark.parametrize(
    ("line", "width", "lines"),
    [
        ("  notice: a b c", None, ["  notice: a b c"]),
        ("  notice: a b c", 15, ["  notice: a b c"]),
        ("  notice: a b c", 14, ["  notice: a b", "    c"]),
        ('q: write {"quote": "a b"}, then', 12, ["q: write", '  {"quote": "a b"},', "  then"]),
        ("report: /a-long/path-that/stays-whole", 12, ["report:", "  /a-long/path-that/stays-whole"]),
    ],
)
def test_lines_are_folded_between_words_under_their_begin(line, width, lines):
    assert folded(line, width).split("\n") == lines
