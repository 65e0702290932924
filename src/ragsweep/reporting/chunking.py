"""The chunks of one document, for a person: where each begins and ends, what it shares, carries and holds of the evidence."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from itertools import pairwise
from math import inf
from typing import Any, Literal, TypeAlias, cast

from ragsweep.chunkers.token import Token
from ragsweep.index import Chunks
from ragsweep.parts import Chunker
from ragsweep.reporting.escape import shortened, visible
from ragsweep.reporting.naming import option
from ragsweep.text.lengths import RULERS, TOKEN_STARTS, Length
from ragsweep.text.paragraphs import BLANK_LINE
from ragsweep.text.sentences import sentence_spans
from ragsweep.text.spans import trimmed
from ragsweep.text.words import count_words, word_spans
from ragsweep.types import Document, Evidence, Heading, Question, Span

Style: TypeAlias = Literal["", "title", "faint", "overlap", "evidence", "cut"]
OWN, SHARED, LEFT_OUT = "  | ", "  ~ ", "  : "
"""What stands before a line of a chunk: its own text, what the chunk before it holds too, and that text was left out."""
SHOWN_WORDS = 30
"""Words of a long chunk that are shown at each of its ends; one of up to twice as many and ``SPARED`` more is shown whole."""
SPARED = 20
SHOWN_CHARACTERS = 600
"""Of these words, at each end: a word may be as long as its file."""
LABEL_LENGTH = 60
_NO_SPACE = re.compile(r"\S")
_BLANK = re.compile(BLANK_LINE)
_LINES = {"table": ("rows of a table", "row of a table"), "code": ("lines of code", "line of code")}


@dataclass(frozen=True)
class Line:
    """A line in pieces of one style each; ``margin`` stands before it, and before its rest where it is wrapped."""

    pieces: Sequence[tuple[str, Style]]
    margin: str = ""


@dataclass(frozen=True)
class Mark:
    """A place of evidence in the document, and the question that it is of."""

    question: str
    evidence: Evidence
    start: int
    end: int
    chunk: int | None


@dataclass(frozen=True)
class Chunking:
    """A document as one chunker cuts it: ``chunks`` are those of this document alone. ``chunker`` is None where another system
    cut them."""

    name: str
    chunker: Chunker | None
    document: Document
    chunks: Chunks
    questions: Sequence[Question]

    @cached_property
    def spans(self) -> Sequence[Span]:
        """(start, end) of each chunk."""
        return [(start, end) for _, start, end in self.chunks.spans.tolist()]

    @cached_property
    def carried(self) -> Mapping[int, Sequence[Span]]:
        """What chunks carry beside their own text, by their place."""
        found: dict[int, list[Span]] = {}
        for place, start, end in self.chunks.context.tolist():
            found.setdefault(place, []).append((start, end))
        return found

    @cached_property
    def headers(self) -> Container[Span | None]:
        """The headers of tables."""
        return {block.header for block in self.document.blocks}

    @cached_property
    def marks(self) -> Sequence[Mark]:
        """The evidence in this document, trimmed, but for labels of the whole file."""
        text = self.document.text
        return [
            Mark(question.id, evidence, *trimmed(text, place.start, place.end), place.chunk)
            for question in self.questions
            for evidence in question.evidence
            for place in evidence.places
            if place.document == self.document.id and evidence.kind != "file"
        ]

    @cached_property
    def measure(self) -> Callable[[Span], int] | None:
        """How long a span is in the chunker's unit; None for a chunker without a size."""
        text, length = self.document.text, cast(Length, getattr(self.chunker, "length", None))
        if isinstance(self.chunker, Token):  # its windows count no special tokens
            starts = TOKEN_STARTS[self.chunker.length](text)
            return lambda span: bisect_left(starts, span[1]) - bisect_left(starts, span[0])
        if length not in RULERS or not hasattr(self.chunker, "chunk_size"):
            return None
        ruler = RULERS[length]

        def measure(span: Span) -> int:
            starts, ends = ruler(text, [span])
            return ends[0] - starts[0]

        return measure

    @cached_property
    def sentence_ends(self) -> set[int]:
        """Where sentences end."""
        return {end for _, end in sentence_spans(self.document.text)}

    @cached_property
    def word_ends(self) -> set[int]:
        """Where words end."""
        return {end for _, end in word_spans(self.document.text)}


