"""What a person should know about readings and chunkings before comparing them."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence, Set
from typing import Any

import numpy as np

from ragsweep.embedders.minilm import MiniLM
from ragsweep.errors import InputErrors
from ragsweep.index import Chunks
from ragsweep.reporting.remarks import UNEQUAL
from ragsweep.retrievers import keyword_settings
from ragsweep.setups import GROUPS, Setup, field_name
from ragsweep.sweep.chunking import Chunking
from ragsweep.text.scripts import foreign_shares
from ragsweep.types import Document, Question

MOST_NAMES = 6
"""Names of chunkings that one notice lists."""
OF_PARTS = ("chunk_size", "chunk_overlap", "length", "language")
"""Root values that reach some parts only."""
FOREIGN = 0.25
"""A document with a larger share of letters that are not Latin is written in another script (measured: decisions/sweep.md)."""


def script_notices(setups: Iterable[Setup], documents: Mapping[str, Document]) -> Sequence[str]:
    """Notices about documents in another script than Latin, where ``setups`` read them as English."""
    shares = {id: foreign_shares(document.text) for id, document in documents.items()}
    foreign = [id for id, (share, _) in shares.items() if share > FOREIGN]
    if not foreign:
        return []
    more = f" and {len(foreign) - 3} more" if len(foreign) > 3 else ""
    written = (
        f"{len(foreign)} of {len(documents)} documents are not in Latin script ({', '.join(map(repr, foreign[:3]))}{more})"
    )
    uses: dict[str, None] = {}
    languages = set()
    for setup in setups:
        uses |= {"embedder=minilm": None} if isinstance(setup.embedder, MiniLM) else {}
        if "sentences" in setup.needs:
            uses["generator=extractive"] = None
            languages.add(setup.sentence_language)
        if "bm25" in setup.needs:
            languages.add(keyword_settings(setup.retriever, setup.reranker).language)
    notices = []
    if uses:
        instead = "take another embedder or retriever=bm25, with rag_type=search"
        notices.append(f"{written}; minilm ({', '.join(uses)}) knows English, so ranks and refusals mean little: {instead}")
    if "english" in languages and any(spaced > FOREIGN for _, spaced in shares.values()):
        notices.append(f"{written}; language=english has no stems of their words: write their language, as in language=russian")
    return notices


def unused_notices(setups: Sequence[Setup], written: Iterable[str], sort: str | None) -> Sequence[str]:
    """Notices about values that the user wrote, by key, and none of ``setups`` uses; and about a sort by what none has."""
    described = [setup.describe() for setup in setups]
    asked = [key for key in written if key.partition(".")[0] in (*GROUPS, *OF_PARTS)]
    unused = [key for key in asked if not any(_uses(parts, key) for parts in described)]
    notices = [f"no setup uses {', '.join(unused)}: what is written there changes nothing"] if unused else []
    if sort in ("answered", "refused") and not any("generator" in setup.needs for setup in setups):
        notices.append(f"report.sort={sort}: no setup gives answers, so Recall decides, and rows stand as written")
    return notices


def _uses(parts: Mapping[str, Any], key: str) -> bool:
    """Whether a described setup has a part, a setting of it (with dots), or a root value that any of its parts takes."""
    if key in OF_PARTS:
        return any(key in part or key in part.get("bm25", ()) for part in parts.values() if isinstance(part, Mapping))
    group, *path = key.split(".")
    node = parts[group]
    for name in path:
        if not isinstance(node, Mapping) or field_name(name) not in node:
            return False
        node = node[field_name(name)]
    return bool(path) or node is not None


def said_once(notices: Mapping[str, Sequence[str]]) -> list[str]:
    """The notices of all readings, by their names: one that all have stands once, any other says whose it is.

    >>> said_once({"pypdf": ["a", "b"], "pdfium": ["a"]})
    ['a', 'with pdf=pypdf: b']
    """
    shared = Counter(notice for said in notices.values() for notice in set(said))
    every = ((name, notice) for name, said in notices.items() for notice in said)
    told = (notice if shared[notice] == len(notices) else f"with pdf={name}: {notice}" for name, notice in every)
    return list(dict.fromkeys(told))


def _all(names: Sequence[str]) -> str:
    """All names of a few, the first of many."""
    if len(names) > MOST_NAMES:
        return f"{', '.join(names[:MOST_NAMES])} and {len(names) - MOST_NAMES} more"
    return f"{', '.join(names[:-1])} and {names[-1]}"


def chunking_notices(chunkings: Mapping[str, Chunking], limited: Set[str]) -> Sequence[str]:
    """Notices about ``chunkings`` by name: identical ones, and mean sizes that differ by over 20 % among those that are
    ``limited`` in their number of chunks alone, whatever their size.
    """
    alike: dict[tuple[str, bytes, bytes], list[str]] = {}
    for name, chunking in chunkings.items():
        cuts = chunking.chunks.spans.tobytes(), chunking.chunks.context.tobytes()
        alike.setdefault((chunking.reading, *cuts), []).append(name)
    same = [
        f"{_all(names)} cut these files alike: comparing them shows nothing about chunking"
        for names in alike.values()
        if len(names) > 1
    ]
    words = {name: chunking.words for name, chunking in chunkings.items() if name in limited}
    if len(words) < 2:
        return same
    small, large = min(words, key=words.__getitem__), max(words, key=words.__getitem__)
    if words[large] > UNEQUAL * words[small]:
        same.append(
            f"mean chunk words differ: {small} {words[small]:.0f}, {large} {words[large]:.0f}; "
            "bigger chunks give the generator more room"
        )
    return same


def room_notices(
    questions: Sequence[Question], rooms: Set[tuple[str, int | None]], chunkings: Mapping[str, Chunking]
) -> Sequence[str]:
    """Notices about ``rooms``, pairs of chunking and context_words: chunks that hardly fit, and labels that suit tiny ones."""
    notices = [
        f"context_words={room} is less than a mean chunk of {name} ({chunkings[name].words:.0f} words): most questions get none"
        for name, room in sorted(rooms, key=str)
        if room is not None and name in chunkings and chunkings[name].words > room
    ]
    if rooms and any(evidence.kind in ("file", "page") for question in questions for evidence in question.evidence):
        notices.append("file and page labels reward tiny chunks under context_words, by construction: label quotes")
    return notices


def chunk_label_notices(questions: Sequence[Question], chunkings: Mapping[str, Chunking]) -> Sequence[str]:
    """Notices about chunk labels past the end of their document in some of ``chunkings``; InputErrors for those in all."""
    counts = {name: _chunks_of_each(chunking.chunks) for name, chunking in chunkings.items()}
    problems: list[str] = []
    notices: list[str] = []
    for question in questions:
        for evidence in (each for each in question.evidence if each.kind == "chunk"):
            place = evidence.places[0]
            few = {name: count[place.document] for name, count in counts.items() if count[place.document] < (place.chunk or 0)}
            if few:
                found = ", ".join(f"{name} {count}" for name, count in few.items())
                said = f"Question {question.id!r}: {evidence.label!r} is past the last chunk of its document: {found}"
                (problems if len(few) == len(counts) else notices).append(f"{said} ({question.where})")
    if problems:
        raise InputErrors(problems)
    return [f"{notice}; setups with these cannot find it" for notice in notices]


def context_notices(questions: Sequence[Question], names: Sequence[str]) -> Sequence[str]:
    """Notices about setups by ``names`` whose retriever brings contexts of its own."""
    labelled = any(evidence.kind == "chunk" for question in questions for evidence in question.evidence)
    said = "labels of chunks mean those that ragsweep cuts, and no context matches one: label quotes"
    return [f"{_all(names) if len(names) > 1 else names[0]}: {said}"] if labelled and names else []


def _chunks_of_each(chunks: Chunks) -> dict[str, int]:
    """The number of chunks of each document."""
    counts = np.bincount(chunks.spans[:, 0], minlength=len(chunks.documents)).tolist()
    return dict(zip(chunks.documents, counts, strict=True))
