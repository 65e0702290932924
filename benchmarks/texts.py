"""The texts that are measured on: those of the committed experiments."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path

from ragsweep.types import Document

EXPERIMENTS = Path(__file__).parents[1] / "experiments"
SETS = ("chroma_chunking", "hotpotqa_100", "xquad_en", "policies")
_LONGER = re.compile(r"(?<=\w{4})\b")


@cache
def real_documents(megabytes: float) -> tuple[Document, ...]:
    """About so much text: the committed documents, as often as it takes."""
    paths = [path for name in SETS for path in sorted((EXPERIMENTS / name / "documents").rglob("*")) if path.is_file()]
    texts = [path.read_text(encoding="utf-8") for path in paths]
    documents: list[Document] = []
    size = 0
    while size < megabytes * 1e6:
        text = texts[len(documents) % len(texts)]
        documents.append(Document(f"{len(documents):05}.md", text, ""))
        size += len(text.encode())
    return tuple(documents)


def without_copies(documents: Sequence[Document]) -> Iterator[Document]:
    """The same, where a text that comes again ends its longer words otherwise: no two chunks of them are copies."""
    times = Counter[str]()
    for document in documents:
        ending = "q" * times[document.text]
        times[document.text] += 1
        yield replace(document, text=_LONGER.sub(ending, document.text))


@cache
def real_chunks(count: int) -> tuple[str, ...]:
    """So many distinct texts of about 100 words: windows of the real documents that begin at different words."""
    words = [word for document in real_documents(1.7) for word in document.text.split()]
    return tuple(" ".join(words[start : start + 100]) for start in range(0, count * 2, 2))[:count]