def overview(chunking: Chunking) -> list[Line]:
    """What the chunks are in all: their number and sizes, and how much of the evidence is whole in one of them."""
    words = [count_words(chunking.document.text[slice(*span)]) for span in chunking.spans]
    mean = sum(words) / len(words)
    values = " ".join(option(key, value) for key, value in asdict(cast(Any, chunking.chunker)).items() if value is not None)
    several = f" of {min(words):,} to {_count(max(words), 'word')}, {mean:.0f} in the mean"
    chunks = _count(len(words), "chunk") + (several if len(words) > 1 else f" of {_count(words[0], 'word')}")
    lines = [
        Line([(f"{visible(chunking.name)}: ", "title"), (chunks, "")]),
        *([Line([(visible(values), "faint")], "  ")] if values else []),
    ]
    files = dict.fromkeys(
        question.id
        for question in chunking.questions
        for evidence in question.evidence
        if evidence.kind == "file" and evidence.places[0].document == chunking.document.id
    )
    if files:
        lines.append(Line([(f"the whole file is evidence of {visible(', '.join(files))}", "evidence")], "  "))
    passages = {id(mark.evidence): False for mark in chunking.marks if mark.evidence.kind in ("quote", "span")}
    for mark in chunking.marks:
        if id(mark.evidence) in passages and any(_holds(span, mark) for span in chunking.spans):
            passages[id(mark.evidence)] = True
    if passages:
        whole, cut = sum(passages.values()), len(passages) - sum(passages.values())
        said = f"{_count(len(passages), 'quote')}: {whole} whole in one chunk, "
        lines.append(Line([(said, "evidence"), (f"{cut} cut", "cut" if cut else "evidence")], "  "))
    return lines


def chunk_lines(chunking: Chunking, place: int, *, full: bool = False) -> Iterator[Line]:
    """One chunk: its number, pages, size and overlap, what it carries, its evidence, its text, and where it ends."""
    start, end = chunking.spans[place]
    shared = chunking.spans[place - 1][1] if place else start
    about = [*_pages(chunking.document, start, end), *_sizes(chunking, (start, end), min(max(shared, start), end))]
    yield Line([(f"chunk {place + 1} of {len(chunking.spans)}: ", "title"), (", ".join(about), "")])
    yield from inner_lines(chunking, place, full=full)


def inner_lines(chunking: Chunking, place: int, *, full: bool = False, ending: bool = True) -> Iterator[Line]:
    """What one chunk carries, its evidence, its text, and, ``ending``, where it ends."""
    text, (start, end) = chunking.document.text, chunking.spans[place]
    shared = chunking.spans[place - 1][1] if place else start
    yield from _carried(chunking, place)
    marks = [mark for mark in chunking.marks if _touches((start, end), mark, place)]
    for mark in marks:
        yield _evidence(chunking, mark, (start, end))
    passages = [mark for mark in marks if mark.evidence.kind in ("quote", "span")]
    for shown in _shown(text, start, end, full=full):
        if isinstance(shown, str):
            yield Line([(shown, "faint")], LEFT_OUT)
        else:
            yield from _text(text, shown, shared, passages, full=full)
    if ending:
        yield Line([(f"ends {_ending(chunking, end)}", "faint")], "  ")


