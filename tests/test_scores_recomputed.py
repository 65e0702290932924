"""Every score of the committed experiments a second time, from records, questions and files; ragsweep is not imported."""

import csv
import json
import os
import re
import subprocess
import sys
from io import StringIO
from math import log2
from pathlib import Path
from statistics import fmean, quantiles

import pytest

ROOT = Path(__file__).resolve().parents[1]
VIEWS = {"": ("final", "top_n"), "retrieved_": ("retrieved", "top_k")}
UNREPORTED = {f"retrieved_{metric}" for metric in ("hit", "all", "precision", "capped")}
long = pytest.mark.skipif(not os.environ.get("RAGSWEEP_LONG"), reason="takes half a minute; set RAGSWEEP_LONG=1")


@pytest.mark.parametrize(
    "command",
    [
        "experiment=policies",
        "experiment=xquad_en retriever=bm25 reranker=none",
        pytest.param("experiment=xquad_en", marks=long),
    ],
)
def test_report_csv_holds_the_scores_that_a_second_reading_gives(command, tmp_path):
    experiment, *overrides = command.split()
    outputs = {"RAGSWEEP_OUTPUTS": str(tmp_path), "RAGSWEEP_STORE": str(tmp_path / "store")}
    subprocess.run([sys.executable, ROOT / "run.py", experiment, *overrides], env=os.environ | outputs, check=True)
    folder = ROOT / "experiments" / experiment.partition("=")[2]
    run = tmp_path / folder.name / "latest"
    questions = json.loads((folder / "questions.json").read_text(encoding="utf-8"))
    documents = {path.name: path.read_text(encoding="utf-8-sig") for path in (folder / "documents").iterdir()}
    rows = {row["setup"]: row for row in csv.DictReader(StringIO((run / "report.csv").read_text(encoding="utf-8")))}
    setups = json.loads((run / "plan.json").read_text(encoding="utf-8"))["setups"]
    assert len(setups) == len(rows)
    for setup in setups:
        records = [json.loads(line) for line in (run / setup["folder"] / "records.jsonl").read_bytes().splitlines()]
        by_question = {record["question"]: record for record in records}
        asked = [(question, by_question[question["question"]]) for question in questions]
        for column, value in expected(asked, documents, setup["options"]).items():
            cell = rows[setup["name"]][column]
            assert (float(cell) if cell else None) == pytest.approx(value, abs=1e-6), f"{setup['name']}: {column}"


def expected(asked, documents, options):
    """The columns of report.csv for one setup; ``asked`` are all questions with their records, none of them failed."""
    answerable = [(question, record) for question, record in asked if question.get("answerable", True)]
    refusable = [record for question, record in asked if not question.get("answerable", True)]
    scores = [
        {
            prefix + metric: value
            for prefix, (hits, k) in VIEWS.items()
            for metric, value in metrics(record[hits], needed, options[k])
        }
        for question, record in answerable
        for needed in [[evidence(label, documents) for label in question["required_evidence_ids"]]]
    ]
    percentiles = quantiles(
        [sum(step["seconds"] for step in record["steps"]) for _, record in asked], n=100, method="inclusive"
    )
    generates = options["rag_type"] != "search"
    trails = [trail for question, record in answerable for trail in ends(question, record, documents, options)]
    return {
        **{f"evidence_{end}": trails.count(end) for end in ENDS},
        **stages(answerable, documents, options, generates),
        **{metric: fmean(score[metric] for score in scores) for metric in scores[0].keys() - UNREPORTED - {"capped"}},
        "capped": sum(score["capped"] for score in scores),
        "answered": fmean(record["status"] == "answered" for _, record in answerable) if generates else None,
        "refused": fmean(record["status"] in ("abstained", "gave_up") for record in refusable) if generates else None,
        "steps": fmean(len(record["steps"]) for _, record in asked),
        "words": fmean(sum(words(hit, documents) for hit in record["final"]) for _, record in asked),
        "dropped_copies": sum(len(record["copies"]) for _, record in asked),
        "n": len(asked),
        "n_ok": sum(record["status"] != "failed" for _, record in asked),
        "p50_s": percentiles[49],
        "p95_s": percentiles[94],
    }


ENDS = (
    *("failed", "not_reachable", "copy", "not_retrieved", "reranking", "withheld", "abstained", "not_cited", "cited", "found"),
)


