"""What a person should know about the numbers of a report before reading anything into them."""

from collections.abc import Iterator, Mapping, Sequence
from operator import itemgetter
from typing import Any

from ragsweep.reporting.columns import SORTS
from ragsweep.reporting.escape import visible
from ragsweep.reporting.naming import option
from ragsweep.reporting.tables import TIMES, best_of
from ragsweep.results import Report, Result

UNEQUAL = 1.2
"""Words that differ by more than this factor are unequal room (SPEC 2: over 20 %)."""
MOST_NAMES = 6
"""Names that one remark lists."""
OF_ANSWERS = ("answered", "refused")
"""Columns that do not choose the best unless they are asked to."""


def remarks(report: Report) -> list[str]:
    """Sentences about the setups that ran to their end."""
    ran = [result for result in report.results if result.status in ("ok", "partial")]
    return [
        *_some_failed(ran),
        *_tied_in_search_alone(report),
        *_no_better_than_chance(report, ran),
        *_unequal_room(ran),
        *_unequal_passages(ran),
        *_unequal_cuts(report.axes, ran),
    ]


def listed(names: Sequence[str]) -> str:
    """All names of a few, the first of many.

    >>> listed(list("abcdefgh"))
    'a, b, c, d, e, f and 2 more'
    """
    more = f" and {len(names) - MOST_NAMES} more" if len(names) > MOST_NAMES else ""
    return ", ".join(names[:MOST_NAMES]) + more


def _some_failed(ran: Sequence[Result]) -> Iterator[str]:
    """Setups that a fault made worse than they are: the means count what failed as 0."""
    hurt = [f"{visible(each.setup.name)} {each.n - each.n_ok:,} of {each.n:,}" for each in ran if each.status == "partial"]
    if hurt:
        yield f"questions that failed count 0: {listed(hurt)}: lower numbers there may be the fault's, and not the setup's"


def _tied_in_search_alone(report: Report) -> Iterator[str]:
    """Setups that tie for the best and answer unequally, as two generators do over one search: the first in the table is taken.
    Not of a tie in times, which differ from run to run."""
    found = best_of(report) if report.is_finished and report.sort not in TIMES else None
    if found is None or found.first in OF_ANSWERS:
        return
    for key in OF_ANSWERS:
        if len({SORTS[key].level(each) for each in found.winners}) > 1:
            shown = listed([f"{visible(each.setup.name)} {SORTS[key].show(each)}" for each in found.winners])
            yield f"setups that tie for the best differ in {SORTS[key].label}: {shown}: report.sort={key} chooses by it"


def _no_better_than_chance(report: Report, ran: Sequence[Result]) -> Iterator[str]:
    """Recall that is not over the floor of its chunking, at the decimals shown."""
    low = []
    for result in ran:
        bounds, recall = report.bounds_of(result.setup), SORTS["recall"].level(result)
        if bounds is not None and recall is not None and recall <= round(bounds.floor, 3):
            low.append(f"{visible(result.setup.name)} {recall:.3f} (floor {bounds.floor:.3f})")
    if low:
        yield f"Recall no better than that of the same chunks in a random order: {listed(low)}: it says nothing for the search"


def _unequal_room(ran: Sequence[Result]) -> Iterator[str]:
    """Chunkings that fill one budget of words unequally."""
    for room in sorted({result.setup.context_words for result in ran} - {None}, key=str):
        if given := _unequal([result for result in ran if result.setup.context_words == room]):
            why = "a hit that would not fit ends the list, so bigger chunks leave more of it free"
            yield f"{option('context_words', room)} is filled unequally: {given}: {why}"


def _unequal_passages(ran: Sequence[Result]) -> Iterator[str]:
    """Systems that ragsweep did not run and that give more words in as many hits; its own are told by their chunks."""
    for k in sorted({result.setup.k for result in ran}):
        same = [result for result in ran if result.setup.context_words is None and result.setup.k == k]
        others = any(result.setup.unknown or not result.setup.chunking for result in same)
        if others and (given := _unequal(same)):
            yield f"{option('top_n', k)} is no equal room: {given}: longer passages hold evidence more easily, see Words"


def _unequal_cuts(axes: Mapping[str, Sequence[Any]], ran: Sequence[Result]) -> Iterator[str]:
    """Rows whose cuts differ, because top_n is an axis."""
    known = [(each.words, each) for each in ran if each.words is not None and each.setup.context_words is None]
    if "top_n" not in axes or len({each.setup.k for _, each in known}) < 2:
        return
    (least, small), (most, large) = min(known, key=itemgetter(0)), max(known, key=itemgetter(0))
    if most > UNEQUAL * least:
        given = f"{visible(large.setup.name)} gives {most:.0f} words a question, {visible(small.setup.name)} {least:.0f}"
        why = "more hits hold evidence more easily, and each row's metrics are at its own k"
        yield f"rows are cut at different top_n: {given}: {why}"


def _unequal(ran: Sequence[Result]) -> str:
    """The most and the least words of a question, each chunking by the setup that gives the most, as giving up leaves room
    empty; "" when they are equal, or not known."""
    words: dict[str, float] = {}
    for result in ran:
        if result.words is not None:
            name = result.setup.chunking or result.setup.name
            words[name] = max(words.get(name, 0.0), result.words)
    small, large = min(words, key=words.__getitem__, default=""), max(words, key=words.__getitem__, default="")
    if not words or words[large] <= UNEQUAL * words[small]:
        return ""
    return f"{visible(large)} gives {words[large]:.0f} words a question, {visible(small)} {words[small]:.0f}"
