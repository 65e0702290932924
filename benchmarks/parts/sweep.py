"""A sweep of 48 setups on two cores, beside its distinct parts one after another, halved; once, as it takes minutes."""

import json
import os
import time
from collections.abc import Iterator, Mapping
from pathlib import Path

from benchmarks.installed.cheap import Hashing
from benchmarks.measuring import RAGSWEEP, Comparison, Timed, compared, own_place, run_command
from benchmarks.texts import real_documents, without_copies
from ragsweep.chunkers.paragraph import Paragraph
from ragsweep.chunkers.recursive import Recursive
from ragsweep.chunkers.sentence import Sentence
from ragsweep.chunkers.word import Word
from ragsweep.embedders.minilm import MiniLM
from ragsweep.index import Bm25Index, SentenceSpans, Terms, build_chunks
from ragsweep.types import Document

SIZES = (100, 200, 400)
GRID = [
    *("chunker=word,paragraph,recursive,sentence", "chunk_size=100,200,400", "chunk_overlap=0", "n_jobs=2"),
    *("rag_type=search,simple", "reranker=none,blend"),
]
INSTALLED = Path(__file__).parents[1] / "installed"
SWEEPS: Mapping[str, tuple[float, list[str]]] = {
    "1 MB, minilm": (1.0, []),
    "5 MB, a hashing embedder": (5.0, ["embedder=hashing", "generator=first"]),
}
QUESTIONS = 100


def compare(times: int) -> Iterator[Comparison]:
    """Cold against the parts, warm against cold."""
    for name, (megabytes, axes) in SWEEPS.items():
        documents = {document.id: document for document in without_copies(real_documents(megabytes))}
        with own_place() as (folder, environment):
            _write(folder, documents)
            environment["PYTHONPATH"] = os.pathsep.join([str(INSTALLED), environment.get("PYTHONPATH", "")])
            command = [RAGSWEEP, "run", "--files=docs", "--questions=questions.json", *GRID, *axes]
            (cold_cpu, cold, peak), (warm_cpu, warm, _) = (run_command(command, environment, folder) for _ in range(2))
            records = [json.loads(line) for path in (folder / "run/latest").glob("*/records.jsonl") for line in path.open()]
        once = _distinct(documents, dense="minilm" in name)
        parts = once + sum(step["seconds"] for each in records for step in each["steps"])
        work = f"{len(records) // QUESTIONS} setups, {QUESTIONS} questions, {name}"
        note = f"{cold_cpu / parts:.2f} x by CPU, {cold_cpu:.0f} s; peak {peak:.0f} MB a process"
        timed = Timed("wall", cold, parts / 2, 2 * cold / parts)
        yield compared("sweep", f"{work}, cold", "its distinct parts / 2", timed, 1.3, note)
        note = f"{warm_cpu / cold_cpu:.2f} x by CPU, {warm_cpu:.1f} s"
        yield compared("sweep", f"{work}, warm", "the same, cold", Timed("wall", warm, cold, warm / cold), 0.1, note)


def _write(folder: Path, documents: Mapping[str, Document]) -> None:
    (folder / "docs").mkdir()
    for name, document in documents.items():
        (folder / "docs" / name).write_text(document.text, encoding="utf-8")
    long = [document for document in documents.values() if len(document.text) > 1000]
    asked = [
        (document, 300 + 400 * turn) for turn in range(QUESTIONS) for document in long if 900 + 400 * turn < len(document.text)
    ]
    questions = [
        {"id": f"q{place}", "question": document.text[start : start + 80], "required_evidence_ids": [{"source": document.id}]}
        for place, (document, start) in enumerate(asked[:QUESTIONS])
    ]
    (folder / "questions.json").write_text(json.dumps(questions))


def _distinct(documents: Mapping[str, Document], *, dense: bool) -> float:
    """CPU seconds of each distinct thing once, in this process: cut, embedded, weighed."""
    begun = time.process_time()
    chunkers = [kind(chunk_size=size, chunk_overlap=0) for kind in (Word, Paragraph, Recursive, Sentence) for size in SIZES]
    chunkings = [build_chunks(documents.values(), chunker) for chunker in chunkers]
    terms = Terms(documents, "english")
    for chunks in chunkings:
        Bm25Index.of(terms.of(chunks))
    texts = dict.fromkeys(text for chunks in chunkings for text in chunks.passages(documents))
    if dense:
        sentences = dict.fromkeys(text for chunks in chunkings for text in SentenceSpans.split(chunks, documents)[1])
        MiniLM().embed(sorted({**texts, **sentences}, key=len))
    else:
        Hashing().embed(list(texts))
    return time.process_time() - begun
