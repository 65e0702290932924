"""What a person should know about the chunkings before comparing them."""

from collections.abc import Mapping, Sequence, Set

import numpy as np

from ragsweep.errors import InputErrors
from ragsweep.index import Chunks
from ragsweep.text.words import count_words
from ragsweep.types import Document, Question

UNEQUAL = 1.2
"""Mean chunk words that differ by more than this factor give the generator unequal room (SPEC 2: over 20 %)."""


def mean_words(chunks: Chunks, documents: Mapping[str, Document]) -> float:
    """Mean number of words of a chunk."""
    return sum(count_words(text) for text in chunks.texts(documents)) / len(chunks)


def chunking_notices(chunkings: Mapping[str, Chunks], words: Mapping[str, float]) -> Sequence[str]:
    """Notices about ``chunkings`` by name: identical ones, and mean sizes that differ by over 20 % among ``words``: those of
    which as many chunks are kept whatever their size.
    """
    alike: dict[tuple[bytes, bytes], list[str]] = {}
    for name, chunks in chunkings.items():
        alike.setdefault((chunks.spans.tobytes(), chunks.context.tobytes()), []).append(name)
    same = [
        f"{', '.join(names[:-1])} and {names[-1]} cut these files alike: comparing them shows nothing about chunking"
        for names in alike.values()
        if len(names) > 1
    ]
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
    questions: Sequence[Question], rooms: Set[tuple[str, int | None]], words: Mapping[str, float]
) -> Sequence[str]:
    """Notices about ``rooms``, pairs of chunking and context_words: chunks that hardly fit, and labels that suit tiny ones."""
    notices = [
        f"context_words={room} is less than a mean chunk of {name} ({words[name]:.0f} words): most questions get none"
        for name, room in sorted(rooms, key=str)
        if room is not None and words.get(name, 0) > room
    ]
    if rooms and any(evidence.kind in ("file", "page") for question in questions for evidence in question.evidence):
        notices.append("file and page labels reward tiny chunks under context_words, by construction: label quotes")
    return notices


def chunk_label_notices(questions: Sequence[Question], chunkings: Mapping[str, Chunks]) -> Sequence[str]:
    """Notices about chunk labels past the end of their document in some of ``chunkings``; InputErrors for those in all."""
    counts = {
        name: dict(zip(chunks.documents, np.bincount(chunks.spans[:, 0], minlength=len(chunks.documents)), strict=True))
        for name, chunks in chunkings.items()
    }
    problems: list[str] = []
    notices: list[str] = []
    for question in questions:
        for evidence in question.evidence:
            place = evidence.places[0]
            few = {name: count[place.document] for name, count in counts.items() if count[place.document] < (place.chunk or 0)}
            if few:
                found = ", ".join(f"{name} {count}" for name, count in few.items())
                said = f"Question {question.id!r}: {evidence.label!r} is past the last chunk of its document: {found}"
                (problems if len(few) == len(counts) else notices).append(f"{said} ({question.where})")
    if problems:
        raise InputErrors(problems)
    return [f"{notice}; setups with these cannot find it" for notice in notices]
