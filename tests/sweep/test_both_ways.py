"""A small sweep with and without what makes it quick: the same records and the same report, to the last bit."""

import json
from itertools import chain

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragsweep.index.terms import Held
from ragsweep.reporting.compare import strip_run
from ragsweep.store import Store
from ragsweep.sweep import prepare
from ragsweep.text.copies import Kept, Words, is_copy

AXES = (
    "chunker=character,word,sentence",
    "chunk_size=40,60",
    "reranker=none,overlap",
    "length=characters",
)
FILES = ("report.md", "report.csv", "questions.csv")


def all_of(ran):
    """Reports without run columns, and records without seconds."""
    (run,) = ran.runs
    reports = {name: strip_run((run / name).read_text("utf-8")) for name in FILES}
    records = {}
    for path in sorted(run.glob("*/records.jsonl")):
        rows = [json.loads(line) for line in path.read_text().splitlines()]
        for row in rows:
            for step in row["steps"]:
                del step["seconds"]
        records[path.parent.name] = rows
    return reports, records


@pytest.fixture
def slowly(monkeypatch):
    """Chunks are read and compared one by one as they come, nothing is found in the store, setups stand as written."""

    def install():
        monkeypatch.setattr(
            prepare.Shared, "terms", lambda shared, name, language: Held.read(shared.passages_of(name), language)
        )
        every = lambda kept: chain.from_iterable(kept._kept.values())  # noqa: E731
        compared = lambda kept, text: any(is_copy(text.shingles, each.shingles, kept._threshold) for each in every(kept))  # noqa: E731
        monkeypatch.setattr(Kept, "has_copy_of", compared)
        monkeypatch.setattr(prepare.Shared, "asks_for_copies", lambda shared, chunking: False)
        monkeypatch.setattr(Store, "sound", lambda store, kind, key: None)
        monkeypatch.setattr("ragsweep.sweep.run.longest_first", list)

    return install


def test_a_sweep_both_ways(project, slowly):
    (project.root / "docs" / "again.md").write_text((project.root / "docs" / "leave.md").read_text().upper())
    quick = project.files("run", *AXES, "store.dir=here")
    assert quick.code == 0, quick.err
    found = all_of(quick)
    assert len(found[1]) == 12
    assert any(row["copies"] for rows in found[1].values() for row in rows)
    assert len(list(project.root.glob("here/copies/*"))) == 6
    slowly()
    slow = project.files("run", *AXES, "store.dir=elsewhere")
    assert slow.code == 0, slow.err
    assert all_of(slow) == found
    assert not list(project.root.glob("elsewhere/copies"))


words = st.lists(st.sampled_from(["a", "b", "c", "A", ".", "é"]), max_size=9).map(" ".join)


@given(st.lists(words, max_size=6), words, st.sampled_from([1.0, 0.9, 0.5]))
def test_copies_by_hash_are_those_by_comparison(earlier, text, threshold):
    kept = Kept(threshold)
    for each in earlier:
        kept.add(Words(each))
    shingles = Words(text).shingles
    assert kept.has_copy_of(Words(text)) == any(is_copy(shingles, Words(each).shingles, threshold) for each in earlier)
