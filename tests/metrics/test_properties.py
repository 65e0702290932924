"""Properties of every metric, and a plain second implementation to compare with."""

from collections.abc import Sequence
from itertools import pairwise
from math import log2

from hypothesis import given
from hypothesis import strategies as st

from ragsweep.metrics.all import all_found
from ragsweep.metrics.gains import found_ranks, gains, matches
from ragsweep.metrics.hit import hit
from ragsweep.metrics.mrr import reciprocal_rank
from ragsweep.metrics.ndcg import ndcg
from ragsweep.metrics.precision import precision
from ragsweep.metrics.recall import recall
from ragsweep.types import Document, Evidence, Hit, Match, Place

TEXT = "ab c d  efg"
DOCUMENTS = {id: Document(id, TEXT, "") for id in "xy"}

spans = st.tuples(st.integers(0, len(TEXT) - 1), st.integers(1, len(TEXT))).map(
    lambda span: (span[0], max(span[0] + 1, span[1]))
)
hits = st.builds(lambda id, span: Hit(0, id, span[0] + 1, *span, score=0.5), st.sampled_from("xy"), spans)
places = st.builds(lambda id, span: Place(id, *span, chunk=span[0] + 1), st.sampled_from("xy"), spans)
kinds = st.sampled_from(["file", "page", "chunk", "quote", "span"])
evidences = st.builds(
    lambda kind, found: Evidence(kind, "label", tuple(found)), kinds, st.lists(places, min_size=1, max_size=2)
)
lists_of_hits = st.lists(hits, max_size=6)
lists_of_evidence = st.lists(evidences, min_size=1, max_size=5)
cuts = st.integers(1, 7)
rules = st.sampled_from(["union", "single"])


def all_metrics(found: Sequence[Hit], evidence: Sequence[Evidence], k: int, match: Match = "union") -> dict[str, float]:
    """Every metric but precision, in which copies count on purpose."""
    gained, needed = gains(found_ranks(found, evidence, DOCUMENTS, match), depth=k), len(evidence)
    return {
        "recall": recall(gained, needed, k),
        "rr": reciprocal_rank(gained, k),
        "ndcg": ndcg(gained, needed, k),
        "hit": hit(gained, k),
        "all": all_found(gained, needed, k),
    }


@given(lists_of_hits, lists_of_evidence, cuts)
def test_every_metric_is_between_0_and_1(found: list[Hit], evidence: list[Evidence], k: int) -> None:
    values = [*all_metrics(found, evidence, k).values(), precision(matches(found, evidence, DOCUMENTS), k)]
    assert all(0 <= value <= 1 for value in values)


@given(lists_of_hits.filter(bool), lists_of_evidence, cuts, st.data())
def test_copies_never_help(found: list[Hit], evidence: list[Evidence], k: int, data: st.DataObject) -> None:
    copied = data.draw(st.integers(0, len(found) - 1))
    at = data.draw(st.integers(copied + 1, len(found)))
    with_copy = [*found[:at], found[copied], *found[at:]]
    before, after = all_metrics(found, evidence, k), all_metrics(with_copy, evidence, k)
    assert all(after[metric] <= before[metric] for metric in before)


@given(lists_of_hits, lists_of_evidence, cuts, st.randoms())
def test_the_order_of_the_evidence_does_not_matter(found: list[Hit], evidence: list[Evidence], k: int, random: object) -> None:
    shuffled = list(evidence)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    assert all_metrics(found, shuffled, k) == all_metrics(found, evidence, k)


@given(lists_of_hits, lists_of_evidence, cuts)
def test_more_hits_never_lose_evidence(found: list[Hit], evidence: list[Evidence], k: int) -> None:
    short, long = all_metrics(found, evidence, k), all_metrics(found, evidence, k + 1)
    assert all(short[metric] <= long[metric] for metric in ("recall", "rr", "hit", "all"))


@given(lists_of_hits, lists_of_evidence, cuts)
def test_hit_and_all_are_the_ends_of_recall(found: list[Hit], evidence: list[Evidence], k: int) -> None:
    values = all_metrics(found, evidence, k)
    assert values["hit"] == (values["recall"] > 0) == (values["rr"] > 0)
    assert values["all"] == (values["recall"] == 1)


def oracle(found: Sequence[Hit], evidence: Sequence[Evidence], k: int, match: Match) -> dict[str, float]:
    """The definitions again by sets of characters, one prefix of the ranking after the other."""

    def letters(document: str, start: int, end: int) -> set[tuple[str, int]]:
        return {(document, at) for at in range(start, end) if TEXT[at] != " "}

    def satisfied(item: Evidence, prefix: Sequence[Hit]) -> bool:
        given = set[tuple[str, int]]().union(*(letters(hit.document, hit.start, hit.end) for hit in prefix))
        for place in item.places:
            wanted = letters(place.document, place.start, place.end)
            if match == "single" and item.kind in ("quote", "span"):
                if wanted and any(wanted <= letters(hit.document, hit.start, hit.end) for hit in prefix):
                    return True
                continue
            if {
                "file": any(hit.document == place.document for hit in prefix),
                "chunk": any((hit.document, hit.number) == (place.document, place.chunk) for hit in prefix),
                "page": bool(wanted & given),
            }.get(item.kind, bool(wanted) and wanted <= given):
                return True
        return False

    counts = [sum(satisfied(item, found[:depth]) for item in evidence) for depth in range(k + 1)]
    new = [later - earlier for earlier, later in pairwise(counts)]
    ideal = sum(1 / log2(rank + 1) for rank in range(1, min(len(evidence), k) + 1))
    first = [rank for rank, gain in enumerate(new, 1) if gain]
    return {
        "recall": counts[k] / len(evidence),
        "rr": 1 / first[0] if first else 0,
        "ndcg": min(1, sum(gain / log2(rank + 1) for rank, gain in enumerate(new, 1)) / ideal),
        "hit": counts[k] > 0,
        "all": counts[k] == len(evidence),
    }


@given(lists_of_hits, lists_of_evidence, cuts, rules)
def test_equal_to_a_plain_second_implementation(found: list[Hit], evidence: list[Evidence], k: int, match: Match) -> None:
    assert all_metrics(found, evidence, k, match) == oracle(found, evidence, k, match)


@given(lists_of_hits, lists_of_evidence, cuts)
def test_single_never_finds_more(found: list[Hit], evidence: list[Evidence], k: int) -> None:
    single, union = all_metrics(found, evidence, k, "single"), all_metrics(found, evidence, k)
    assert all(single[metric] <= union[metric] for metric in ("recall", "rr", "hit", "all"))