def beside(left: Chunking, right: Chunking) -> Iterator[tuple[Sequence[int], Sequence[int]]]:
    """The chunks of two chunkings in rows: one of the left, and those of the right that begin in it and not in the next.

    Of two readings of a file the texts differ: a chunk of the right then stands beside that of the left which begins nearest,
    by page and by how far down the page it is.
    """
    begins: list[float] = [start for start, _ in right.spans]
    starts: list[float] = [start for start, _ in left.spans]
    if left.document.text != right.document.text:
        begins, starts = ([_down(each.document, start) for start, _ in each.spans] for each in (right, left))
        starts = [0, *((first + second) / 2 for first, second in pairwise(starts))]
    borders = [0, *starts[1:], inf]
    for place, (first, after) in enumerate(pairwise(borders)):
        yield [place], range(bisect_left(begins, first), bisect_left(begins, after))


def _down(document: Document, place: int) -> float:
    """The pages above a place, and the share of its own page; without pages the share of the document."""
    pages = document.pages or ((0, len(document.text)),)
    number = max(1, bisect_right(pages, place, key=lambda page: page[0]))
    start, end = pages[number - 1]
    return number - 1 + min(1.0, (place - start) / max(1, end - start))


def _count(number: int, what: str) -> str:
    return f"{number:,} {what}{'' if number == 1 else 's'}"


def _pages(document: Document, start: int, end: int) -> list[str]:
    if not document.pages:
        return []
    first, last = _page(document, start), _page(document, end - 1)
    return [f"page {first}" if first == last else f"pages {first}-{last}"]


def _page(document: Document, place: int) -> int:
    """The number of the page that a place is on, or of the last one before it."""
    return max(1, bisect_right(document.pages, place, key=lambda page: page[0]))


def _sizes(chunking: Chunking, span: Span, shared: int) -> list[str]:
    text, most = chunking.document.text, getattr(chunking.chunker, "chunk_size", None)
    words, overlap = count_words(text[slice(*span)]), (span[0], shared)
    shared_words = _count(count_words(text[slice(*overlap)]), "word")
    if chunking.measure is None:
        return [_count(words, "word"), *([f"overlap {shared_words}"] if shared > span[0] else [])]
    length = chunking.chunker.length  # type: ignore[union-attr]
    unit = {"tiktoken:cl100k_base": "cl100k tokens"}.get(length, length)
    size = f"{chunking.measure(span):,} of {most:,} {unit}"
    if length == "words":
        return [size, *([f"overlap {shared_words}"] if shared > span[0] else [])]
    # Without the special tokens that a chunk, and not its overlap, is counted with.
    common = chunking.measure(overlap) - chunking.measure((span[0], span[0])) if shared > span[0] else 0
    return [f"{size} ({_count(words, 'word')})", *([f"overlap {common:,} {unit} ({shared_words})"] if common else [])]


def _carried(chunking: Chunking, place: int) -> Iterator[Line]:
    text = chunking.document.text
    spans = chunking.carried.get(place, [])
    headings = [visible(text[slice(*span)].strip()) for span in spans if span not in chunking.headers]
    if headings:
        yield Line([(f"under {' > '.join(headings)}", "faint")], "  ")
    for span in spans:
        if span in chunking.headers:
            rows = " / ".join(visible(row) for row in text[slice(*span)].strip().split("\n"))
            yield Line([(f"with the header of its table: {rows}", "faint")], "  ")


def _holds(span: Span, mark: Mark) -> bool:
    return span[0] <= mark.start and mark.end <= span[1]


def _touches(span: Span, mark: Mark, place: int) -> bool:
    return mark.chunk == place + 1 if mark.chunk is not None else mark.start < span[1] and span[0] < mark.end


