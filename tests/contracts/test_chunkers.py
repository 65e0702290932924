"""What SPEC section 4 asks of every chunker, tried on every YAML of the group: a new chunker is tested by being there."""

import pickle
from collections.abc import Iterator
from importlib import import_module
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from omegaconf import OmegaConf

from ragsweep.chunkers.packing import Packing
from ragsweep.chunkers.token import Token
from ragsweep.parts import Chunker
from ragsweep.text.wordpiece import SPECIAL_TOKENS, count_tokens, token_spans
from ragsweep.text.words import count_words
from ragsweep.types import Block, Document, Heading, Span

FILES = sorted((Path(__file__).parents[2] / "conf" / "chunker").glob("*.yaml"))
MIXED_SCRIPTS = 4
MEASURES = {"words": count_words, "characters": len, "tokens": lambda text: count_tokens([text])[0] + SPECIAL_TOKENS}
SIZES = [(3, 0), (4, 1), (7, 6), (40, 9)]

PARTS = [
    "a",
    "Be",
    "long-winded",
    "x" * 90,
    "年休",
    "二十日。",
    "かな",
    "ที่",
    "한",
    "e\u0301",
    "[SEP]",
    "1.5",
    ".",
    "?",
    "!”",
    "Dr.",
]
SPACES = [" ", "  ", "\n", "\n\n", "\n \n", "\t", "\u3000", "\f", "\r\n", ""]
TEXTS = st.lists(st.sampled_from(PARTS) | st.sampled_from(SPACES), max_size=40).map("".join)


CELLS = st.lists(st.sampled_from(["a", "Be fg", "年休", "1.5", "x" * 30, ""]), min_size=2, max_size=2)
ROWS = st.lists(CELLS.map(lambda cells: f"| {cells[0]} | {cells[1]} |"), min_size=1, max_size=7)
TABLES = ROWS.map(lambda rows: [rows[0], "|---|---|", *rows[1:]])
FENCES = st.lists(st.sampled_from(["", "x = 1", "    if a. B:", "# no heading"]), max_size=7).map(
    lambda code: ["```", *code, "```"]
)


@st.composite
def documents(draw: st.DrawFn) -> Document:
    """Documents with and without pages, of mixed scripts, with headings, tables and code, at times of white space only."""
    text, headings, blocks = draw(TEXTS), [], []
    for kind in draw(st.lists(st.sampled_from(["heading", "table", "code", "text"]), max_size=4)):
        text += draw(st.sampled_from(["\n", "\n\n"]))
        start = len(text)
        if kind == "heading":
            text += "## Leave"
            headings.append(Heading(draw(st.integers(1, 3)), start, len(text), "Leave"))
        elif kind == "text":
            text += draw(TEXTS)
        else:
            lines = draw(TABLES if kind == "table" else FENCES)
            text += "\n".join(lines)
            header = (start, start + len("\n".join(lines[:2]))) if kind == "table" else None
            blocks.append(Block(kind, start, len(text), header))
    borders = sorted(draw(st.lists(st.integers(0, len(text)), max_size=4)))
    edges = [0, *borders, len(text)] if borders else []
    return Document("a.md", text, "", tuple(pairwise(edges)), tuple(headings), (), tuple(blocks))


def variants() -> Iterator[Any]:
    """Each chunker with the values of its YAML, and, where it has them, in each size and unit."""
    for file in FILES:
        config = OmegaConf.to_container(OmegaConf.load(file), resolve=False)
        values = {str(key): value for key, value in config.items() if "${" not in str(value)}
        module, _, name = values.pop("_target_").rpartition(".")
        chunker = getattr(import_module(module), name)
        lengths = [{"length": length} for length in MEASURES] if "${" in str(config.get("length")) else [{}]
        sizes = [{"chunk_size": size, "chunk_overlap": overlap} for size, overlap in SIZES] if "chunk_size" in config else []
        for more in ({}, *({**size, **length} for size in sizes for length in lengths)):
            yield pytest.param(chunker(**values, **more), id=" ".join([file.stem, *map(str, more.values())]))


