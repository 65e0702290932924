"""plan.json: what is written comes back equal, and what is not ours is refused."""

import json

import pytest

from ragsweep.chunkers.page import Page
from ragsweep.chunkers.word import Word
from ragsweep.errors import InputError, StoreError
from ragsweep.evaluation.records import run_key
from ragsweep.rag_types.adaptive import Adaptive
from ragsweep.retrievers.hybrid import Hybrid
from ragsweep.sweep.frozen import PLAN, RECORDS, freeze, record_line, thaw
from ragsweep.sweep.plan import make_plan
from ragsweep.types import Answer, Hit, Record, Step

RECORD = Record(
    "How many days of leave?",
    0,
    "answered",
    retrieved=(Hit(0, "leave.md", 1, 0, 28, 0.5), Hit(1, "leave.md", 2, 29, 56, 0.25)),
    final=(Hit(0, "leave.md", 1, 0, 28, 0.75),),
    answer=Answer("25 days", False, (0,)),
    steps=(Step("retrieve", 0.25, {"query": "a", "top_k": 5}, {"chunks": [0, 1]}),),
    copies=(Hit(2, "leave.md", 3, 57, 84, 0.25),),
)


@pytest.fixture
def plan(want, row, store, project):
    questions = json.loads((project.root / "questions.json").read_text())
    questions[0] |= {"answer": ["25", "twenty-five"], "required_facts": ["25"], "task_type": "fact", "note": {"kept": [1]}}
    project.questions(questions)
    rows = [
        row(asked={"chunker": "page"}),
        row(asked={"chunker": "word"}, chunker=Word(5, 1), retriever=Hybrid(fusion="convex"), rag_type=Adaptive()),
        row(name="../../x", asked={"top_k": 3}, top_k=3, dedupe=None),
        row(name="folded", chunker=Page()),
    ]
    return make_plan(want(*rows, axes={"chunker": ["page", "word"]}, sort="ndcg"), store)


@pytest.fixture
def folder(plan, tmp_path):
    freeze(plan, tmp_path / "run")
    return tmp_path / "run"


def test_there_and_back(plan, folder):
    frozen = thaw(folder / PLAN)
    (reading,) = plan.corpora
    assert list(frozen.corpora[reading].questions) == list(plan.corpora[reading].questions)
    assert len(frozen.jobs) == len(plan.setups) == 3
    for job, planned in zip(frozen.jobs, plan.setups, strict=True):
        assert job.setup == planned.setup
        assert (job.id, job.name, job.folder, job.chunking) == (planned.id, planned.name, planned.folder, planned.chunking)
        assert (job.options, tuple(job.folded), job.error) == (planned.options, planned.folded, planned.error)
        assert job.setup.id(frozen.corpora[job.reading].keys) == job.id
    assert [job.beside for job in frozen.jobs] == [False, False, True]
    assert frozen.corpora[reading].keys == plan.corpora[reading].keys
    assert frozen.store.root == plan.store
    assert (frozen.settings.sort, frozen.content["axes"]) == ("ndcg", {"chunker": ["page", "word"]})


def test_it_is_strict_json(folder):
    text = (folder / PLAN).read_text(encoding="utf-8")
    json.loads(text, parse_constant=lambda name: pytest.fail(name))


def test_every_setup_has_a_folder_inside_the_run_with_its_config(folder):
    frozen = thaw(folder / PLAN)
    for job in frozen.jobs:
        inside = (folder / job.folder).resolve()
        assert inside.parent == folder.resolve()
        assert "_target_: " in (inside / "config.yaml").read_text()


def test_the_config_of_a_setup_is_yaml_of_what_it_is(folder):
    import yaml

    frozen = thaw(folder / PLAN)
    for job in frozen.jobs:
        assert yaml.safe_load((folder / job.folder / "config.yaml").read_text()) == job.setup.describe()


def test_a_record_there_and_back(folder):
    frozen = thaw(folder / PLAN)
    job = frozen.jobs[0]
    (folder / job.folder / RECORDS).write_text(json.dumps(record_line(job.id, RECORD)) + "\n")
    assert frozen.records(job) == {(RECORD.question, 0): RECORD}


def test_a_record_of_another_setup_is_ignored_and_so_is_a_torn_last_line(folder):
    frozen = thaw(folder / PLAN)
    job, other = frozen.jobs[:2]
    foreign = record_line(other.id, RECORD)
    mine = record_line(job.id, RECORD)
    assert foreign["key"] == run_key(other.id, RECORD.question, 0)
    without_key = {key: value for key, value in mine.items() if key != "key"}
    lines = [json.dumps(line) for line in (foreign, without_key, mine)]
    (folder / job.folder / RECORDS).write_text("\n".join(lines[:2]) + "\n" + lines[2][:-9])
    assert frozen.records(job) == {}
    (folder / job.folder / RECORDS).write_text("\n".join(lines) + "\n" + lines[2][:40])
    assert frozen.records(job) == {(RECORD.question, 0): RECORD}


@pytest.mark.parametrize("target", ["os.system", "builtins.eval", "subprocess.Popen"])
def test_a_foreign_target_is_refused_by_whoever_reads_the_plan(folder, target, tmp_path):
    from ragsweep.worker import worker

    content = json.loads((folder / PLAN).read_text())
    content["setups"][0]["setup"]["chunker"] = {"_target_": target, "command": f"touch {tmp_path / 'ran'}"}
    (folder / PLAN).write_text(json.dumps(content))
    for read in (lambda: thaw(folder / PLAN), lambda: worker(str(folder / PLAN), content["setups"][0]["id"])):
        with pytest.raises((InputError, StoreError), match=f"{target}.*write a class inside ragsweep"):
            read()
    assert not (tmp_path / "ran").exists()


@pytest.mark.parametrize("data", [b"", b"[]", b"null", b"{}", b'{"format": 2}', b"\xff", b'{"format": 2, "setups": [{}]}'])
def test_what_is_no_plan_is_refused(folder, data):
    (folder / PLAN).write_bytes(data)
    with pytest.raises(StoreError, match=r"plan\.json .*: run the experiment again$"):
        thaw(folder / PLAN)


def test_a_plan_of_an_earlier_release_says_what_to_do(folder):
    content = json.loads((folder / PLAN).read_text())
    del content["settings"]["timing"]
    (folder / PLAN).write_text(json.dumps(content))
    with pytest.raises(
        StoreError, match=r"is damaged, or of another release \(KeyError: 'timing'\): run the experiment again$"
    ):
        thaw(folder / PLAN)


def test_another_format_is_named(folder):
    content = json.loads((folder / PLAN).read_text())
    (folder / PLAN).write_text(json.dumps({**content, "format": 6}))
    with pytest.raises(StoreError, match="has format 6; this release reads format 5"):
        thaw(folder / PLAN)


def test_a_folder_without_a_plan(tmp_path):
    with pytest.raises(InputError, match=r"holds no plan\.json: name the folder of a run"):
        thaw(tmp_path / PLAN)


def test_a_setup_that_the_plan_does_not_have(folder):
    with pytest.raises(InputError, match="has no setup '0000'"):
        thaw(folder / PLAN).job("0000")
