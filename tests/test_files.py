import errno
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragsweep import files
from ragsweep.errors import StoreError

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)

HOLD = """
import sys
from pathlib import Path
from ragsweep import files
with files.lock(Path(sys.argv[1])):
    print("held", flush=True)
    sys.stdin.read()
"""


class FailingOs:
    """An os whose calls of one name fail."""

    def __init__(self, name: str, code: int) -> None:
        self.name, self.code = name, code

    def __getattr__(self, name):
        if name == self.name:
            return self.fail
        return getattr(os, name)

    def fail(self, *args, **options):
        raise OSError(self.code, os.strerror(self.code))


def test_canonical_json_is_that_of_equal_values():
    assert files.canonical_json({"b": [1, 2], "a": 1.0}) == files.canonical_json({"a": 1.0, "b": (1, 2)})
    assert files.digest({"a": 1}) != files.digest({"a": 1.0}) != files.digest({"a": "1.0"})


@pytest.mark.parametrize("number", [float("nan"), float("inf")])
def test_no_nan_is_ever_written(tmp_path, number):
    with pytest.raises(ValueError, match="not JSON compliant"):
        files.digest({"score": number})
    with pytest.raises(ValueError, match="not JSON compliant"):
        files.append_line(tmp_path / "rows", {"score": number})
    assert not (tmp_path / "rows").exists()


