"""The keywords of documents, read once and cut to the chunks of any chunking."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, chain

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

    @classmethod
    def read(cls, texts: Sequence[str], language: Language) -> "Held":
        """Those of texts that are read one by one; terms are numbered by their first place."""
        vocabulary: dict[str, int] = {}
        ids = [_numbers(text, language, vocabulary) for text in texts]
        ends = np.cumsum([len(each) for each in ids], dtype=np.int64)
        return cls(np.fromiter(chain.from_iterable(ids), np.int32), ends, vocabulary)


_PARTS = re.compile(f"({RUN.pattern})")
_BLOCK = 1 << 20
"""Runs whose keywords are looked up together: what is computed between takes five times the room of the result."""


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
        known: dict[str, int] = {}
        self.starts, self.ends, runs = self._runs(known)
        own = [_numbers(run, language, self.vocabulary) for run in known]
        lengths = np.array([len(each) for each in own], dtype=np.int64)
        self.offsets = np.concatenate(([0], np.cumsum(lengths[runs])))
        flat = np.fromiter(chain.from_iterable(own), np.int32)
        blocks = np.array_split(runs, len(runs) // _BLOCK + 1)
        self.ids = np.concatenate([flat[_places(lengths, block)] for block in blocks])

    def _runs(self, known: dict[str, int]) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64], npt.NDArray[np.int32]]:
        """(starts, ends, number of each run); a run that is not yet known is numbered."""
        starts, ends, runs = ([np.zeros(0, kind)] for kind in (np.int64, np.int64, np.int32))
        for base, text in zip(self.bases.values(), self.texts, strict=True):
            parts = _PARTS.split(text)[:-1]  # what stands before a run, the run, and so on
            borders = base + np.cumsum(np.fromiter(map(len, parts), np.int64, len(parts)))
            starts.append(borders[::2])
            ends.append(borders[1::2])
            runs.append(np.array([known.setdefault(run, len(known)) for run in parts[1::2]], dtype=np.int32))
        return np.concatenate(starts), np.concatenate(ends), np.concatenate(runs)

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
            numbers = [np.array(_numbers(text, self.language, vocabulary), dtype=np.int32) for text in (before, behind)]
            parts[piece] = np.concatenate((numbers[0], parts[piece], numbers[1]))
        return parts

    def _cut(self, start: int, end: int) -> str:
        bases = list(self.bases.values())
        place = int(np.searchsorted(bases, start, "right")) - 1
        return self.texts[place][start - bases[place] : end - bases[place]]


def _numbers(text: str, language: Language, vocabulary: dict[str, int]) -> list[int]:
    """The keywords of a text, those that are new at the end of the vocabulary."""
    return [vocabulary.setdefault(term, len(vocabulary)) for term in keywords(text, language)]


def _places(lengths: npt.NDArray[np.int64], chosen: npt.NDArray[np.int32]) -> npt.NDArray[np.int64]:
    """Where the items of the chosen lists are, when lists of these lengths lie one behind the other.

    >>> _places(np.array([1, 0, 2]), np.array([2, 1, 0, 2]))
    array([1, 2, 0, 1, 2])
    """
    begins, counts = (np.cumsum(lengths) - lengths)[chosen], lengths[chosen]
    places: npt.NDArray[np.int64] = np.repeat(begins - np.cumsum(counts) + counts, counts) + np.arange(counts.sum())
    return places
