"""extractive: answers with the best sentences of the chunks, or refuses. No language model."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

from ragsweep.errors import InputError
from ragsweep.generators import REFUSAL
from ragsweep.index import Index
from ragsweep.parts import Need, QueryVectors
from ragsweep.text.keywords import Language, keywords
from ragsweep.types import Answer, Hit

SENTENCES = 2
"""The most sentences of an answer."""
INTERROGATIVES = "who|whom|whose|what|which|when|where|why|how"
JOINT = re.compile(rf"(?<=[?;])\s+|,?\s+and\s+(?=(?:{INTERROGATIVES})\b)", re.IGNORECASE)
ASKING = re.compile(rf"{INTERROGATIVES}|do|does|did|has|have|can|could|may|must|should|would", re.IGNORECASE)
"""Words that ask rather than say what is looked for; the stop words are others."""


class Sentence(NamedTuple):
    """A sentence of a chunk. ``chunk`` is the chunk's index place, the span is one of the document's text."""

    score: float
    chunk: int
    document: str
    start: int
    end: int
    row: int


@dataclass(frozen=True)
class Extractive:
    """A sentence answers when its score is at least ``threshold`` (0..1); see ``sentence_scores``.

    ``language`` is that of the stems and stop words; the words that ask or join questions are known in English only.
    """

    threshold: float = 0.44
    language: Language = "english"

    version: ClassVar[int] = 2
    needs: ClassVar[frozenset[Need]] = frozenset({"sentences"})

    def __post_init__(self) -> None:
        if not 0 <= self.threshold <= 1:
            raise InputError(f"threshold={self.threshold} must be from 0 to 1: write threshold=0.44")

    def generate(self, index: Index, question: str, vectors: QueryVectors, chunks: Sequence[Hit]) -> Answer:
        """Up to two sentences, best first, citing their chunks; the refusal sentence when none reaches the threshold."""
        chosen = self._chosen(index, question, vectors, chunks)
        if not chosen:
            return Answer(REFUSAL, abstained=True)
        text = " ".join(index.documents[sentence.document].text[sentence.start : sentence.end] for sentence in chosen)
        return Answer(text, abstained=False, cited=tuple(dict.fromkeys(sentence.chunk for sentence in chosen)))

    def check(self, index: Index, question: str, vectors: QueryVectors, chunks: Sequence[Hit]) -> bool:
        """Whether ``generate`` would answer."""
        return bool(self._chosen(index, question, vectors, chunks))

    def route(self, question: str) -> tuple[str, ...]:
        """The questions that are joined by "and" or written one after another, when each has two words to search for.

        >>> Extractive().route("How many days may I work abroad, and who approves the dates?")
        ('How many days may I work abroad', 'who approves the dates?')
        >>> Extractive().route("How many days can I carry over, and when do they lapse?")
        ('How many days can I carry over, and when do they lapse?',)
        """
        parts = tuple(JOINT.split(question.strip()))
        return parts if all(len(_content_words(part, self.language)) >= 2 for part in parts) else (question,)

    def rewrite(self, question: str, attempt: int) -> str:
        """First the words that carry meaning, then the longer half of them (long words are rare words).

        >>> Extractive().rewrite("How much of the travel insurance is refunded?", 1)
        'much travel insurance refunded'
        >>> Extractive().rewrite("How much of the travel insurance is refunded?", 2)
        'insurance refunded'
        """
        words = _content_words(question, self.language)
        if attempt > 1:
            longest = sorted(words, key=len, reverse=True)[: (len(words) + 1) // 2]
            words = [word for word in words if word in longest]
        return " ".join(words) or question

    def _chosen(self, index: Index, question: str, vectors: QueryVectors, chunks: Sequence[Hit]) -> list[Sentence]:
        chosen: list[Sentence] = []
        for sentence in sorted(sentence_scores(index, question, vectors, chunks), key=lambda one: (-one.score, *one[1:])):
            if sentence.score < self.threshold or len(chosen) == SENTENCES:
                break
            if not any(_same(sentence, earlier) for earlier in chosen):
                chosen.append(sentence)
        return chosen


def sentence_scores(index: Index, question: str, vectors: QueryVectors, chunks: Sequence[Hit]) -> Iterator[Sentence]:
    """Each sentence of each chunk with 0.5 cosine + 0.5 coverage, rounded to 6 decimals.

    Coverage is the share of the question's stems that the sentence holds, each stem weighted by its idf
    ln((N + 1) / (df + 1)) over the N distinct sentences of the index; 0 for a question without stems.
    """
    sentences, asked = index.sentences, vectors.vector(question)
    weights = {stem: sentences.idf(stem) for stem in keywords(question, sentences.language)}
    total = sum(weights.values())
    for hit in chunks:
        for start, end, row in sentences.of(hit.chunk):
            held = set(keywords(index.documents[hit.document].text[start:end], sentences.language))
            coverage = sum(weight for stem, weight in weights.items() if stem in held) / total if total else 0.0
            score = 0.5 * float(sentences.vectors[row] @ asked) + 0.5 * coverage
            yield Sentence(round(score, 6), hit.chunk, hit.document, start, end, row)


def _same(a: Sentence, b: Sentence) -> bool:
    """Equal text, or two cuts of one sentence (chunks overlap)."""
    return a.row == b.row or (a.document == b.document and a.start < b.end and b.start < a.end)


def _content_words(question: str, language: Language) -> list[str]:
    words = (word.strip(".,;:?!\"'()") for word in question.split())
    return [word for word in words if keywords(word, language) and not ASKING.fullmatch(word)]
