"""The keyword indexes of 12 chunkings of the same files, beside bm25s on each."""

from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.measuring import Comparison, Side, compared, in_turn
from benchmarks.texts import real_documents
from ragsweep.chunkers.paragraph import Paragraph
from ragsweep.chunkers.recursive import Recursive
from ragsweep.chunkers.sentence import Sentence
from ragsweep.chunkers.word import Word
from ragsweep.index import build_chunks

CHUNKERS = [kind(chunk_size=size) for kind in (Word, Sentence, Paragraph, Recursive) for size in (60, 120, 240)]


def compare(times: int) -> Iterator[Comparison]:
    """From cut chunks to indexes, each side its own words."""
    raise NotImplementedError
