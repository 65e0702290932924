"""What each stage of one question is worth: reranking, the context that is given, the answer, and where each evidence ended."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import accumulate

from ragsweep.evaluation.ledger import Trail, end_of
from ragsweep.evaluation.ranked import Rank, Ranked
from ragsweep.metrics.answers import exact_match, facts_found, token_f1
from ragsweep.metrics.characters import Passage, characters
from ragsweep.metrics.grounded import grounded
from ragsweep.results import Characters, Context, End, Grades, Price, Reranking, View
from ragsweep.text.keywords import Language
from ragsweep.text.words import count_words
from ragsweep.types import Evidence, Hit, Question, Record

CHUNKS = 4096
"""Texts of chunks whose words and plain form are kept: the same few are final hits again and again."""
words_of = lru_cache(CHUNKS)(count_words)


def _any(evidence: Evidence) -> bool:
    return True


@dataclass(frozen=True)
class Rules:
    """What the stages are scored by beside top_k, top_n and the match rule.

    ``score_at`` are further cuts of the retrieved list; ``context_words``, ``generates`` and ``language`` are those of the
    setup; ``reachable`` says whether any choice of its chunks at its cut finds an evidence. ``prices`` are by the name of a
    model.
    """

    score_at: Sequence[int] = ()
    context_words: int | None = None
    generates: bool = True
    reachable: Callable[[Evidence], bool] = _any
    language: Language = "english"
    prices: Mapping[str, Price] = field(default_factory=dict)


@dataclass(frozen=True)
class Lists:
    """The lists of one question at their cuts; all are empty for a failed one. ``cited`` are final hits, in their order."""

    retrieved: Ranked
    with_copies: Ranked
    reranked: Ranked
    final: Ranked
    cited: Ranked

    @classmethod
    def of(cls, record: Record, rank: Rank, top_k: int, top_n: int) -> "Lists":
        """Those of a record."""
        if record.status == "failed":
            return cls(*[rank(())] * 5)
        retrieved, final = rank(record.retrieved[:top_k]), rank(record.final[:top_n])
        cited = record.answer.cited if record.answer else ()
        return cls(
            retrieved,
            rank([*retrieved.hits, *record.copies]) if record.copies else retrieved,
            rank(_reranked(record)[:top_n]) if record.status == "gave_up" else final,
            final,
            rank([hit for hit in final.hits if hit.chunk in cited]),
        )


def _reranked(record: Record) -> Sequence[Hit]:
    """What the reranker kept before the question was given up, as its last step shows it."""
    by_chunk = {hit.chunk: hit for hit in record.retrieved}
    shown = next((step.outcome.get("hits", ()) for step in reversed(record.steps) if step.name == "rerank"), ())
    return [by_chunk[chunk] for chunk, *_ in shown]


def reranking(lists: Lists, top_n: int, words: Callable[[Hit], int], room: int | None) -> Reranking[View]:
    """The retrieved list before and after, both at top_n and, where there is one, within the same room for words."""
    before = lists.retrieved.first(top_n)
    if room is not None:
        before = before.first(sum(so_far <= room for so_far in accumulate(map(words, before.hits))))
    pairs = list(zip(before.finds, lists.reranked.finds, strict=True))
    return Reranking(before.view(top_n), lists.reranked.view(top_n), pairs.count((False, True)), pairs.count((True, False)))


def context(final: Ranked, texts: Sequence[str], question: Question) -> Context:
    """The final hits as a text; ``texts`` are theirs. Equal texts are equal but for case and white space."""
    distinct = set(map(_plain, texts))
    share = sum(final.matching) / len(texts) if texts else 0.0
    return Context(share, len(texts) - len(distinct), _characters(final.hits, question.evidence))


@lru_cache(CHUNKS)
def _plain(text: str) -> str:
    return " ".join(text.casefold().split())


def _characters(hits: Sequence[Hit], evidence: Sequence[Evidence]) -> Characters | None:
    """None where an evidence is no quote or span. Of a quote with several places the one counts that is covered best."""
    if any(each.kind not in ("quote", "span") for each in evidence):
        return None
    given = [(hit.document, hit.start, hit.end) for hit in hits]

    def covered(place: Passage) -> float:
        return characters(given, [place]).recall

    alternatives = (passages(each) for each in evidence)
    return characters(given, [places[0] if len(places) == 1 else max(places, key=covered) for places in alternatives])


def passages(evidence: Evidence) -> list[Passage]:
    """Where it stands; in no document, as long as its label, where the texts do not have it."""
    return [(place.document, place.start, place.end) for place in evidence.places] or [("", 0, len(evidence.label))]


def grades(record: Record, cited: Ranked, question: Question, given: Sequence[str], language: Language) -> Grades:
    """The answer of an answerable question; one that is a refusal, empty or missing is worth 0.

    ``given`` are the texts of the final hits.
    """
    answer = record.answer.text if record.answer and record.status in ("answered", "cut") else ""
    right, facts = question.answers, question.required_facts
    return Grades(
        exact_match=(exact_match(answer, right) if answer else 0.0) if right else None,
        f1=(token_f1(answer, right) if answer else 0.0) if right else None,
        facts=facts_found(answer, facts) if facts else None,
        citation_precision=sum(cited.matching) / len(cited.hits) if cited.hits else 0.0,
        citation_recall=sum(cited.finds) / len(cited.finds),
        grounded=grounded(answer, given, language),
    )


def ends(record: Record, question: Question, lists: Lists, rules: Rules) -> tuple[End, ...]:
    """Where each evidence ended, in the order written."""
    # A budget cuts the reranked list before it is recorded: with one, what was retrieved is reranked as a whole.
    kept = lists.reranked if rules.context_words is None else lists.retrieved
    found = (lists.retrieved, lists.with_copies, kept, lists.final, lists.cited)
    return tuple(
        end_of(Trail(rules.reachable(evidence), *trail), record.status)
        for evidence, *trail in zip(question.evidence, *(each.finds for each in found), strict=True)
    )
