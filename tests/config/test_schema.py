"""The JSON schema of experiment.yaml is current, takes what ragsweep takes, and refuses what it refuses."""

import json
import re
from pathlib import Path

import pytest
import yaml
from jsonschema import Draft7Validator

from ragsweep.config import ROOT_KEYS
from ragsweep.config.schema import experiment_schema, schema_text
from ragsweep.options import options
from ragsweep.places import schema_file
from ragsweep.setups import GROUPS

ROOT = Path(__file__).parents[2]
VALIDATOR = Draft7Validator(json.loads(schema_file().read_text(encoding="utf-8")))
COMMITTED = sorted(ROOT.glob("experiments/*/experiment.yaml"))
SHOWN = [
    pytest.param(found[2], id=f"{path.name} {found[1]}")
    for path in sorted(ROOT.glob("docs/*.md"))
    for found in re.finditer(r"^```yaml (\S*experiment\.yaml)\n(.*?)^```$", path.read_text(encoding="utf-8"), re.M | re.S)
]


def refused(text):
    return [error.message for error in VALIDATOR.iter_errors(yaml.safe_load(text))]


def test_it_is_current():
    """python scripts/schema.py writes it again."""
    assert schema_file().read_text(encoding="utf-8") == schema_text()
    Draft7Validator.check_schema(experiment_schema())


def test_every_key_has_its_comment_and_every_option_its_meaning():
    schema = experiment_schema()
    for key in {*ROOT_KEYS} - {"dataset", "store", "report", "scorecard"}:
        assert schema["definitions"].get(key, schema["properties"][key]).get("description"), key
    for group in GROUPS:
        said = {option["const"]: option["description"] for option in schema["definitions"][group]["anyOf"]}
        assert said == options(group)
    assert schema["definitions"]["retriever.rrf_k"]["description"] == "not used by convex (of hybrid)"


@pytest.mark.parametrize("path", COMMITTED, ids=lambda path: path.parent.name)
def test_committed_experiments_are_valid_and_lead_to_it(path):
    text = path.read_text(encoding="utf-8")
    assert refused(text) == []
    comment = text.partition("\n")[0].removeprefix("# yaml-language-server: $schema=")
    assert (path.parent / comment).resolve() == ROOT / "conf" / "experiment.schema.json"


@pytest.mark.parametrize("text", SHOWN)
def test_experiments_in_the_docs_are_valid(text):
    assert refused(text) == []


def test_the_whole_config_is_valid():
    """conf/config.yaml itself, but for what only ragsweep sets."""
    config = yaml.safe_load((ROOT / "conf" / "config.yaml").read_text(encoding="utf-8"))
    values = {key: value for key, value in config.items() if key not in ("experiment_dir", "worker")}
    assert refused(json.dumps(values)) == []


def test_best_yaml_is_valid(project):
    folder = project.files("run", "chunker=recursive", "dedupe=off", "context_words=20").runs[0]
    assert refused((folder / "best.yaml").read_text()) == []


def test_what_init_writes_is_valid_and_leads_to_it(project):
    assert project("init", "leave", "--files", "docs").code == 0
    text = (project.root / "experiments/leave/experiment.yaml").read_text()
    assert text.startswith(f"# yaml-language-server: $schema={schema_file()}\n")
    assert refused(text) == []
    # With every value that is a comment taken for one.
    root = [line.removeprefix("# ") for line in text.splitlines() if re.match(r"# [a-z_]+: [^$]", line)]
    assert len(root) > 20
    assert refused("\n".join(root)) == []


FILES = "dataset: {files: docs, questions: questions.json}\n"


@pytest.mark.parametrize(
    "text",
    [
        "rag_type: search\nchunker: page\ntop_k: null\nsweep:\nsetups:\ngate:\n",
        "rag_type: search\nsweep: {chunker: 'glob(*,exclude=token)', chunk_size: 'range(10,31,10)', retriever: bm25}\n",
        "rag_type: search\nsweep: {retriever: 'bm25,hybrid', retriever.bm25.k1: [1.2, 1.5]}\n",
        "rag_type: search\nsweep: {top_n: [null, 3], dedupe: [off, 0.9]}\n",
        "rag_type: search\nretriever: bm25\nchunk_size: 20\nsetups: [{name: pages, chunker: page, retriever.k1: 1.2}]\n",
        "rag_type: search\nretriever: {rrf_k: 10, bm25: {b: 0.5}}\n",
        "defaults: [override /retriever: bm25, override /hydra/launcher: basic, _self_]\nrag_type: search\nhydra: {}\n",
        "rag_type: search\ngate: {recall: 0.1, p95_s: 200, setup: search + word}\nlimit: 2\nlimit_seed: 0\n",
        "rag_type: search\nscorecard: {weights: {answer: 0, context: 0.5}}\nreport: {by: []}\n",
        "reranker: mmr\nrag_type: search\nretriever: bm25\nsweep: {reranker.lambda: [0.5, 1]}\ndedupe: off\n",
    ],
)
def test_what_ragsweep_takes_is_valid(project, text):
    project.experiment(FILES + text)
    ran = project("plan", "experiment=mine")
    assert ran.code == 0, ran.err
    assert refused(FILES + text) == []


@pytest.mark.parametrize(
    "text",
    [
        "topk: 3\n",
        "chunker: wrd\n",
        "top_k: '3'\n",
        "limit: 0\n",
        "sweep: {chunker: [word, pge]}\n",
        "sweep: {retriever.bm25.k2: [1]}\n",
        "sweep: {n_jobs: [1, 2]}\n",
        "sweep: {chunk_size: []}\n",
        "setups: [{name: pages, n_jobs: 1}]\n",
        "gate: {recall: 90}\n",
        "worker: {plan: x}\n",
    ],
)
def test_what_ragsweep_refuses_is_not(project, text):
    project.experiment(FILES + text)
    assert project("plan", "experiment=mine", "rag_type=search").code == 2
    assert refused(text)


@pytest.mark.parametrize(
    "text",
    [
        "top_k: 0",
        "sweep: {chunk_sise: [3]}",
        "sweep: {dataset.files: [a, b]}",
        "retriever: {bm25: {k3: 1}}",
        "chunker: [word, page]",
        "setups: [{chunker: page}]",
        "gate: {recal: 0.9}",
        "report: {sort: recal}",
        "report: {by: task_type}",
        "scorecard: {weights: {embedding: 1}}",
        "dataset: {file: docs}",
        "evidence_match: both",
        "language: klingon",
        "experiment_dir: here",
    ],
)
def test_further_typos_are_not(text):
    assert refused(text)
