"""A store under whatever order of builds, kills, damage, reads, checks and prunes."""

import os
import shutil
import signal
import tempfile
from pathlib import Path

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from ragsweep import files
from ragsweep.store import Store, manifest

KEYS = st.integers(0, 1)
FILES = st.sampled_from(["a.npy", "b.json", "key.json", manifest.MANIFEST])
DAMAGES = st.sampled_from(["flip", "cut", "flip", "delete", "folder", "link"])


def content(n: int) -> dict[str, bytes]:
    return {"a.npy": bytes(range(40)) * (n + 1), "b.json": b"[%d]" % n}


class Operations(RuleBasedStateMachine):
    """Each rule is a process of its own, as far as the store knows. ``good`` are the entries that must be there."""

    def __init__(self):
        super().__init__()
        self.root = Path(tempfile.mkdtemp(prefix="store-"))
        self.good, self.damaged = set(), set()

    def teardown(self):
        shutil.rmtree(self.root)

    def open(self) -> Store:
        self.said = []
        return Store(self.root / "store", warn=self.said.append)

    def make(self, n, folder):
        for name, data in content(n).items():
            files.write(folder / name, data)

    @rule(n=KEYS)
    def build(self, n):
        """A good entry is found, and any other is built, with a warning where it is damaged."""
        store = self.open()
        folder = store.build("chunks", {"n": n}, lambda folder: self.make(n, folder))
        assert store.built["chunks"] == (n not in self.good)
        assert len(self.said) == (n in self.damaged)
        assert {name: (folder / name).read_bytes() for name in content(n)} == content(n)
        self.good.add(n)
        self.damaged.discard(n)

    @rule(n=KEYS, at=st.sampled_from(["begun", "half", "before-publish"]))
    def kill(self, n, at):
        """A builder that is killed leaves nothing that is read; what is good it does not touch."""
        pid = os.fork()
        if not pid:
            self.build_until(n, at)
        _, status = os.waitpid(pid, 0)
        assert os.WIFSIGNALED(status) == (n not in self.good)
        self.damaged.discard(n)

    def build_until(self, n, at):
        """Does not return."""
        try:
            if at == "before-publish":
                os.environ["RAGSWEEP_KILL_AT"] = at

            def make(folder):
                if at == "half":
                    files.write(folder / "a.npy", b"half")
                if at != "before-publish":
                    os.kill(os.getpid(), signal.SIGKILL)
                self.make(n, folder)

            Store(self.root / "store", warn=lambda text: None).build("chunks", {"n": n}, make)
        finally:
            os._exit(0)

    @precondition(lambda self: self.good)
    @rule(name=FILES, how=DAMAGES, place=st.floats(0, 1, exclude_max=True))
    def corrupt(self, name, how, place):
        n = max(self.good)
        path = self.open().build("chunks", {"n": n}, lambda folder: None) / name
        data = path.read_bytes()
        at = int(place * len(data))
        path.unlink()
        if how == "cut":
            path.write_bytes(data[:at])
        elif how == "flip":
            path.write_bytes(data[:at] + bytes([data[at] ^ 0x10]) + data[at + 1 :])
        elif how == "folder":
            path.mkdir()
        elif how == "link":
            (self.root / "elsewhere").write_bytes(data)
            path.symlink_to(self.root / "elsewhere")
        self.good.discard(n)
        self.damaged.add(n)

    @rule(n=KEYS)
    def read(self, n):
        """What is given is good, and what is good is given."""
        folder = self.open().sound("chunks", {"n": n})
        assert (folder is not None) == (n in self.good)
        assert len(self.said) == (n in self.damaged)
        self.damaged.discard(n)

    @rule()
    def check(self):
        """Each damaged entry is said, but one that names another format."""
        foreign = sum(entry.foreign for entry in self.open().entries())
        store = self.open()
        assert store.check() == len(self.good)
        assert len(self.said) == len(self.damaged) - foreign
        self.damaged = {n for n in self.damaged if store._folder("chunks", {"n": n}).exists()}

    @rule()
    def prune(self):
        """Nothing that is good goes, and what killed builders left does."""
        self.open().prune()
        assert not list((self.root / "store").glob("unfinished/*"))
        self.damaged = {n for n in self.damaged if self.open()._folder("chunks", {"n": n}).exists()}

    @invariant()
    def good_entries_are_whole(self):
        """Whatever happened since they were built."""
        for n in self.good:
            folder = self.open().find("chunks", {"n": n})
            assert folder is not None
            assert {name: (folder / name).read_bytes() for name in content(n)} == content(n)

    @invariant()
    def damage_is_seen(self):
        """By what every reader of an entry asks first."""
        for n in self.damaged:
            folder = self.open()._folder("chunks", {"n": n})
            assert manifest.problem(folder, "chunks", folder.name, hashes=True)


LONG = bool(os.environ.get("RAGSWEEP_LONG"))
TestOperations = Operations.TestCase
TestOperations.settings = settings(max_examples=1000 if LONG else 30, stateful_step_count=30 if LONG else 15, print_blob=True)
