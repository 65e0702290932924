"""How cost grows, beside a straight line: seconds over those of the size before, divided by the sizes."""

import json
import resource
import time
from collections.abc import Callable, Iterator
from itertools import pairwise

import numpy as np

from benchmarks.measuring import RAGSWEEP, Comparison, Timed, compared, own_place, run_command
from benchmarks.texts import EXPERIMENTS, real_documents
from ragsweep.chunkers.word import Word
from ragsweep.index import Bm25Index, Dense, Terms, best, build_chunks
from ragsweep.text import keywords

FLOOR = 0.3
"""Seconds of CPU."""
CHUNKS_A_MEGABYTE = 3000
"""About so many of 100 words, each half over its neighbour; a million of them are 330 MB of text."""


def compare(times: int) -> Iterator[Comparison]:
    """Keyword chunks, dense vectors, questions and setups."""
    yield from _line("keyword chunks, built", (1_000, 10_000, 100_000, 1_000_000), _keywords)
    yield from _line("dense chunks, 20 questions", (1_000, 10_000, 100_000, 300_000), _dense)
    sample = EXPERIMENTS / "policies"
    common = [f"--files={sample / 'documents'}", "rag_type=search", "retriever=bm25", "n_jobs=1"]
    with own_place() as (folder, environment):

        def questions(count: int) -> float:
            asked = [each for each in json.loads((sample / "questions.json").read_text()) if each.get("answerable", True)]
            many = [
                {**asked[n % len(asked)], "id": f"q{n}", "question": f"{asked[n % len(asked)]['question']} {n}"}
                for n in range(count)
            ]
            (folder / "questions.json").write_text(json.dumps(many))
            return run_command([RAGSWEEP, "run", *common, "--questions=questions.json"], environment, folder)[0]

        def setups(count: int) -> float:
            swept = f"retriever.k1=range(1,{count + 1})"
            own = [f"--questions={sample / 'questions.json'}", "limit=3"]
            return run_command([RAGSWEEP, "run", *common, *own, swept], environment, folder)[0]

        yield from _line("questions of a run", (10, 100, 1_000, 10_000), questions, whole=True)
        yield from _line("setups of a run", (1, 50, 100, 500), setups, whole=True)


def _line(what: str, sizes: tuple[int, ...], seconds: Callable[[int], float], whole: bool = False) -> Iterator[Comparison]:
    """``whole``: a process, whose start-up, the seconds of the smallest size once it is stored, is taken off. What then is no
    longer than FLOOR is lost in its noise and left out."""
    seconds(sizes[0])
    first = seconds(sizes[0])
    taken = [(size, seconds(size) - (first if whole else 0)) for size in sizes[1:]]
    taken = [pair for pair in taken if pair[1] > FLOOR] if whole else [(sizes[0], first), *taken]
    note = f"peak {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB"
    for (less, before), (size, after) in pairwise(taken):
        timed = Timed("CPU", after, before * size / less, after / before * less / size)
        yield compared("growth", f"{what}: {size:,}", f"{less:,}, times {size / less:g}", timed, 1.3, note)


def _keywords(count: int) -> float:
    documents = {document.id: document for document in real_documents(count / CHUNKS_A_MEGABYTE)}
    chunks = build_chunks(documents.values(), Word(100, 50))
    keywords._terms.cache_clear()  # no size finds the words of another
    begun = time.process_time()
    Bm25Index.of(Terms(documents, "english").of(chunks))
    return (time.process_time() - begun) * count / len(chunks)


def _dense(count: int) -> float:
    vectors = np.random.default_rng(7).standard_normal((count, 384), dtype=np.float32)
    dense = Dense.build(np.arange(count), vectors)
    begun = time.process_time()
    for row in range(20):
        best(dense.scores(vectors[row]), 30)
    return time.process_time() - begun
