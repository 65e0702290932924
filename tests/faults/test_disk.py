"""A disk that is full, broken or read-only: one clear message, nothing half, and a resume that reports what an undisturbed run
does. RAGSWEEP_IO=all fails every call in turn, in every way."""

import errno
import os
import subprocess
from itertools import count
from pathlib import Path

import pytest

from ragsweep import files
from ragsweep.errors import RagsweepError
from ragsweep.places import store_folder
from ragsweep.reporting.compare import differences
from ragsweep.store import Store
from ragsweep.sweep.frozen import PLAN
from ragsweep.sweep.resume import resume
from ragsweep.sweep.run import run

ALL = os.environ.get("RAGSWEEP_IO") == "all"
NUMBERS = (errno.ENOSPC, errno.EIO, errno.EROFS)
WAYS = [(number, lasting) for lasting in (False, True) for number in NUMBERS]
STEP = 5


class FailingOs:
    """The real os, whose n-th open, write, fsync or replace fails; with ``lasting``, every one from there on.

    A disk that gets full takes half of what is written first.
    """

    def __init__(self, n: int, number: int, lasting: bool):
        self.n, self.number, self.lasting, self.calls = n, number, lasting, 0

    def __getattr__(self, name):
        return getattr(os, name)

    def _fails(self) -> bool:
        self.calls += 1
        return self.calls == self.n or (self.lasting and self.calls > self.n)

    def _call(self, name, *given):
        if self._fails():
            raise OSError(self.number, os.strerror(self.number), *(each for each in given if isinstance(each, Path)))
        return getattr(os, name)(*given)

    def open(self, *given):
        return self._call("open", *given)

    def fsync(self, *given):
        return self._call("fsync", *given)

    def replace(self, *given):
        return self._call("replace", *given)

    def write(self, file, data):
        if self.number == errno.ENOSPC and self.calls + 1 == self.n and len(data) > 1:
            self.n += 1  # the next write is the one that fails
            self.calls += 1
            return os.write(file, data[: len(data) // 2])
        return self._call("write", file, data)


def test_after_a_fault_of_the_n_th_call_a_resume_reports_what_an_undisturbed_run_does(wanted, launch, tmp_path, monkeypatch):
    undisturbed = run(wanted, launch)
    assert undisturbed.exit_code == 0
    reached = failed = 0
    for n in count(1, 1 if ALL else STEP):
        ways = WAYS if ALL else [WAYS[n // STEP % len(WAYS)]]
        for place, (number, lasting) in enumerate(ways):
            monkeypatch.setenv("RAGSWEEP_OUTPUTS", str(tmp_path / f"outputs-{n}-{place}"))
            failing = FailingOs(n, number, lasting)
            ended = None
            with monkeypatch.context() as context:
                context.setattr(files, "os", failing)
                try:
                    ended = run(wanted, launch)
                except (OSError, RagsweepError) as error:
                    failed += 1
                    assert str(tmp_path) in str(error), (n, number, lasting)
                    assert os.strerror(number) in str(error), (n, number, lasting)
            Store(store_folder(None), warn=pytest.fail).check()  # nothing half
            folder = next((path.parent for path in tmp_path.glob(f"outputs-{n}-{place}/run/2*/{PLAN}")), None)
            if folder is None:
                assert run(wanted, launch).exit_code == 0
            else:
                if ended is not None and ended.exit_code:
                    failed += 1
                assert resume(folder, wanted, launch, lambda file: None) == 0
                assert differences(undisturbed.folder, folder) == [], (n, number, lasting)
        reached = n
        if failing.calls < n:
            break
    print(f"calls {reached}, faults {reached * len(ways) if ALL else reached // STEP + 1}, ended with an error {failed}")
    assert reached >= 50
    assert failed


class Closed:
    """The real os, but that nothing can be opened or made below a folder."""

    def __init__(self, folder: Path, number: int):
        self.folder, self.number = folder, number

    def __getattr__(self, name):
        return getattr(os, name)

    def _call(self, name, path, *given, **options):
        if Path(path).is_relative_to(self.folder):
            raise OSError(self.number, os.strerror(self.number), str(path))
        return getattr(os, name)(path, *given, **options)

    def open(self, *given):
        return self._call("open", *given)

    def replace(self, *given):
        return self._call("replace", *given)

    def makedirs(self, path, **options):
        return self._call("makedirs", path, **options)


@pytest.mark.parametrize("number", NUMBERS)
def test_a_store_that_cannot_be_written_costs_no_setup(wanted, launch, tmp_path, monkeypatch, capsys, number):
    undisturbed = run(wanted, launch)
    monkeypatch.setenv("RAGSWEEP_STORE", str(tmp_path / "store"))
    capsys.readouterr()
    with monkeypatch.context() as context:
        context.setattr(files, "os", Closed(tmp_path / "store", number))
        ended = run(wanted, launch)
    said = capsys.readouterr()
    assert ended.exit_code == 0
    assert not (tmp_path / "store").exists()
    (warning,) = [line for line in said.err.splitlines() if line.startswith("warning: ")]
    assert (
        warning
        == f"warning: {tmp_path}/store: {os.strerror(number)}: what cannot be stored there stays in {ended.folder}/store"
    )
    assert "run: warning: 5 parts could not be stored and stay in the run folder" in said.out
    assert differences(undisturbed.folder, ended.folder) == []
    assert run(wanted, launch).exit_code == 0
    assert len(list(Store(tmp_path / "store").entries())) == 5


def test_a_disk_that_is_full_before_the_plan_is_written_leaves_nothing_to_resume(project, monkeypatch):
    def full(plan, folder):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(folder / PLAN))

    monkeypatch.setattr("ragsweep.sweep.run.freeze", full)
    ran = project.files("run")
    assert (ran.code, ran.err.splitlines()[-2]) == (1, "once that is mended, write the same again: nothing of it was run")


def test_ask_needs_no_store(project, monkeypatch):
    monkeypatch.setattr(files, "os", Closed(project.root / "outputs" / ".store", errno.EROFS))
    ran = project("ask", "How many days of leave?", "--files", "docs", "rag_type=search", "retriever=bm25")
    assert (ran.code, "leave.md" in ran.out, ran.err.count("warning: ")) == (0, True, 1), ran.err
    assert not (project.root / "outputs" / ".store").exists()


@pytest.fixture
def mount(tmp_path):
    """Mounts a file system over a folder; skips where that may not be."""
    mounted = []

    def mount(folder, *given):
        folder.mkdir(exist_ok=True)
        if subprocess.run(["mount", *given, str(folder)], capture_output=True, check=False).returncode:
            pytest.skip("file systems cannot be mounted here")
        mounted.append(folder)

    yield mount
    for folder in reversed(mounted):
        subprocess.run(["umount", "-l", str(folder)], check=True)


def test_a_read_only_store_is_read_and_what_it_lacks_stays_in_the_run_folder(sweep, mount):
    sweep.defaults = ("retriever=dense", "embedder=counting", "generator=slow", "generator.seconds=0", "top_n=3", "n_jobs=1")
    assert sweep.run("chunk_size=6", RAGSWEEP_STORE="store").code == 0
    before = sweep.calls()
    store = sweep.root / "store"
    mount(store, "--bind", str(store))
    subprocess.run(["mount", "-o", "remount,ro,bind", str(store)], check=True)
    done = sweep.run("chunk_size=6,12", RAGSWEEP_STORE="store")
    assert done.code == 0, done.err
    (warning,) = [line for line in done.err.splitlines() if line.startswith("warning: ")]
    assert "Read-only file system: what cannot be stored there stays in " in warning
    new = sweep.calls() - before
    assert new
    assert not any(call in before for call in new if call.startswith("embedded"))
    assert sweep.run("chunk_size=6,12").code == 0  # with a store of its own
    assert sweep.differences(*sweep.folders[-2:]) == []


def test_a_run_on_a_disk_that_fills_up_says_so_and_goes_on_when_there_is_space(sweep, mount):
    sweep.defaults = (*sweep.defaults, "n_jobs=1", "generator.seconds=0", "chunk_size=6")
    assert sweep.run().code == 0
    (undisturbed,) = sweep.folders
    outputs = sweep.root / "full"
    mount(outputs, "-t", "tmpfs", "-o", "size=1m", "tmpfs")
    running = sweep.begin(RAGSWEEP_OUTPUTS="full", FAKES_HOLD="What of the manager?")
    sweep.within(30, lambda: sweep.calls()["asked\ta\tWhat of the manager?"] == 2)
    filler = (outputs / "filler").open("wb", buffering=0)
    with filler, pytest.raises(OSError, match="No space left"):
        while True:
            filler.write(b"x" * 256)
    (sweep.root / "go").touch()
    done = sweep.done(running)
    assert done.code == 1
    assert "Traceback" not in done.err
    assert [line for line in done.err.splitlines() if "bytes to write, 0 free: " in line and line.startswith("error: ")]
    (outputs / "filler").unlink()
    (folder,) = {path.parent.resolve() for path in outputs.glob("run/20*/plan.json")}
    kept = [record for record in sweep.records(folder) if record["status"] != "failed"]
    assert 3 <= len(kept) < 8
    again = sweep.resume(RAGSWEEP_OUTPUTS="full")
    assert (again.code, again.counts["reused"]) == (0, len(kept)), again.err
    assert sweep.differences(undisturbed, folder) == []