every_chunker = pytest.mark.parametrize("chunker", list(variants()))


def test_every_chunker_is_here() -> None:
    assert {file.stem for file in FILES} >= {
        "word",
        "character",
        "token",
        "sentence",
        "paragraph",
        "section",
        "recursive",
        "page",
    }


@every_chunker
@settings(max_examples=25, deadline=None)
@given(document=documents())
def test_spans(chunker: Chunker, document: Document) -> None:
    text, spans = document.text, list(chunker.split(document))
    assert all(0 <= start < end <= len(text) for start, end in spans)
    assert all(text[start:end] == text[start:end].strip() for start, end in spans), "trimmed"
    for (start, end), (next_start, next_end) in pairwise(spans):
        assert start < next_start, "starts strictly increase"
        assert end < next_end, "none inside its predecessor, and the last is never only overlap"
    assert all(text[place].isspace() for place in uncovered(spans, len(text))), "every non-space character is in a chunk"
    assert list(chunker.split(document)) == spans, "pure"


def uncovered(spans: list[Span], size: int) -> set[int]:
    return set(range(size)).difference(*(range(start, end) for start, end in spans))


@every_chunker
@settings(max_examples=25, deadline=None)
@given(document=documents())
def test_no_chunk_is_over_the_size(chunker: Any, document: Document) -> None:
    if not hasattr(chunker, "chunk_size"):
        return
    if isinstance(chunker, Token):
        starts = [start for start, _ in token_spans(document.text)]
        counts = [sum(a <= start < b for start in starts) for a, b in chunker.split(document)]
        assert all(
            count <= chunker.chunk_size or b - a == 1 for count, (a, b) in zip(counts, chunker.split(document), strict=True)
        )
        return
    measure = MEASURES[chunker.length]
    chunks = [document.text[start:end] for start, end in chunker.split(document)]
    # A character of several tokens, such as a Korean syllable, is never cut. Where a word that mixes scripts is cut between
    # them, its parts joined to one chunk can be a few tokens more than they were apart ("な" + "along": 2, "なalong": 3).
    mixed = MIXED_SCRIPTS if chunker.length == "tokens" else 0
    assert all(measure(chunk) <= chunker.chunk_size + mixed or len(chunk) == 1 for chunk in chunks)


@every_chunker
@settings(max_examples=25, deadline=None)
@given(document=documents())
def test_blocks_are_cut_between_rows_and_lines(chunker: Any, document: Document) -> None:
    if not isinstance(chunker, Packing):
        return
    measure, text = MEASURES[chunker.length], document.text
    for block in document.blocks:
        header = block.header[1] if block.header else block.start
        lines = [line for line in text[header : block.end].split("\n") if line]
        longest = max((measure(line) for line in [text[block.start : header], *lines]), default=0)
        for border in {border for span in chunker.split(document) for border in span if block.start < border < block.end}:
            at_line = not text[text.rfind("\n", 0, border) + 1 : border].strip() or not text[border:].partition("\n")[0].strip()
            assert longest > chunker.chunk_size or (at_line and not block.start < border < header)
            assert measure(text[block.start : block.end]) > chunker.chunk_size, "whole where it fits"


@every_chunker
def test_fields_are_identity_and_pickle_form(chunker: Chunker) -> None:
    assert pickle.loads(pickle.dumps(chunker)) == chunker  # noqa: S301 - our own bytes
    assert hash(chunker) == hash(pickle.loads(pickle.dumps(chunker)))  # noqa: S301
    assert isinstance(chunker.version, int)
    assert isinstance(chunker.needs, frozenset)


@every_chunker
def test_an_empty_document_has_no_chunk(chunker: Chunker) -> None:
    assert [list(chunker.split(Document("a.md", text, ""))) for text in ("", " \n\n ")] == [[], []]