def ends(question, record, documents, options):
    """Where each evidence ended; with the chunks of these experiments every evidence is reachable."""
    steps = [step for step in record["steps"] if step["name"] == "rerank"]
    kept = [hit for hit in record["retrieved"] if hit["chunk"] in [row[0] for row in steps[-1]["outcome"]["hits"]]]
    for label in question["required_evidence_ids"]:
        need = evidence(label, documents)
        if not finds(record["retrieved"], need):
            yield "copy" if finds(record["retrieved"] + record["copies"], need) else "not_retrieved"
        elif not finds(kept, need):
            yield "reranking"
        elif not finds(record["final"], need):
            yield "withheld"
        elif record["status"] == "searched":
            yield "found"
        elif record["status"] == "abstained":
            yield "abstained"
        else:
            yield "cited" if finds(cited_hits(record), need) else "not_cited"


def finds(hits, need):
    source, places = need
    own = [set(range(hit["start"], hit["end"])) for hit in hits if hit["document"] == source]
    return bool(own) and (places is None or set().union(*own) >= places)


def cited_hits(record):
    return [hit for hit in record["final"] if hit["chunk"] in record["answer"]["cited"]]


def stages(answerable, documents, options, generates):
    """Numbers of the stages: mean over the answerable questions, of characters over those with quotes only."""
    precisions, cited, cited_recalls, characters, at_1 = [], [], [], [], []
    for question, record in answerable:
        needed = [evidence(label, documents) for label in question["required_evidence_ids"]]
        given = [any(touches(hit, need) for need in needed) for hit in record["final"]]
        precisions.append(fmean(given) if given else 0)
        at_1.append(fmean(finds(record["retrieved"][:1], need) for need in needed))
        if generates:
            right = [any(touches(hit, need) for need in needed) for hit in cited_hits(record)]
            cited.append(fmean(right) if right else 0)
            cited_recalls.append(fmean(finds(cited_hits(record), need) for need in needed))
        if all(places is not None for _, places in needed):
            # All characters of a quote, white space too; those of different quotes of these experiments do not overlap.
            wanted = {(source, place) for source, places in needed for place in range(min(places), max(places) + 1)}
            read = [(hit["document"], place) for hit in record["final"] for place in range(hit["start"], hit["end"])]
            covered = len(wanted & set(read))
            characters.append(
                (covered / len(wanted), covered / max(1, len(read)), covered / (len(read) + len(wanted) - covered))
            )
    means = [fmean(column) for column in zip(*characters, strict=True)] or [None] * 3
    return {
        "context_precision": fmean(precisions),
        "retrieved_recall@1": fmean(at_1),
        "citation_precision": fmean(cited) if cited else None,
        "citation_recall": fmean(cited_recalls) if cited else None,
        **dict(zip(("character_recall", "character_precision", "character_iou"), means, strict=True)),
        "refused_wrongly": fmean(record["status"] in ("abstained", "gave_up") for _, record in answerable)
        if generates
        else None,
    }


def touches(hit, need):
    source, places = need
    return hit["document"] == source and (places is None or bool(places & set(range(hit["start"], hit["end"]))))


def metrics(hits, needed, k):
    """Pairs of a metric and its value for one ranked list."""
    spans = [(hit["document"], set(range(hit["start"], hit["end"]))) for hit in hits[:k]]
    gains = [0] * k
    for source, places in needed:
        covered = set()
        for rank, (document, span) in enumerate(spans):
            covered |= span if document == source else set()
            if covered and (places is None or covered >= places):
                gains[rank] += 1
                break
    matching = [any(each == source and (not places or span & places) for source, places in needed) for each, span in spans]
    discounts = [1 / log2(rank + 2) for rank in range(k)]
    ndcg = sum(gain * discount for gain, discount in zip(gains, discounts, strict=True)) / sum(discounts[: len(needed)])
    yield "recall", sum(gains) / len(needed)
    yield "mrr", max((1 / rank for rank, gain in enumerate(gains, 1) if gain), default=0)
    yield "ndcg", min(1, ndcg)
    yield "capped", ndcg > 1
    yield "hit", any(gains)
    yield "all", sum(gains) == len(needed)
    yield "precision", sum(matching) / k


def evidence(label, documents):
    """(document, places of the letters of its quote), the places None for a whole file. A quote stands there exactly once."""
    if isinstance(label, str):
        return label, None
    places = [place for place, char in enumerate(documents[label["source"]]) if not char.isspace()]
    text, quote = "".join(documents[label["source"]].split()), "".join(label["quote"].split())
    assert text.count(quote) == 1
    return label["source"], set(places[text.index(quote) :][: len(quote)])


def words(hit, documents):
    """Runs of non-space; XQuAD has some Chinese names, of which each character is a word."""
    text = documents[hit["document"]][hit["start"] : hit["end"]]
    return len(re.sub(r"([\u4e00-\u9fff][^\w\s]*)", r" \1 ", text).split())
