import errno
import os
import pickle
import signal
import subprocess
import sys
import time
from collections import Counter
from contextlib import closing
from pathlib import Path
from threading import Thread

import numpy as np
import pytest

from ragsweep import files
from ragsweep.errors import StoreError
from ragsweep.store import Store, database, manifest

KEY = {"documents": {"a.md": "0" * 64}, "chunker": {"name": "word", "chunk_size": 100}}
BUILD = """
import os, sys, time
from pathlib import Path
from ragsweep import files
from ragsweep.store import Store

def make(folder):
    with open("builders", "a") as log:
        log.write("one\\n")
    print("making", flush=True)
    if sys.argv[1] == "wait":
        sys.stdin.read()
    files.write(folder / "payload", b"made")

store = Store(Path("store"), warn=sys.exit, waiting=lambda text: print(text, flush=True))
store.build("chunks", {"n": 1}, make)
print(dict(store.built), dict(store.found), flush=True)
"""


def make(folder: Path) -> None:
    files.write_array(folder / "vectors.npy", np.arange(12, dtype=np.float32).reshape(3, 4))
    files.write(folder / "texts.json", b'["a","b","c"]')


@pytest.fixture
def warnings() -> list[str]:
    return []


@pytest.fixture
def new_store(tmp_path, warnings):
    """Another process on the same folder, as far as a store knows."""
    return lambda: Store(tmp_path / "store", warn=warnings.append)


@pytest.fixture
def entry(new_store) -> Path:
    return new_store().build("dense", KEY, make)