def _evidence(chunking: Chunking, mark: Mark, span: Span) -> Line:
    said = f"evidence of {visible(mark.question)}: "
    label = visible(mark.evidence.label.removeprefix(f"{chunking.document.id}: "))
    if mark.evidence.kind in ("page", "chunk"):
        return Line([(said + label, "evidence")], "  ")
    text = chunking.document.text
    passage = label if mark.evidence.kind == "quote" else visible(" ".join(text[mark.start : mark.end].split()))
    shown = f'"{shortened(passage, LABEL_LENGTH)}"'
    if _holds(span, mark):
        return Line([(f"{said}whole, {shown}", "evidence")], "  ")
    here = count_words(text[max(mark.start, span[0]) : min(mark.end, span[1])])
    return Line([(f"{said}cut, {here} of its {count_words(text[mark.start : mark.end])} words are here, {shown}", "cut")], "  ")


def _shown(text: str, start: int, end: int, *, full: bool) -> list[Span | str]:
    """The spans to show, and between two of them what was left out."""
    words = [] if full else word_spans(text[start:end])
    if len(words) <= 2 * SHOWN_WORDS + SPARED and (full or end - start <= 3 * SHOWN_CHARACTERS):
        return [(start, end)]
    first = start + min(SHOWN_CHARACTERS, words[min(SHOWN_WORDS, len(words)) - 1][1])
    last = end - min(SHOWN_CHARACTERS, end - start - words[-min(SHOWN_WORDS, len(words))][0])
    return [(start, first), f"... {_count(count_words(text[first:last]), 'word')} more, shown with --full ...", (last, end)]


def _text(text: str, shown: Span, shared: int, marks: Sequence[Mark], *, full: bool) -> Iterator[Line]:
    """The lines of a span; one that begins in the overlap and ends behind it is two, blank ones are one unless ``full``."""
    start, end = shown
    shared = _after_space(text, shared) if start < shared else start
    ends = [start + found.end() for found in re.finditer("\n", text[start:end])]
    was_blank = False
    for first, after in pairwise(sorted({start, end, *ends, min(shared, end)})):
        common, is_blank = first < shared, text[first:after].isspace()
        if is_blank and was_blank and not full:
            continue
        was_blank = is_blank
        yield Line(list(_pieces(text, first, after, "overlap" if common else "", marks)), SHARED if common else OWN)


def _pieces(text: str, first: int, after: int, style: Style, marks: Sequence[Mark]) -> Iterator[tuple[str, Style]]:
    inside = {place for mark in marks for place in (mark.start, mark.end) if first < place < after}
    for start, end in pairwise(sorted({first, after, *inside})):
        marked = any(mark.start <= start and end <= mark.end for mark in marks)
        yield visible(text[start:end].rstrip("\n")), "evidence" if marked else style


def _after_space(text: str, place: int) -> int:
    """The first place from here on that is no white space, or the end."""
    found = _NO_SPACE.search(text, place)
    return found.start() if found else len(text)


def _ending(chunking: Chunking, end: int) -> str:
    """Where in the text a chunk ends: the widest of the borders that lie there."""
    document = chunking.document
    after = _after_space(document.text, end)
    space = document.text[end:after]
    if after == len(document.text):
        return "with the document"
    if document.pages and (page := _page(document, end - 1)) != _page(document, after):
        return f"with page {page}"
    block = bisect_right(document.blocks, end - 1, key=lambda block: block.start) - 1
    if block >= 0 and after < document.blocks[block].end:
        lines, line = _LINES[document.blocks[block].kind]
        return f"between two {lines}" if "\n" in space else f"inside a {line}"
    if bisect_left(document.headings, end, key=_start) < bisect_right(document.headings, after, key=_start):
        return "before a heading"
    heading = bisect_left(document.headings, end, key=_start) - 1
    if heading >= 0 and end <= document.headings[heading].end:
        return "after a heading" if "\n" in space else "inside a heading"
    if _BLANK.search(space):
        return "at a blank line"
    if end in chunking.sentence_ends:
        return "with a sentence"
    if "\n" in space:
        return "with a line, inside a sentence"
    return "between two words" if end in chunking.word_ends else "inside a word"


def _start(heading: Heading) -> int:
    return heading.start
