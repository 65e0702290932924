"""For numbers of stages the smallest case in which a plausible wrong definition crowns the worse setup; ours does not."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

import numpy as np
import pytest

from ragsweep.evaluation.chunking import chunking_score
from ragsweep.evaluation.result import result
from ragsweep.evaluation.score import score
from ragsweep.evaluation.stages import Rules
from ragsweep.index.chunks import Chunks
from ragsweep.metrics.characters import precision_omega
from ragsweep.reporting.stages import stages
from ragsweep.results import Description, Report
from ragsweep.types import Answer, Document, Evidence, Hit, Place, Question, Record, Span, Status

TEXT = "x" * 40
DOCUMENTS = {"a": Document("a", TEXT, "")}
K = 3


@dataclass(frozen=True)
class Asked:
    """A question with the spans that it needs, those of its hits, and of these the places of the cited ones."""

    needs: Sequence[Span] = ((0, 10),)
    hits: Sequence[Span] = ((0, 10),)
    status: Status = "answered"
    answer: str = "20 days"
    cited: Sequence[int] = ()
    right: Sequence[str] = ()
    facts: Sequence[str] = ()


Setup = Sequence[Asked]


def worth(setup: Setup) -> Mapping[str, float | None]:
    """The numbers of the stages, as report.csv has them."""
    scores = []
    for asked in setup:
        evidence = tuple(Evidence("span", str(span), (Place("a", *span),)) for span in asked.needs)
        hits = tuple(Hit(chunk, "a", chunk + 1, *span, 0.5) for chunk, span in enumerate(asked.hits))
        answer = Answer(asked.answer, asked.status != "answered", tuple(asked.cited))
        question = Question("q", "?", evidence, bool(evidence), tuple(asked.right), tuple(asked.facts))
        record = Record("?", 0, asked.status, hits, hits, answer)
        scores.append(score(record, question, DOCUMENTS, K, K, rules=Rules((1,))))
    row = result(Description("id", "name", {}, K, True, "word"), scores)
    report = Report("sample", len(setup), len(setup), {}, {}, [row])
    return {number.key: number.value(row) for stage in stages(report) for number in stage.numbers}


def matching(asked: Asked) -> int:
    return sum(any(start < last and first < end for first, last in asked.needs) for start, end in asked.hits)


def places(spans: Sequence[Span]) -> list[int]:
    return [place for span in spans for place in range(*span)]


# ---- wrong definitions -------------------------------------------------------------------------------------------------


def context_precision_of_k(setup: Setup) -> float:
    return fmean(matching(asked) / K for asked in setup)


def context_precision_where_something_is_given(setup: Setup) -> float:
    return fmean(matching(asked) / len(asked.hits) for asked in setup if asked.hits)


def character_recall_of_each_hit(setup: Setup) -> float:
    return fmean(
        sum(place in places(asked.needs) for place in places(asked.hits)) / len(places(asked.needs)) for asked in setup
    )


def character_precision_of_distinct_text(setup: Setup) -> float:
    return fmean(len(set(places(asked.hits)) & set(places(asked.needs))) / len(set(places(asked.hits))) for asked in setup)


def iou_without_what_is_missing(setup: Setup) -> float:
    return fmean(len(set(places(asked.hits)) & set(places(asked.needs))) / len(places(asked.hits)) for asked in setup)


def exact_match_of_answered(setup: Setup) -> float:
    return fmean(asked.answer in asked.right for asked in setup if asked.status == "answered")


def f1_against_all_answers_together(setup: Setup) -> float:
    def f1(answer: set[str], right: set[str]) -> float:
        return 2 * len(answer & right) / (len(answer) + len(right))

    return fmean(f1(set(asked.answer.split()), set(" ".join(asked.right).split())) for asked in setup)


def facts_as_substrings(setup: Setup) -> float:
    return fmean(fmean(fact in asked.answer for fact in asked.facts) for asked in setup)


def citation_precision_of_questions_that_cite(setup: Setup) -> float:
    return fmean(cited_right(asked) / len(asked.cited) for asked in setup if asked.cited)


def citation_recall_of_what_was_given(setup: Setup) -> float:
    return fmean(cited_right(asked) / matching(asked) for asked in setup if matching(asked))


def cited_right(asked: Asked) -> int:
    return sum(matching(Asked(asked.needs, [asked.hits[place]])) for place in asked.cited)


def grounded_of_answered(setup: Setup) -> float:
    return fmean(asked.answer == SAID for asked in setup if asked.status == "answered")


def refused_of_all_questions(setup: Setup) -> float:
    return fmean(asked.status == "abstained" and bool(asked.needs) for asked in setup)


def recall_at_1_of_the_questions_with_hits(setup: Setup) -> float:
    return fmean(matching(Asked(asked.needs, asked.hits[:1])) / len(asked.needs) for asked in setup if asked.hits)


SAID = TEXT[:10]
NOTHING = Asked(hits=(), status="gave_up")
TWO = ((0, 10), (20, 30))
BEST: Mapping[str, Callable[..., float]] = {"refused_wrongly": min}


@pytest.mark.parametrize(
    ("column", "better", "worse", "wrong"),
    [
        ("context_precision", [Asked()], [Asked(hits=[(0, 5), (5, 10), (20, 30)])], context_precision_of_k),
        ("context_precision", [Asked(hits=[(0, 10), (20, 30)])] * 2, [Asked(hits=[(0, 9), (9, 10), (20, 30)]), NOTHING],
         context_precision_where_something_is_given),
        ("character_recall", [Asked(hits=[(0, 8)])], [Asked(hits=[(0, 6), (0, 6)])], character_recall_of_each_hit),
        ("character_precision", [Asked(hits=[(0, 20)])], [Asked(hits=[(0, 15)] * 2)], character_precision_of_distinct_text),
        ("character_iou", [Asked(hits=[(0, 12)])], [Asked(hits=[(0, 2)])], iou_without_what_is_missing),
        (
            "exact_match",
            [Asked(right=["20 days"]), Asked(right=["20 days"]), Asked(right=["30 days"])],
            [Asked(right=["20 days"]), *[Asked(right=["20 days"], status="abstained")] * 2],
            exact_match_of_answered,
        ),
        ("token_f1", [Asked(right=["20 days", "four weeks"])], [Asked(right=["20 days", "four weeks"], answer="20 days weeks")],
         f1_against_all_answers_together),
        (
            "required_facts",
            [Asked(facts=["20 days", "March"])],
            [Asked(facts=["20 days", "March"], answer="120 days, after Marchand")],
            facts_as_substrings,
        ),
        ("citation_precision", [Asked(cited=[0]), Asked(hits=[(0, 10), (20, 30)], cited=[0, 1])], [Asked(cited=[0]), Asked()],
         citation_precision_of_questions_that_cite),
        ("citation_recall", [Asked(TWO, [*TWO, (3, 8)], cited=[0, 1])], [Asked(TWO, [(0, 10)], cited=[0])],
         citation_recall_of_what_was_given),
        ("grounded", [Asked(answer=SAID), Asked(answer=SAID), Asked()], [Asked(answer=SAID), NOTHING, NOTHING],
         grounded_of_answered),
        ("refused_wrongly", [Asked()] * 3 + [Asked(status="abstained")], [Asked(status="abstained"), *[Asked(needs=())] * 5],
         refused_of_all_questions),
        ("retrieved_recall@1", [Asked(), Asked(), Asked(hits=[(20, 30)])], [Asked(), NOTHING, NOTHING],
         recall_at_1_of_the_questions_with_hits),
    ],
)  # fmt: skip
def test_column(column: str, better: Setup, worse: Setup, wrong: Callable[[Setup], float]) -> None:
    best = BEST.get(column, max)
    ours, theirs = [worth(setup)[column] for setup in (better, worse)], [wrong(setup) for setup in (better, worse)]
    assert None not in ours
    assert ours[0] != ours[1] and best(ours) == ours[0]
    assert theirs[0] != theirs[1] and best(theirs) == theirs[1]


def chunked(*spans: Span) -> Chunks:
    return Chunks(("a",), np.array([(0, *span) for span in spans], dtype=np.int64))


def test_precision_omega_counts_a_character_once() -> None:
    """By the sum of the chunks' lengths, chunks that overlap within the evidence lose to one that is twice as long."""
    cuts = {"overlapping": chunked((0, 9), (1, 12)), "long": chunked((0, 19))}
    question = Question("q", "?", (Evidence("span", "s", (Place("a", 0, 10),)),))
    ours = {name: chunking_score(cut, [1], [question], DOCUMENTS).precision_omega or 0 for name, cut in cuts.items()}
    theirs = {name: 10 / sum(end - start for _, start, end in cut.spans.tolist()) for name, cut in cuts.items()}
    assert max(ours, key=ours.__getitem__) == "overlapping"
    assert max(theirs, key=theirs.__getitem__) == "long"
    assert ours["overlapping"] == precision_omega([("a", 0, 9), ("a", 1, 12)], [("a", 0, 10)]) == 10 / 12


