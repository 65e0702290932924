"""Chunkers beside text splitters, MB/s on 5 MB."""

from collections.abc import Callable, Iterator
from functools import partial

from benchmarks.measuring import Comparison, Side, compared, in_turn
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
    from chonkie import RecursiveChunker, RecursiveLevel, RecursiveRules, SentenceChunker, TokenChunker
    from langchain_text_splitters import RecursiveCharacterTextSplitter
    from semantic_text_splitter import TextSplitter

    def langchain(*separators: str) -> Callable[[str], object]:
        return RecursiveCharacterTextSplitter(
            separators=list(separators), chunk_size=1000, chunk_overlap=0, keep_separator="end", add_start_index=False
        ).split_text

    sizes = {"chunk_size": 1000, "chunk_overlap": 0, "length": "characters"}
    plain = Recursive(separators=("\n\n", "\n", " ", ""), **sizes)
    levels = [RecursiveLevel("\n\n"), RecursiveLevel("\n"), RecursiveLevel(whitespace=True), RecursiveLevel()]
    rules = RecursiveChunker("character", 1000, rules=RecursiveRules(levels))
    rows: list[tuple[str, Chunker, str, Callable[[str], object]]] = [
        ("recursive, own separators", plain, "langchain recursive: split_text", langchain("\n\n", "\n", " ", "")),
        ("recursive, own separators", plain, "chonkie RecursiveChunker, the same rules", rules),
        ("recursive", Recursive(**sizes), "chonkie RecursiveChunker", RecursiveChunker("character", 1000)),
        ("recursive", Recursive(**sizes), "semantic-text-splitter: chunk_indices", TextSplitter(1000).chunk_indices),
        ("paragraph", Paragraph(**sizes), "langchain recursive: split_text", langchain("\n\n", "\n", ". ", " ", "")),
        ("sentence", Sentence(**sizes), "chonkie SentenceChunker", SentenceChunker("character", 1000)),
        ("word 160/20", Word(160, 20), "chonkie TokenChunker(word)", TokenChunker("word", 160, 20)),
    ]
    for name, chunker, against, splitter in rows:
        yield _beside(times, name, chunker, against, splitter)
    yield from _token(times)


def _token(times: int) -> Iterator[Comparison]:
    from ragsweep.text.wordpiece import token_spans

    documents = real_documents(MEGABYTES)
    ours = partial(_cut, Token(200, 25))
    other = Side(lambda: [token_spans(document.text) for document in documents])
    yield compared("chunkers", "token 200/25, 5 MB", "its tokenizer alone", in_turn(Side(ours), other, times), 1.1)


def _cut(chunker: Chunker) -> int:
    return sum(1 for document in real_documents(MEGABYTES) for _ in chunker.split(document))


def _beside(times: int, name: str, chunker: Chunker, against: str, splitter: Callable[[str], object]) -> Comparison:
    """With a bar only where the numbers of chunks are the same within 2 %: else the rules are others."""
    documents = real_documents(MEGABYTES)

    def other() -> int:
        return sum(len(splitter(document.text)) for document in documents)  # type: ignore[arg-type]

    ours, theirs = _cut(chunker), other()
    bar = 1.0 if abs(ours - theirs) <= 0.02 * ours else None
    megabytes = sum(len(document.text.encode()) for document in documents) / 1e6
    timed = in_turn(Side(lambda: _cut(chunker)), Side(other), times)
    speeds = f"{megabytes / timed.ours:.0f} and {megabytes / timed.other:.0f} MB/s"
    note = f"{speeds}; {ours:,} and {theirs:,} chunks{'' if bar else ', so not the same work'}"
    return compared("chunkers", f"{name}, 5 MB", against, timed, bar, note)
