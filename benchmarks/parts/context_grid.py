"""The same grid of keyword setups beside context-grid, whole processes."""

import json
import random
import sys
from collections.abc import Iterator
from pathlib import Path
from shutil import rmtree

from benchmarks.measuring import RAGSWEEP, Comparison, Timed, compared, own_place, run_command

FILES, QUESTIONS = 200, 50
GRID = """
name: words
corpus: ./docs
evalset: ./questions.jsonl
grid: {chunker: ["recursive:512", "recursive:128", "sentence:3"], embedder: [hash], index: [bm25], reranker: [null, lexical]}
run: {mode: factorial, k: 5, headline: recall@5, cache: disk}
report: {out: ./out, formats: [json]}
"""
OURS = [
    *("run", "--files=docs", "--questions=questions.json", "rag_type=search", "retriever=bm25", "reranker=none,overlap"),
    *("top_k=50", "top_n=5", "chunker=recursive", "chunk_overlap=0", "chunk_size=400,100,45"),
]


def compare(times: int) -> Iterator[Comparison]:
    """CPU of all processes, with an empty store and with a full one. Both have three chunkings of about 600 to 6,000 chunks."""
    with own_place() as (folder, environment):
        _write(folder)
        peer = [str(Path(sys.executable).with_name("contextgrid")), "run", "grid.yaml"]
        cold, warm = [], []
        for _ in range(max(1, times // 2)):
            for left in (folder / ".contextgrid", folder / "out", folder / "run", folder / ".store"):
                rmtree(left, ignore_errors=True)
            ours, other = ([run_command(each, environment, folder) for _ in range(2)] for each in ([RAGSWEEP, *OURS], peer))
            cold.append((ours[0][0], other[0][0]))
            warm.append((ours[1][0], other[1][0]))
        for name, pairs in (("cold", cold), ("warm", warm)):
            middle = sorted(pairs, key=lambda pair: pair[0] / pair[1])[len(pairs) // 2]
            timed = Timed("CPU", *middle, middle[0] / middle[1])
            work = f"6 keyword setups, {FILES} files, {QUESTIONS} questions, {name}"
            note = f"peaks {ours[0][2]:.0f} and {other[0][2]:.0f} MB a process"
            yield compared("context_grid", work, "contextgrid run, cache: disk", timed, 0.1, note)


def _write(folder: Path) -> None:
    """Files of seeded words; in each one sentence that a question asks for."""
    draw = random.Random(11)
    words = [
        "".join(draw.choice("bdfgklmnprst") + draw.choice("aeiou") for _ in range(draw.randint(2, 4))) for _ in range(4000)
    ]
    (folder / "docs").mkdir()
    facts = []
    for number in range(FILES):
        topic = " ".join(draw.sample(words, 2))
        fact = f"The {topic} allowance is {draw.randint(10, 999)} {draw.choice(words)} units."
        parts = [[_sentence(draw, words) for _ in range(6)] for _ in range(15)]
        parts[7].insert(3, fact)
        text = "\n\n".join([f"# {topic.title()} handbook", *(" ".join(part) for part in parts)])
        (folder / "docs" / f"doc_{number:04}.md").write_text(text + "\n")
        facts.append((f"doc_{number:04}.md", f"What is the {topic} allowance?", fact))
    asked = draw.sample(facts, QUESTIONS)
    ours = [
        {"id": f"q{place}", "question": question, "required_evidence_ids": [{"source": name, "quote": fact}]}
        for place, (name, question, fact) in enumerate(asked)
    ]
    (folder / "questions.json").write_text(json.dumps(ours))
    theirs = [
        {
            **{"id": f"q{place}", "question": question, "gold": [], "qtype": None, "answer": fact, "meta": {}},
            "anchors": [{"source_id": name, "quote": fact, "grade": 2, "page_hint": None, "occurrence": 0}],
        }
        for place, (name, question, fact) in enumerate(asked)
    ]
    head = {"_evalset": {"id": "words", "version": 1, "source": "manual", "meta": {}}}
    (folder / "questions.jsonl").write_text("\n".join(json.dumps(line) for line in [head, *theirs]) + "\n")
    (folder / "grid.yaml").write_text(GRID)


def _sentence(draw: random.Random, words: list[str]) -> str:
    common = words[:800] if draw.random() < 0.7 else words
    return " ".join(draw.choices(common, k=14)).capitalize() + "."
