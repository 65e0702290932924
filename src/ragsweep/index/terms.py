"""The keywords of documents, read once and cut to the chunks of any chunking."""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import accumulate

import numpy as np
import numpy.typing as npt

from ragsweep.index.chunks import Chunks
from ragsweep.text.keywords import RUN, Language, keywords
from ragsweep.types import Document


@dataclass(frozen=True, eq=False)
class Held:
    """The keywords of the chunks of one chunking, in order and with repeats: those of chunk c are the places
    ``ids[ends[c - 1]:ends[c]]`` of ``vocabulary``, every one of which some chunk holds."""

    ids: npt.NDArray[np.int32]
    ends: npt.NDArray[np.int64]
    vocabulary: dict[str, int]


class Terms:
    """The keywords of some documents, as numbers, by the runs of letters that give them: each run gives its own by itself.

    The texts are thought of as one, in order. Run r lies from ``starts[r]`` to ``ends[r]`` and gives
    ``ids[offsets[r]:offsets[r + 1]]``, places in ``vocabulary``, which has the keywords in the order of their first place.
    """

    def __init__(self, documents: Mapping[str, Document], language: Language) -> None:
        self.language: Language = language
        self.vocabulary: dict[str, int] = {}
        self.texts = [documents[name].text for name in documents]
        self.bases = dict(zip(documents, accumulate(map(len, self.texts), initial=0), strict=False))
        spans, ids, offsets = list[tuple[int, int]](), list[int](), [0]
        known: dict[str, list[int]] = {}
        for base, text in zip(self.bases.values(), self.texts, strict=True):
            for match in RUN.finditer(text):
                run = match[0]
                if (own := known.get(run)) is None:
                    own = known[run] = self._numbers(run, self.vocabulary)
                spans.append((base + match.start(), base + match.end()))
                ids += own
                offsets.append(len(ids))
        self.starts, self.ends = np.array(spans, dtype=np.int64).reshape(-1, 2).T.copy()
        self.ids, self.offsets = np.array(ids, dtype=np.int32), np.array(offsets, dtype=np.int64)

    def _numbers(self, text: str, vocabulary: dict[str, int]) -> list[int]:
        return [vocabulary.setdefault(term, len(vocabulary)) for term in keywords(text, self.language)]

    def of(self, chunks: Chunks) -> Held:
        """Those of each chunk's passage, as ``keywords`` gives them: a run that a chunk cuts is read again, as far as the chunk
        holds it. Terms that no chunk holds are left out, so that an index is the same whatever else was read.
        """
        vocabulary = dict(self.vocabulary)
        pieces = self._pieces(chunks)
        parts = self._held(pieces, vocabulary)
        lengths = np.zeros(len(chunks), dtype=np.int64)
        np.add.at(lengths, pieces[:, 0], [len(part) for part in parts])
        ids = np.concatenate(parts)
        used = np.bincount(ids, minlength=len(vocabulary)) > 0
        numbers = np.cumsum(used, dtype=np.int32) - 1
        terms = [term for term, kept in zip(vocabulary, used.tolist(), strict=True) if kept]
        return Held(numbers[ids], np.cumsum(lengths), {term: place for place, term in enumerate(terms)})

    def _pieces(self, chunks: Chunks) -> npt.NDArray[np.int64]:
        """(chunk, start, end) of what a passage is put together from, in order, places in all texts as one."""
        own = np.column_stack((np.arange(len(chunks)), chunks.spans[:, 1:]))
        pieces = np.concatenate((chunks.context, own))
        pieces = pieces[np.argsort(pieces[:, 0], kind="stable")]
        bases = np.array([self.bases[name] for name in chunks.documents])[chunks.spans[:, 0]]
        return np.column_stack((pieces[:, 0], pieces[:, 1:] + bases[pieces[:, 0], None]))

    def _held(self, pieces: npt.NDArray[np.int64], vocabulary: dict[str, int]) -> list[npt.NDArray[np.int32]]:
        """The terms of each piece; the vocabulary grows by those of runs that are cut."""
        _, starts, ends = pieces.T
        first, after = np.searchsorted(self.starts, starts), np.searchsorted(self.ends, ends, "right")
        wholes = zip(self.offsets[first].tolist(), self.offsets[np.maximum(first, after)].tolist(), strict=True)
        parts = [self.ids[low:high] for low, high in wholes]
        # Each piece may begin inside a run that began before it, and end inside one, which may be the same.
        heads = np.minimum(np.concatenate(([0], self.ends))[first], ends)
        tails = np.concatenate((self.starts, [np.iinfo(np.int64).max]))[after]
        for piece in np.flatnonzero((heads > starts) | ((first <= after) & (tails < ends))).tolist():
            start, end, head, tail = (int(places[piece]) for places in (starts, ends, heads, tails))
            before = self._cut(start, head) if head > start else ""
            behind = self._cut(tail, end) if first[piece] <= after[piece] and tail < end else ""
            numbers = [np.array(self._numbers(text, vocabulary), dtype=np.int32) for text in (before, behind)]
            parts[piece] = np.concatenate((numbers[0], parts[piece], numbers[1]))
        return parts

    def _cut(self, start: int, end: int) -> str:
        bases = list(self.bases.values())
        place = int(np.searchsorted(bases, start, "right")) - 1
        return self.texts[place][start - bases[place] : end - bases[place]]