def test_whole_counts_quotes_not_chunks() -> None:
    """By the chunks that hold a quote, a chunker whose overlap holds one quote twice beats one that holds both."""
    quotes = tuple(Evidence("quote", str(span), (Place("a", *span),)) for span in ((2, 4), (12, 14)))
    question = Question("q", "?", quotes)
    cuts = {"both": chunked((0, 10), (10, 20)), "one, three times": chunked((0, 5), (1, 6), (2, 13), (13, 20))}
    ours = {name: chunking_score(cut, [1], [question], DOCUMENTS).whole or 0 for name, cut in cuts.items()}
    theirs = {
        name: sum(start <= place.start and place.end <= end for _, start, end in cut.spans.tolist() for quote in quotes
                  for place in quote.places)
        for name, cut in cuts.items()
    }  # fmt: skip
    assert ours == {"both": 1, "one, three times": 0.5}
    assert max(theirs, key=theirs.__getitem__) == "one, three times"


def test_the_first_place_that_applies_is_to_blame() -> None:
    """An abstention without the evidence is right: the ledger sends the reader to the retriever, not to the generator."""
    question = Question("q", "?", (Evidence("span", "s", (Place("a", 0, 10),)),))
    statuses: Sequence[Status] = ("abstained", "gave_up", "failed")
    scores = [score(Record("?", 0, status), question, DOCUMENTS, K, K) for status in statuses]
    assert result(Description("id", "name", {}, K, True, "word"), scores).ledger == {"not_retrieved": 2, "failed": 1}
