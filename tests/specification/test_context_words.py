"""context_words: a budget in place of top_n, from the steps of a question to the report, its bounds and its notices."""

import json
from itertools import combinations
from random import Random

import numpy as np
import pytest

from ragsweep.evaluation import ceiling as ceiling_module
from ragsweep.evaluation.ceiling import ceiling
from ragsweep.evaluation.floor import SHUFFLES, floor
from ragsweep.index.chunks import Chunks
from ragsweep.metrics.gains import found_ranks
from ragsweep.types import Document, Evidence, Hit, Place, Question

# ---- which hits are kept -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("room", "kept"),
    [(4, []), (5, [0]), (9, [0]), (10, [0, 1]), (16, [0, 1, 2]), (17, [0, 1, 2]), (21, [0, 1, 2, 3]), (99, [0, 1, 2, 3])],
)
def test_hits_are_kept_in_rank_order_until_the_next_would_not_fit(make_steps, room, kept):
    steps = make_steps(top_k=4, top_n=4, context_words=room)  # chunks of 6, 5, 7 and 5 words, reversed twice
    sizes = [len(steps.index.text(chunk).split()) for chunk in range(4)]
    hits = steps.rerank("a question", [steps.index.hit(chunk, 1.0) for chunk in (2, 3, 0, 1)])
    assert sizes == [6, 5, 7, 5] and [hit.chunk for hit in hits] == [[1, 0, 3, 2][place] for place in expected(sizes, room)]
    assert dict(steps.taken[0].inputs)["context_words"] == room and "top_n" not in steps.taken[0].inputs


def expected(sizes, room):
    """The hits that fit, a smaller one behind the first that does not left out too."""
    order, kept, used = [1, 0, 3, 2], [], 0
    for rank, chunk in enumerate(order):
        used += sizes[chunk]
        if used > room:
            break
        kept.append(rank)
    return kept


# ---- from the command line to the report ---------------------------------------------------------------------------------

QUESTIONS = [
    {"id": "q1", "question": "How many days of leave?", "expected": ["25 days of leave"]},
    {"id": "q2", "question": "Who approves the dates?", "expected": ["manager approves"]},
]


def test_a_sweep_over_budgets(project):
    project.questions(QUESTIONS)
    ran = project.files("run", "chunker=word", "chunk_size=7", "chunk_overlap=0", "context_words=null,4,14", "top_k=3")
    assert ran.code == 0, ran.err
    assert "Retrieval report: 2 questions\n" in ran.out and " Recall@k " in ran.out
    report = json.loads((ran.runs[0] / "report.json").read_text("utf-8"))
    setups = {setup["name"]: setup for setup in report["setups"]}
    assert list(setups) == ["context_words=null", "context_words=4", "context_words=14"]
    assert [setup["words"] for setup in setups.values()] == [11.5, 0, 8]  # 18 and 5, nothing, 11 and 5
    assert [setup["recall"] for setup in setups.values()] == [1, 0, 1]
    assert "top_n" not in setups["context_words=14"]["options"] and setups["context_words=null"]["options"]["top_n"] == 3
    assert [(bound.get("context_words"), bound["recall"]) for bound in report["ceilings"]] == [(None, 1), (4, 0), (14, 1)]
    assert "floor (word + context_words=4)" in ran.out and "floor (word + top_n=3)" in ran.out
    assert len({setup["id"] for setup in report["setups"]}) == 3
    assert "context_words=4 is less than a mean chunk of word" in ran.out
    assert report["setups"][2]["precision"] == pytest.approx(1 / 3)  # k is top_k, whatever fitted


def test_one_budget_stands_in_the_title_and_headers_name_no_number(project):
    project.questions(QUESTIONS)
    out = project.files("run", "context_words=50").out
    assert "Retrieval report: 2 questions, context_words=50\n" in out
    assert " Recall " in out and "@" not in out
    assert "context_words=50" in next(line for line in out.splitlines() if line.startswith("fixed:"))
    assert "top_n=" not in out


def notices(project, *overrides):
    ran = project.files("plan", *overrides)
    assert ran.code == 0, ran.err
    return [line.removeprefix("  notice: ") for line in ran.out.splitlines() if line.startswith("  notice: ")]


def test_unequal_chunks_are_noticed_only_without_a_budget(project):
    project.questions(QUESTIONS)
    axes = ("chunker=word", "chunk_size=4,8", "chunk_overlap=0")
    assert any(notice.startswith("mean chunk words differ: ") for notice in notices(project, *axes))
    assert not any(notice.startswith("mean chunk words differ: ") for notice in notices(project, *axes, "context_words=50"))
    assert any(notice.startswith("mean chunk words differ: ") for notice in notices(project, *axes, "context_words=50,null"))


@pytest.mark.parametrize(("evidence", "noticed"), [("leave.md", True), ({"source": "leave.md", "quote": "25 days"}, False)])
def test_file_labels_are_noticed_under_a_budget(project, evidence, noticed):
    project.questions([{"id": "q", "question": "How many?", "required_evidence_ids": [evidence]}])
    said = "file and page labels reward tiny chunks under context_words, by construction: label quotes"
    assert (said in notices(project, "context_words=50")) == noticed
    assert said not in notices(project)


# ---- floor and ceiling ---------------------------------------------------------------------------------------------------


def case(seed):
    """Chunks of 1 to 4 words that do not overlap, and quotes that lie in or across them."""
    random = Random(seed)
    text = " ".join("w" for _ in range(16))
    spans, start = [], 0
    while start < 16:
        size = min(random.randint(1, 4), 16 - start)
        spans.append((0, 2 * start, 2 * (start + size) - 1))
        start += size
    evidence = []
    for number in range(random.randint(1, 4)):
        first, size = random.randrange(14), random.randint(1, 3)
        evidence.append(Evidence("quote", str(number), (Place("a", 2 * first, min(31, 2 * (first + size) - 1)),)))
    chunks = Chunks(("a",), np.array(spans, dtype=np.int64))
    return (
        chunks,
        Question("q", "?", tuple(evidence)),
        {"a": Document("a", text, "")},
        random.randint(1, 4),
        random.randint(1, 9),
    )


@pytest.mark.parametrize("seed", range(100))
def test_bounds_equal_trying_everything_that_fits(seed, monkeypatch):
    chunks, question, documents, k, room = case(seed)
    hits = [Hit(place, "a", place + 1, *chunks.span(place)[1:], score=0) for place in range(len(chunks))]
    words = [len(documents["a"].text[hit.start : hit.end].split()) for hit in hits]

    def recall(chosen):
        return sum(rank is not None for rank in found_ranks(chosen, question.evidence, documents)) / len(question.evidence)

    chosen = (some for size in range(k + 1) for some in combinations(hits, size))
    best = max(recall(some) for some in chosen if sum(words[hit.chunk] for hit in some) <= room)
    assert ceiling(chunks, [question], documents, k, "union", room) == (pytest.approx(best), True)

    def kept(order):
        used = np.cumsum([words[place] for place in order])
        return [hits[place] for place, total in zip(order, used, strict=True) if total <= room]

    shuffles = np.random.RandomState(0)
    drawn = [kept(shuffles.permutation(len(hits))[:k]) for _ in range(SHUFFLES)]
    assert floor(chunks, [question], documents, k, "union", room) == pytest.approx(np.mean([recall(some) for some in drawn]))

    monkeypatch.setattr(ceiling_module, "SEARCHED", 0)
    bound, exact = ceiling(chunks, [question], documents, k, "union", room)
    assert bound == pytest.approx(best) if exact else bound >= best - 1e-9