def content(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


def test_an_entry_is_built_once_and_then_found(new_store, warnings):
    store = new_store()
    assert store.find("dense", KEY) is None
    folder = store.build("dense", KEY, make)
    for other in (store, new_store()):
        assert other.find("dense", dict(reversed(KEY.items()))) == folder
        assert other.build("dense", KEY, pytest.fail) == folder
    assert (store.built, store.found) == ({"dense": 1}, {"dense": 1})
    assert np.load(folder / "vectors.npy").tolist()[2] == [8, 9, 10, 11]
    assert warnings == []


def test_what_is_in_the_key_names_the_entry(new_store, entry):
    store = new_store()
    assert store.find("bm25", KEY) is None
    assert store.find("dense", {**KEY, "chunker": {"name": "word", "chunk_size": 101}}) is None
    assert b'"chunk_size": 100' in (entry / "key.json").read_bytes()


def test_find_writes_nothing(tmp_path, new_store):
    assert new_store().find("dense", KEY) is None
    assert list(new_store().entries()) == []
    assert list(tmp_path.iterdir()) == []


def damages(path: Path):
    """Every way in which a file or entry can be other than it was; each returns nothing and leaves ``path`` damaged."""
    data = path.read_bytes()

    def flip(place: int, bit: int) -> None:
        path.write_bytes(data[:place] + bytes([data[place] ^ bit]) + data[place + 1 :])

    def replace_by_folder() -> None:
        path.unlink()
        path.mkdir()

    def replace_by_link() -> None:
        path.rename(path.parent.parent / "elsewhere")
        path.symlink_to(path.parent.parent / "elsewhere")

    def replace_by_pipe() -> None:
        path.unlink()
        os.mkfifo(path)

    for size in sorted({0, 1, len(data) // 2, len(data) - 1}):
        yield f"cut to {size}", lambda size=size: path.write_bytes(data[:size])
    for place in sorted({0, len(data) // 3, len(data) // 2, len(data) - 1}):
        yield f"flipped at {place}", lambda place=place: flip(place, 1 << place % 7)
    yield "one byte more", lambda: path.write_bytes(data + b"x")
    yield "deleted", path.unlink
    yield "a folder", replace_by_folder
    yield "a link", replace_by_link
    yield "a pipe", replace_by_pipe


@pytest.mark.parametrize("name", ["vectors.npy", "texts.json", "key.json", "manifest.json"])
def test_a_damaged_file_is_one_rebuild_and_one_warning(new_store, entry, warnings, name):
    good = content(entry)
    for done, (what, damage) in enumerate(damages(entry / name), start=1):
        damage()
        store = new_store()
        assert store.build("dense", KEY, make) == entry, what
        assert (store.built, len(warnings)) == ({"dense": 1}, done), what
        assert "quarantine" in warnings[-1]
        assert content(entry) == good, what
        assert new_store().build("dense", KEY, pytest.fail) == entry, what
    assert len(list((entry.parents[1] / "quarantine").iterdir())) == done


def test_every_flipped_bit_of_a_manifest_is_seen(entry):
    path = entry / "manifest.json"
    data = path.read_bytes()
    for place in range(len(data)):
        for bit in range(8):
            path.write_bytes(data[:place] + bytes([data[place] ^ 1 << bit]) + data[place + 1 :])
            assert manifest.problem(entry, "dense", entry.name, hashes=True), (place, bit)


def test_another_entry_in_its_place_is_damage(new_store, entry, warnings):
    other = new_store().build("dense", {"n": 2}, make)
    files.move(entry, entry.with_name("old"))
    files.move(other, entry)
    assert new_store().find("dense", KEY) is None
    new_store().build("dense", KEY, make)
    assert len(warnings) == 1


@pytest.mark.parametrize(
    "replace", [lambda path: path.touch(), lambda path: path.symlink_to("nowhere"), lambda path: path.mkdir()]
)
def test_something_else_in_place_of_the_entry_is_damage(new_store, entry, warnings, replace):
    files.move(entry, entry.with_name("old"))
    replace(entry)
    assert new_store().find("dense", KEY) is None
    assert new_store().build("dense", KEY, make) == entry
    assert len(warnings) == 1
    assert new_store().find("dense", KEY) == entry


def test_find_sees_size_and_manifest_but_leaves_the_sha256_to_build(new_store, entry, warnings):
    data = (entry / "texts.json").read_bytes()
    (entry / "texts.json").write_bytes(data[::-1])
    assert new_store().find("dense", KEY) == entry
    (entry / "texts.json").write_bytes(data[1:])
    assert new_store().find("dense", KEY) is None
    assert warnings == []


def test_the_sha256_is_checked_once_a_process(new_store, entry, monkeypatch):
    store = new_store()
    hashed = []
    real = files.sha256_file
    monkeypatch.setattr(files, "sha256_file", lambda path: (hashed.append(path.name), real(path))[1])
    for _ in range(3):
        store.build("dense", KEY, pytest.fail)
    assert sorted(hashed) == ["key.json", "texts.json", "vectors.npy"]


class Sting:
    def __reduce__(self):
        return open, (os.environ["STUNG"], "w")


@pytest.mark.parametrize("name", ["vectors.npy", "texts.json", "key.json", "manifest.json"])
def test_a_pickle_under_any_name_is_never_opened(new_store, entry, warnings, tmp_path, monkeypatch, name):
    monkeypatch.setenv("STUNG", str(tmp_path / "stung"))
    (entry / name).write_bytes(pickle.dumps(Sting()))
    store = new_store()
    assert store.find("dense", KEY) is None
    list(store.entries())
    store.build("dense", KEY, make)
    assert (store.built, len(warnings)) == ({"dense": 1}, 1)
    assert not (tmp_path / "stung").exists()


def test_a_builder_that_raises_leaves_no_entry(new_store, tmp_path):
    def fail(folder):
        files.write(folder / "half", b"half")
        raise ZeroDivisionError

    store = new_store()
    with pytest.raises(ZeroDivisionError):
        store.build("dense", KEY, fail)
    assert store.find("dense", KEY) is None
    assert list((tmp_path / "store" / "unfinished").iterdir()) == []
    store.build("dense", KEY, make)


def test_a_full_disk_is_a_store_error(new_store):
    def fail(folder):
        raise OSError(28, "No space left on device", "x.npy")

    with pytest.raises(StoreError, match=r"No space left on device: 'x.npy'"):
        new_store().build("dense", KEY, fail)


def test_a_read_only_store_is_read(new_store, entry, monkeypatch):
    def refuse(*arguments, **options):
        raise OSError(errno.EROFS, os.strerror(errno.EROFS))

    with monkeypatch.context() as patch:
        for name in ("open", "makedirs", "replace", "write"):
            patch.setattr(files.os, name, refuse)
        assert new_store().build("dense", KEY, pytest.fail) == entry
        with pytest.raises(StoreError, match="Read-only file system"):
            new_store().build("dense", {"n": 2}, make)


def test_entries_of_other_formats_are_ignored_and_listed(new_store, entry, monkeypatch, warnings):
    for format in (manifest.FORMAT - 1, manifest.FORMAT + 1):
        monkeypatch.setattr(manifest, "FORMAT", format)
        assert new_store().find("dense", KEY) is None
        assert new_store().build("dense", KEY, make) != entry
        monkeypatch.undo()
    listed = list(new_store().entries())
    assert sorted(one.problem or "" for one in listed) == ["", "format 0, not 1", "format 2, not 1"]
    assert new_store().build("dense", KEY, pytest.fail) == entry
    assert warnings == []


def test_what_ls_shows(new_store, entry, monkeypatch):
    (entry.parent / "damaged").mkdir()
    monkeypatch.setattr(time, "time", lambda: 0.0)
    good, bad = sorted(new_store().entries(), key=lambda one: one.problem or "")
    assert (good.kind, good.id, good.key, good.age) == ("dense", entry.name, KEY, 0.0)
    assert good.size == sum(path.stat().st_size for path in entry.iterdir())
    assert (bad.id, bad.key, bad.problem) == ("damaged", None, "damaged")


def start(folder: Path, *arguments: str) -> "subprocess.Popen[str]":
    pipe = subprocess.PIPE
    return subprocess.Popen([sys.executable, "-c", BUILD, *arguments], cwd=folder, stdin=pipe, stdout=pipe, text=True)


def test_two_processes_build_once_and_the_second_says_for_whom_it_waits(tmp_path):
    with start(tmp_path, "wait") as first:
        assert first.stdout.readline() == "making\n"
        with start(tmp_path, "go") as second:
            assert f"waiting for process {first.pid} on" in second.stdout.readline()
            assert first.communicate("")[0] == "{'chunks': 1} {}\n"
            assert second.communicate()[0] == "{} {'chunks': 1}\n"
    assert (tmp_path / "builders").read_text() == "one\n"


def test_after_a_killed_builder_exactly_one_of_two_waiters_builds_at_once(tmp_path):
    with start(tmp_path, "wait") as first:
        first.stdout.readline()
        with start(tmp_path, "go") as second, start(tmp_path, "go") as third:
            assert "waiting for process" in second.stdout.readline() + third.stdout.readline()
            killed = time.monotonic()
            first.send_signal(signal.SIGKILL)
            output = second.communicate()[0] + third.communicate()[0]
            assert time.monotonic() - killed < 5  # no time-out plays a part
    assert output.count("making") == output.count("{'chunks': 1} {}") == output.count("{} {'chunks': 1}") == 1
    assert (tmp_path / "builders").read_text() == "one\n" * 2
    assert len(list((tmp_path / "store" / "unfinished").iterdir())) == 1


class CountingOs:
    """The real os, counting the calls."""

    def __init__(self):
        self.calls = Counter()

    def __getattr__(self, name):
        self.calls[name] += 1
        return getattr(os, name)


def test_a_document_costs_few_calls_and_no_fsync(new_store, monkeypatch):
    """What makes 1000 of them cheap."""
    counting = CountingOs()
    monkeypatch.setattr(files, "os", counting)
    new_store().build("documents", KEY, lambda folder: files.write(folder / "document.json", b"x" * 3000))
    assert counting.calls["fsync"] == 0
    assert counting.calls["open"] == 4  # lock, document, key, manifest
    assert counting.calls["replace"] == 1
    counting.calls.clear()
    new_store().build("documents", KEY, pytest.fail)
    assert counting.calls == {}


def test_prune_removes_what_no_run_can_use_and_nothing_else(new_store, entry, monkeypatch, tmp_path):
    store = new_store()
    vectors = store.vectors({"model": "kept"})
    vectors.put(["text"], np.ones((1, 2), np.float32), np.zeros(1))
    vectors.close()
    monkeypatch.setattr("ragsweep.store.manifest.FORMAT", 99)
    foreign = new_store().build("chunks", {"of": "another release"}, lambda folder: (folder / "a").write_bytes(b"12345"))
    monkeypatch.undo()
    (store.root / "unfinished" / "chunks-killed").mkdir(parents=True)
    damaged = store.root / "vectors" / "damaged.sqlite"
    damaged.write_bytes(b"no database" * 20)

    number, size = store.prune()

    assert number == 3
    assert size > 220
    assert not foreign.exists()
    assert not damaged.exists()
    assert not list((store.root / "unfinished").iterdir())
    assert [(each.kind, each.problem) for each in store.entries()] == [(entry.parent.name, None), ("vectors", None)]
    assert [dict(each.key)["texts"] for each in store.entries() if each.kind == "vectors"] == [1]


@pytest.mark.parametrize("operation", [Store.prune, Store.check])
def test_what_another_process_builds_is_left_alone(new_store, operation):
    def make_meanwhile(folder):
        files.write(folder / "half", b"half")
        operation(new_store())
        make(folder)

    folder = new_store().build("chunks", KEY, make_meanwhile)
    assert new_store().sound("chunks", KEY) == folder


@pytest.mark.parametrize("operation", [Store.prune, Store.check])
def test_vectors_that_another_process_makes_are_left_alone(new_store, warnings, operation):
    """A new file of vectors has no tables yet while its lock is held."""
    vectors = new_store().vectors({"model": "new"})
    files.make_folder(vectors.path.parent)
    with files.lock(vectors.path.with_suffix(".lock")):
        vectors.path.write_bytes(b"")
        looking = Thread(target=operation, args=(new_store(),))
        looking.start()
        looking.join(0.05)  # prune passes by; check waits for the lock, sooner or later
        vectors.path.unlink()
        closing(database.connect(vectors.path, vectors._identity)).__exit__()
    looking.join()
    assert warnings == []
    assert vectors.path.is_file()
