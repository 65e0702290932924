"""raglite-toolkit 2.2.0's own scorer beside ours, on the same ranked passages, under evidence_match: single."""

from random import Random
from types import SimpleNamespace

import pytest

from ragsweep.evaluation.score import score
from ragsweep.questions import load, resolve
from ragsweep.types import Document, Hit, Record

raglite = pytest.importorskip("raglite.eval", reason="pip install 'ragsweep[peers]'")

TEXT = "Leave days Staff may take five weeks of paid rest each year ask HR Refunds close in March 25 30"
SEPARATORS = [" ", " ", " ", "\n", "  "]


def written(random, length):
    return "".join(random.choice(TEXT.split()) + random.choice(SEPARATORS) for _ in range(length)).strip()


def document(random, id, pages):
    """A text of 1 to 4 pages, each with its span; a Markdown file has one, and no page."""
    texts = [written(random, random.randint(8, 20)) for _ in range(random.randint(1, 4) if pages else 1)]
    starts = [sum(len(text) + 2 for text in texts[:place]) for place in range(len(texts))]
    spans = tuple((start, start + len(text)) for start, text in zip(starts, texts, strict=True))
    return Document(id, "\n\n".join(texts), id, pages=spans if pages else ())


def chunks_of(random, source):
    """Windows of whole words, over page borders too, numbered from 1."""
    words = [(start, start + len(word)) for start, word in positions(source.text)]
    size, step = random.randint(3, 9), random.randint(2, 6)
    firsts = range(0, len(words), min(size, step))
    spans = [(words[first][0], words[min(first + size, len(words)) - 1][1]) for first in firsts]
    kept = [span for place, span in enumerate(spans) if not place or span[1] > spans[place - 1][1]]
    return [Hit(0, source.id, number, *span, score=0.5) for number, span in enumerate(kept, 1)]


def positions(text):
    place = 0
    for word in text.split():
        place = text.index(word, place)
        yield place, word
        place += len(word)


def label(random, documents, chunks):
    """Any of raglite's kinds: a string, a file, a page, a chunk."""
    source = random.choice(list(documents.values()))
    kind = random.choice(["quote", "quote", "file", "page", "chunk"])
    if kind == "quote":
        words = list(positions(source.text))
        first = random.randrange(len(words))
        last = min(len(words), first + random.randint(1, 5)) - 1
        text = source.text[words[first][0] : words[last][0] + len(words[last][1])]
        return random.choice([text, text.upper(), " ".join(text.split())])
    if kind == "page" and source.pages:
        return {"source": source.id, "page": random.randint(1, len(source.pages))}
    if kind == "chunk":
        return {"source": source.id, "chunk": random.randint(1, sum(hit.document == source.id for hit in chunks))}
    return {"source": source.id}


def as_passage(hit, documents):
    """A hit as raglite stores it: text, source, chunk number, first and last page."""
    source = documents[hit.document]
    on = [page for page, (start, end) in enumerate(source.pages, 1) if hit.start < end and start < hit.end]
    pages = {"page": on[0], "pageEnd": on[-1]} if on else {}
    metadata = SimpleNamespace(source=hit.document, chunk=hit.number, **pages)
    return SimpleNamespace(text=source.text[hit.start : hit.end], metadata=metadata)


def ours(expected, hits, documents, k):
    """(recall, reciprocal rank, hit) and the number of evidences left after merging equal labels."""
    [((question,), _)] = resolve(load([{"id": "q", "question": "?", "expected": expected}]), documents)
    final = score(Record("?", 0, "searched", hits, hits), question, documents, top_k=k, top_n=k, match="single").final
    return (final.recall, final.rr, final.hit), len(question.evidence)


def theirs(expected, hits, documents):
    passages = [as_passage(hit, documents) for hit in hits]
    recall, rank = raglite.score_results(passages, expected)
    return recall, rank, float(rank > 0)


@pytest.mark.parametrize("seed", range(200))
def test_equal_recall_mrr_and_hit_rate(seed):
    random = Random(seed)
    documents = {id: document(random, id, id.endswith("pdf")) for id in ("a.pdf", "b.pdf", "c.md")}
    chunks = [hit for source in documents.values() for hit in chunks_of(random, source)]
    k = random.randint(1, 20)  # with many hits the halves of a quote meet: under union 8 of the 200 come out differently
    hits = tuple(random.sample(chunks, min(k, len(chunks))))
    while True:  # equal labels are one for us, which is the first of the differences below
        expected = [label(random, documents, chunks) for _ in range(random.randint(1, 4))]
        mine, distinct = ours(expected, hits, documents, k)
        if distinct == len(expected):
            break
    assert mine == pytest.approx(theirs(expected, hits, documents))


# ---- where they differ, and why ------------------------------------------------------------------------------------------


def both(expected, text, *spans, k=5):
    documents = {"t.md": Document("t.md", text, "t")}
    hits = tuple(Hit(0, "t.md", number, *span, score=0.5) for number, span in enumerate(spans, 1))
    return ours(expected, hits, documents, k)[0][0], theirs(expected, hits, documents)[0]


@pytest.mark.parametrize(
    ("expected", "text", "spans", "recalls"),
    [
        pytest.param(["a b", "A  B", "c"], "a b. c", [(0, 4)], (1 / 2, 2 / 3), id="equal labels are one"),
        pytest.param(["10 days"], "10 days. 110 days", [(9, 17)], (0, 1), id="a digit at an end touches no digit"),
        pytest.param(["pay"], "pay. repay", [(5, 10)], (0, 1), id="whole words where there are some"),
        pytest.param(["days"], "110 days. weekdays", [(10, 18)], (0, 1), id="also at the other end"),
        pytest.param(["0 days"], "110 days. 0 days", [(2, 8)], (0, 1), id="a chunk that cuts a word makes no quote"),
        pytest.param(["office"], "the oﬃce", [(0, 8)], (1, 0), id="ligatures"),
        pytest.param(["it's so"], "it’s so", [(0, 7)], (1, 0), id="curly quotes"),
        pytest.param(["payment"], "pay-\nment", [(0, 9)], (1, 0), id="a word cut at a line's end"),
        pytest.param(["strasse"], "Straße", [(0, 6)], (1, 0), id="case folding, not lower case"),
        pytest.param(["café"], "cafe\u0301", [(0, 5)], (1, 0), id="combining accents"),
    ],
)
def test_differences(expected, text, spans, recalls):
    assert both(expected, text, *spans) == pytest.approx(recalls)