def test_sha256_of_a_file(tmp_path):
    (tmp_path / "abc").write_bytes(b"abc")
    assert files.sha256_file(tmp_path / "abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"


@pytest.mark.parametrize(
    "text",
    [
        "",
        ".",
        "..",
        "../../x",
        "con",
        "-rf",
        "a\\b",
        "a\nb",
        "tail.",
        "'\"",
        "年休",
        "cafe\u0301",
        "x" * 300,
        "\udcff",
        "a/" * 200,
        "NUL\0",
    ],
)
def test_a_slug_is_one_plain_name(text):
    name = files.slug(text)
    assert len(name) <= 80 + 1 + 12
    assert name.isascii()
    assert set(name) <= set("abcdefghijklmnopqrstuvwxyz0123456789=_.-")
    assert name[0] not in ".-"


def test_slugs_tell_texts_apart():
    texts = ["word", "Word", "wo rd", "wo-rd", "年", "休", "caf\u00e9", "cafe\u0301", *("x" * n for n in (80, 81, 300))]
    assert len({files.slug(text) for text in texts}) == len(texts)


def test_publish_replaces_the_whole_file_and_leaves_nothing_else(tmp_path):
    path = tmp_path / "new folder" / "plan.json"
    files.publish(path, b"a long first content")
    files.publish(path, b"second")
    assert path.read_bytes() == b"second"
    assert [part.name for part in path.parent.iterdir()] == ["plan.json"]


@pytest.mark.parametrize(("name", "code"), [("write", errno.ENOSPC), ("fsync", errno.EIO), ("replace", errno.EROFS)])
def test_publish_that_fails_keeps_the_old_file(tmp_path, monkeypatch, name, code):
    path = tmp_path / "plan.json"
    files.publish(path, b"old")
    monkeypatch.setattr(files, "os", FailingOs(name, code))
    with pytest.raises(OSError, match=os.strerror(code)):
        files.publish(path, b"new")
    assert [part.name for part in tmp_path.iterdir()] == ["plan.json"]
    assert path.read_bytes() == b"old"


def test_publish_folder_drops_ours_where_one_stands(tmp_path):
    for name in ("first", "second"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "file").write_text(name)
        files.publish_folder(tmp_path / name, tmp_path / "kind" / "id")
    assert (tmp_path / "kind" / "id" / "file").read_text() == "first"
    assert [part.name for part in tmp_path.iterdir()] == ["kind"]


def test_publish_folder_onto_a_file_is_an_error(tmp_path):
    (tmp_path / "ours").mkdir()
    (tmp_path / "target").write_text("a file")
    with pytest.raises(NotADirectoryError):
        files.publish_folder(tmp_path / "ours", tmp_path / "target")


@pytest.mark.parametrize(
    "array",
    [
        np.arange(6, dtype=np.float32).reshape(2, 3),
        np.zeros((0, 384), np.float32),
        np.arange(6).reshape(2, 3).T,
        np.array(["é", "bc"]),
        np.arange(12)[::2],
    ],
)
def test_an_array_comes_back(tmp_path, array):
    files.write_array(tmp_path / "a.npy", array)
    back = np.load(tmp_path / "a.npy", mmap_mode=None, allow_pickle=False)
    assert back.dtype == array.dtype
    assert np.array_equal(back, array)


def test_an_array_of_objects_is_refused(tmp_path):
    with pytest.raises(ValueError, match="objects"):
        files.write_array(tmp_path / "a.npy", np.array([{}, None]))


@settings(deadline=None)
@given(rows=st.lists(st.dictionaries(st.text(), JSON, max_size=3), max_size=4))
def test_lines_come_back_as_they_were(tmp_path_factory, rows):
    path = tmp_path_factory.mktemp("lines") / "records.jsonl"
    for row in rows:
        files.append_line(path, row)
    assert list(files.read_lines(path)) == rows


def test_lines_hold_text_as_it_is(tmp_path):
    row = {"text": "年休\u2028 \udcff"}
    files.append_line(tmp_path / "rows", row)
    assert (tmp_path / "rows").read_bytes() == '{"text": "年休\u2028 \\udcff"}\n'.encode()
    assert list(files.read_lines(tmp_path / "rows")) == [row]


@pytest.mark.parametrize("size", [40, 200_000])
def test_a_torn_tail_is_left_out_and_cut_off_by_the_next_writer(tmp_path, size):
    path = tmp_path / "rows"
    rows = [{"n": n, "text": "x" * size} for n in range(3)]
    for row in rows:
        files.append_line(path, row)
    whole = path.read_bytes()
    for cut in (1, 2, size // 2, len(whole) // 3 - 1):
        path.write_bytes(whole[:-cut])
        assert list(files.read_lines(path)) == rows[:2]
        files.append_line(path, {"n": 3})
        assert list(files.read_lines(path)) == [*rows[:2], {"n": 3}]
    path.write_bytes(b'{"n": 0')
    files.append_line(path, {"n": 3})
    assert list(files.read_lines(path)) == [{"n": 3}]


def test_a_full_disk_tears_no_line(tmp_path, monkeypatch):
    path = tmp_path / "rows"
    files.append_line(path, {"n": 0})
    short = FailingOs("write", errno.ENOSPC)
    short.fail = lambda file, data: os.write(file, data[:3])
    monkeypatch.setattr(files, "os", short)
    with pytest.raises(OSError, match=r"No space left on device.*rows"):
        files.append_line(path, {"n": 1})
    assert path.read_bytes() == b'{"n": 0}\n'


@pytest.mark.parametrize("line", [b"{]\n", b"[1]\n", b"\x80\x04K\x01.\n"])
def test_a_bad_line_in_the_middle_is_an_error_that_names_it(tmp_path, line):
    path = tmp_path / "rows"
    path.write_bytes(b'{"n": 0}\n' + line + b'{"n": 2}\n')
    with pytest.raises(StoreError, match="rows:2"):
        list(files.read_lines(path))


def test_no_file_is_no_row(tmp_path):
    assert list(files.read_lines(tmp_path / "none")) == []


def test_a_lock_says_who_holds_it_and_is_free_after_a_kill(tmp_path):
    path = tmp_path / "locks" / "one"
    holder = subprocess.Popen([sys.executable, "-c", HOLD, path], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    with holder:
        holder.stdout.readline()
        texts = []

        def waiting(text):
            texts.append(text)
            holder.send_signal(signal.SIGKILL)

        with files.lock(path, waiting):
            assert json.loads(path.read_text())["pid"] == os.getpid()
    assert len(texts) == 1
    assert f"process {holder.pid} on " in texts[0]
    assert "-c" in texts[0]
    assert path.exists()


@pytest.mark.parametrize("text", [b"", b"{", b"[]", b'{"pid": 1}', b"\x80\x04K\x01."])
def test_an_unreadable_holder_is_somebody(text):
    assert files._holder(text) == "waiting for another process"


def test_a_clock_set_back_gives_no_negative_age(monkeypatch):
    holder = files.strict_json({"pid": 1, "host": "h", "command": "c", "since": time.time()})
    monkeypatch.setattr(time, "time", lambda: 0.0)
    assert "for 0 s" in files._holder(holder)


HOLD_PLACE = """
import sys
from pathlib import Path
from ragsweep import files
with files.slot(Path(sys.argv[1]), 1):
    print("held", flush=True)
    sys.stdin.read()
"""


class Clock:
    """Sleeping takes no time: it moves the clock on, and does what ``when_asleep`` says."""

    def __init__(self, when_asleep=lambda: None):
        self.now, self.slept, self.when_asleep = 1000.0, [], when_asleep

    def monotonic(self):
        return self.now

    def sleep(self, seconds):
        self.slept.append(seconds)
        self.now += seconds
        self.when_asleep()


def test_a_place_is_free_again_after_its_process_was_killed(tmp_path):
    """Who waits for it looks again and again, and the kernel, not a file that is there, says whether it is free."""
    holder = subprocess.Popen([sys.executable, "-c", HOLD_PLACE, tmp_path], stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def end():
        if len(clock.slept) == 3:
            holder.send_signal(signal.SIGKILL)
            holder.wait()

    clock = Clock(end)
    with holder:
        holder.stdout.readline()
        with files.slot(tmp_path, 1, clock=clock):
            assert clock.slept == [files.POLL_SECONDS] * 3
    with files.slot(tmp_path, 1, clock=clock), files.slot(tmp_path, 2, clock=clock):
        assert len(clock.slept) == 3, "the second of two places is free"


def test_places_start_a_gap_apart(tmp_path):
    clock = Clock()
    for _ in range(3):
        with files.slot(tmp_path, 9, 5.0, clock):
            clock.now += 1.0  # work
    assert clock.slept == [4.0, 4.0]
    clock.now += 60
    with files.slot(tmp_path, 9, 5.0, clock):
        assert clock.slept == [4.0, 4.0, 0.0]


@pytest.mark.parametrize("last", [b"", b"torn", b"1e99", b"99999999.5"])
def test_a_start_that_cannot_be_is_never_waited_for_longer_than_a_gap(tmp_path, last):
    """After the machine started again its clock stands lower than the last start that was written down."""
    (tmp_path / "last").write_bytes(last)
    clock = Clock()
    with files.slot(tmp_path, 1, 5.0, clock):
        assert sum(clock.slept) in (0.0, 5.0)
    with files.slot(tmp_path, 1, 5.0, clock):
        assert clock.slept[-1] == 5.0


def test_without_flock_places_are_not_counted(tmp_path, monkeypatch):
    monkeypatch.setattr(files.fcntl, "flock", lambda file, how: (_ for _ in ()).throw(OSError(errno.ENOTSUP, "no flock")))
    with files.slot(tmp_path, 1), files.slot(tmp_path, 1):
        pass


def test_everything_is_utf8_in_an_ascii_locale(tmp_path):
    script = "from pathlib import Path; from ragsweep import files; p = Path('rows'); files.append_line(p, {'t': chr(0x5e74)})"
    environment = {**os.environ, "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    subprocess.run([sys.executable, "-c", script], cwd=tmp_path, env=environment, check=True)
    assert Path(tmp_path, "rows").read_bytes() == '{"t": "年"}\n'.encode()
