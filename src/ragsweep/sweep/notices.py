"""What a person should know about the chunkings before comparing them."""

from collections.abc import Mapping, Sequence

from ragsweep.index import Chunks
from ragsweep.text.words import count_words
from ragsweep.types import Document

UNEQUAL = 1.2
"""Mean chunk words that differ by more than this factor give the generator unequal room (SPEC 2: over 20 %)."""


def mean_words(chunks: Chunks, documents: Mapping[str, Document]) -> float:
    """Mean number of words of a chunk."""
    return sum(count_words(text) for text in chunks.texts(documents)) / len(chunks)


def chunking_notices(chunkings: Mapping[str, Chunks], words: Mapping[str, float]) -> Sequence[str]:
    """Notices about ``chunkings`` by name: identical ones, and mean sizes that differ by over 20 %."""
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
