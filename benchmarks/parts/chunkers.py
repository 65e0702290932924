"""Chunkers beside text splitters, MB/s on 5 MB."""

from collections.abc import Callable, Iterator
from functools import partial

from benchmarks.measuring import Comparison, Side, compared, in_turn, same
from benchmarks.texts import real_documents
from ragsweep.chunkers.paragraph import Paragraph
from ragsweep.chunkers.recursive import Recursive
from ragsweep.chunkers.sentence import Sentence
from ragsweep.chunkers.token import Token
from ragsweep.chunkers.word import Word
from ragsweep.parts import Chunker

MEGABYTES = 5.0


def compare(times: int) -> Iterator[Comparison]:
    """Each with its nearest peers, at the same unit and size."""
    from chonkie import RecursiveChunker, SentenceChunker, TokenChunker
    from langchain_text_splitters import RecursiveCharacterTextSplitter
    from semantic_text_splitter import TextSplitter

    def langchain(separators: list[str]) -> Callable[[str], object]:
        return RecursiveCharacterTextSplitter(
            separators=separators, chunk_size=1000, chunk_overlap=0, keep_separator="end", add_start_index=False
        ).split_text

    plain = ("\n\n", "\n", " ", "")
    in_characters = {"chunk_size": 1000, "chunk_overlap": 0, "length": "characters"}
    recursive = Recursive(separators=plain, **in_characters)
    yield from _beside(
        times, "recursive", recursive, "langchain-text-splitters recursive: split_text", langchain(list(plain)), 1
    )
    yield from _beside(
        times,
        "recursive",
        Recursive(**in_characters),
        "semantic-text-splitter TextSplitter(1000): chunk_indices",
        TextSplitter(1000).chunk_indices,
        1,
        alike=False,
    )
    yield from _beside(
        times,
        "recursive",
        Recursive(**in_characters),
        "chonkie RecursiveChunker(character, 1000)",
        RecursiveChunker("character", 1000),
        1,
        alike=False,
    )
    yield from _beside(
        times,
        "paragraph",
        Paragraph(**in_characters),
        'langchain-text-splitters recursive from "\\n\\n": split_text',
        langchain(["\n\n", "\n", ". ", " ", ""]),
        1,
        alike=False,
    )
    yield from _beside(
        times,
        "sentence",
        Sentence(**in_characters),
        "chonkie SentenceChunker(character, 1000)",
        SentenceChunker("character", 1000),
        1,
        alike=False,
    )
    yield from _beside(
        times, "word", Word(160, 20), "chonkie TokenChunker(word, 160, 20)", TokenChunker("word", 160, 20), 1, alike=False
    )
    yield from _token(times)


def _token(times: int) -> Iterator[Comparison]:
    from ragsweep.text.wordpiece import token_spans

    documents = real_documents(MEGABYTES)
    ours = partial(_cut, Token(200, 25))
    other = Side(lambda: [token_spans(document.text) for document in documents])
    yield compared("chunkers", "token 200/25, 5 MB", "its tokenizer alone", in_turn(Side(ours), other, times), 1.1)


def _cut(chunker: Chunker) -> int:
    return sum(1 for document in real_documents(MEGABYTES) for _ in chunker.split(document))


def _beside(
    times: int, name: str, chunker: Chunker, against: str, splitter: Callable[[str], object], bar: float, alike: bool = True
) -> Iterator[Comparison]:
    """``alike``: the rules are the same, so the numbers of chunks are, within 2 %; else both numbers are in the note."""
    documents = real_documents(MEGABYTES)

    def other() -> int:
        return sum(len(splitter(document.text)) for document in documents)  # type: ignore[arg-type]

    numbers = _cut(chunker), other()
    if alike:
        same(f"{name}: chunks", *numbers, within=0.02)
    megabytes = sum(len(document.text.encode()) for document in documents) / 1e6
    timed = in_turn(Side(lambda: _cut(chunker)), Side(other), times)
    note = f"{megabytes / timed.ours:.0f} and {megabytes / timed.other:.0f} MB/s; {numbers[0]:,} and {numbers[1]:,} chunks"
    yield compared("chunkers", f"{name}, 5 MB", against, timed, bar, note)
