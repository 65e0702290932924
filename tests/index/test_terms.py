"""Keywords read once a document and cut to chunks are those of each chunk read by itself."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragsweep.index import Bm25Index, Chunks, Terms
from ragsweep.text.keywords import keywords
from ragsweep.types import Document

PIECES = [
    "leave",
    "Leaves",
    "ERR_4021",
    "a.b",
    "the",
    " ",
    "\n",
    "-",
    "_",
    "/",
    ".",
    "年休二十日",
    "ที่นี่",
    "e\u0301",
    "\u0301",
    "x",
    "7",
    "ﬁ",
    "한국",
]
texts = st.lists(st.sampled_from(PIECES), max_size=25).map("".join)


@st.composite
def cut_documents(draw):
    """Documents with ascending spans, some of which carry another span of their document."""
    documents = {f"{name}.md": Document(f"{name}.md", draw(texts), "") for name in "ab"}
    spans, context = [], []
    for place, document in enumerate(documents.values()):
        length = len(document.text)
        for start in sorted(draw(st.sets(st.integers(0, max(0, length - 1)), max_size=4))):
            if start < length:
                if draw(st.booleans()):
                    context.append((len(spans), draw(st.integers(0, start)), start))
                spans.append((place, start, draw(st.integers(start + 1, length))))
    context = [each for each in context if each[1] < each[2]]
    return documents, spans, context


@given(cut_documents())
def test_they_are_the_keywords_of_each_passage(cut):
    documents, spans, context = cut
    if not spans:
        return
    arrays = (np.array(each, dtype=np.int64).reshape(-1, 3) for each in (spans, context))
    chunks = Chunks(tuple(documents), *arrays)
    held = Terms(documents, "english").of(chunks)
    terms = list(held.vocabulary)
    found = [[terms[id] for id in held.ids[start:end]] for start, end in zip([0, *held.ends], held.ends, strict=False)]
    assert found == [keywords(passage) for passage in chunks.passages(documents)]
    assert set(held.ids.tolist()) == set(range(len(terms))), "an index holds no term of another chunking"


@pytest.mark.parametrize("query", ["annual leave", "ERR_4021", "年休二十", "nothing of it"])
def test_the_index_is_that_of_the_texts(query):
    text = "Annual leave: 25 days.\n\nERR_4021 is sick leave; 年休二十日。\n\nLeave again, and leave it."
    documents = {"a.md": Document("a.md", text, "")}
    chunks = Chunks(("a.md",), np.array([(0, 0, 20), (0, 15, 50), (0, 45, len(text))], dtype=np.int64))
    one, other = Bm25Index.of(Terms(documents, "english").of(chunks)), Bm25Index.build(chunks.passages(documents))
    assert (one.scores(query) == other.scores(query)).all()
