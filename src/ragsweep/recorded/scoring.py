"""A recorded system scored as a setup is, without what nobody recorded."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from ragsweep.evaluation.breakdown import breakdown
from ragsweep.evaluation.result import result
from ragsweep.evaluation.score import score
from ragsweep.evaluation.stages import Rules
from ragsweep.evaluation.unknown import known
from ragsweep.evaluation.usage import cost
from ragsweep.files import digest
from ragsweep.recorded.systems import System
from ragsweep.results import Cut, Description, End, Price, Result, Score, Usage, Verdict
from ragsweep.types import Match, Question

LONGEST_ANSWER = 32_000
"""Characters of an answer that reports keep: a cell of a spreadsheet holds 32,767."""


def scored(
    system: System,
    questions: Sequence[Question],
    prices: Mapping[str, Price],
    match: Match,
    score_at: Sequence[Cut],
    by: Sequence[str] = (),
    verdict: Callable[[Question], Verdict | None] | None = None,
) -> tuple[Result, list[Score]]:
    """The scores of all ``questions``, and the result over them. A question without a record failed.

    ``prices`` are by name; that of a system is its own. ``by`` are the keys of questions by which scores are broken down;
    ``verdict`` is what a judge said of an answer.
    """
    scores = [_score(system, question, match, score_at, prices.get(system.name)) for question in questions]
    if verdict is not None:
        scores = [replace(each, verdict=verdict(question)) for question, each in zip(questions, scores, strict=True)]
    setup = _description(system)
    groups = breakdown(setup, list(zip(questions, scores, strict=True)), by)
    broken = {key: {group: _told(found, system.unknown) for group, found in of.items()} for key, of in groups.items()}
    return replace(_told(result(setup, scores), system.unknown), by=broken), scores


def _description(system: System) -> Description:
    cut = {"top_n": system.cut.top_n} if system.cut.context_words is None else {"context_words": system.cut.context_words}
    return Description(
        id=digest(["recorded", system.name])[:16],
        name=system.name,
        options={"top_k": system.cut.top_k, **cut},
        k=system.cut.top_n,
        generates=system.answers,
        chunking=f"{system.name} (recorded)",
        context_words=system.cut.context_words,
        unknown=system.unknown,
        recorded=True,
    )


def _score(system: System, question: Question, match: Match, score_at: Sequence[Cut], price: Price | None) -> Score:
    cut, record = system.cut, system.record(question)
    cuts = sorted({cut.top_k if each == "top_k" else each for each in score_at})
    rules = Rules(cuts, cut.context_words, system.answers)
    found = score(record, question, system.documents, cut.top_k, cut.top_n, match, rules)
    answer = found.answer
    return replace(
        found,
        answer=f"{answer[:LONGEST_ANSWER]}..." if answer and len(answer) > LONGEST_ANSWER else answer,
        seconds=system.seconds.get(question.id, 0.0),
        ends=tuple(_end(each, system.unknown) for each in found.ends),
        usage=_usage(system, question, price),
    )


def _end(end: End, unknown: Sequence[str]) -> End:
    """Of an evidence that was given to an answer whose citations nobody recorded, that is all that is known."""
    return "found" if end in ("cited", "not_cited") and "citations" in unknown else end


def _usage(system: System, question: Question, price: Price | None) -> Usage:
    if "tokens" in system.unknown:
        return Usage(input_tokens=None, output_tokens=None, cost=None)
    read, written = system.tokens.get(question.id, (0, 0))
    return Usage(input_tokens=read, output_tokens=written, cost=cost(price, read, written))


def _told(found: Result, unknown: Sequence[str]) -> Result:
    """The result without the numbers that its records do not give."""
    return known(replace(found, steps=None, reranking=None), unknown)
