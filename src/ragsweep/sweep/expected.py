"""The calls to language models that a plan will make, their tokens and their price, as far as that can be said beforehand."""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from ragsweep.evaluation.usage import cost
from ragsweep.models.prompts import estimated_tokens, fenced
from ragsweep.setups import GROUPS
from ragsweep.sweep.alone import MOST, evenly
from ragsweep.sweep.plan import Plan, Planned

WITH_PASSAGES = ("answer", "check", "judge")


@dataclass
class Expected:
    """Sums over questions and setups; tokens by the estimate of ``ragsweep.models.prompts``."""

    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0

    def add(self, calls: int, input_tokens: int, output_tokens: int) -> None:
        """So many calls of so many tokens each."""
        self.calls += calls
        self.input_tokens += calls * input_tokens
        self.output_tokens += calls * output_tokens


def expected_lines(plan: Plan) -> Iterator[str]:
    """A line for each language model and reranker: its calls, tokens and cost, from the least to the most they may come to."""
    bounds: dict[str, tuple[Expected, Expected]] = defaultdict(lambda: (Expected(), Expected()))
    for planned in plan.setups:
        if planned.error is None:
            for least_or_most, tasks in enumerate(planned.setup.rag_type.asks):
                for task, times in tasks.items():
                    part: Any = planned.setup.reranker if task == "rerank" else planned.setup.generator
                    if "server" in part.needs:
                        _add(plan, planned, part, task, times, bounds[part.model][least_or_most])
    for model, (least, most) in bounds.items():
        spent = cost(plan.settings.prices.get(model), most.input_tokens, most.output_tokens)
        priced = f", at most {spent:.4f} by its price" if spent is not None else ""
        yield (
            f"  {model}: {_range(least.calls, most.calls)} calls, about {_range(least.input_tokens, most.input_tokens)} "
            f"tokens in and at most {most.output_tokens:,} out{priced}"
        )
    if plan.settings.judge is not None:
        yield _judge_line(plan, plan.settings.judge)


def _judge_line(plan: Plan, judge: Any) -> str:
    """The most that judging may come to: a call for every answer to an answerable question, beside the tokens of the answer."""
    most = Expected()
    answerable = {question.text for question in plan.any_corpus.questions if question.answerable}
    for planned in plan.setups:
        if planned.error is None and "generator" in planned.setup.needs:
            told, _ = prompt_tokens(plan, planned, "judge", judge)
            for text in answerable:
                most.add(plan.settings.repeats, told + estimated_tokens(text), judge.max_tokens)
    spent = cost(plan.settings.prices.get(judge.model), most.input_tokens, most.output_tokens)
    priced = f", at most {spent:.4f} by its price" if spent is not None else ""
    return (
        f"  judge {judge.model}: at most {most.calls:,} calls, about {most.input_tokens:,} tokens in beside the answers and at "
        f"most {most.output_tokens:,} out{priced}"
    )


def server_notices(plan: Plan) -> Iterator[str]:
    """What the limits of servers and the prices leave undone; of the command, so it stands in no report."""
    settings = plan.settings
    groups = ((group, getattr(planned.setup, group)) for planned in plan.setups for group in GROUPS)
    asking: dict[tuple[str, str], Any] = {
        (group, part.model): part for group, part in groups if part is not None and "server" in part.needs
    }
    for group, most in dict.fromkeys((group, part.limits.max_concurrent) for (group, _), part in asking.items()):
        if settings.in_flight > most:
            key, wanted = f"{group}.limits.max_concurrent", settings.in_flight
            yield f"in_flight={wanted}: {key}={most} lets so many calls through at a time: write {key}={wanted}"
    judge: Any = settings.judge
    models = [*(model for group, model in asking if group != "retriever"), *([judge.model] if judge is not None else [])]
    unpriced = dict.fromkeys(model for model in models if model not in settings.prices)
    if settings.prices and unpriced:
        yield f"prices: none of {', '.join(unpriced)}, so cost is not known: write {{input: 0}} for what costs nothing"


def _add(plan: Plan, planned: Planned, part: Any, task: str, times: int, bound: Expected) -> None:
    """A task of every question of a setup: each a call with its prompt, the question and, for some, passages."""
    told, _ = prompt_tokens(plan, planned, task, part)
    asked = list(dict.fromkeys(plan.asked))
    again = evenly(asked, MOST) if plan.settings.timing == "alone" else ()
    for question in asked:
        bound.add(
            times * (plan.settings.repeats + (question in again)),
            told + estimated_tokens(question),
            getattr(part, "max_tokens", 0),
        )


def prompt_tokens(plan: Plan, planned: Planned, task: str, part: Any) -> tuple[int, int]:
    """Tokens of the prompt of a task without its question: with passages of the mean length, and with the longest ones."""
    told = estimated_tokens(getattr(getattr(part, "prompts", None), task, ""))
    usual = longest = 0
    if task == "rerank":
        candidates = min(planned.setup.top_k, getattr(part, "candidates", planned.setup.top_k))
        usual, longest = _passage_tokens(plan, planned, candidates, None)
    elif task in WITH_PASSAGES:
        usual, longest = _passage_tokens(plan, planned, planned.setup.top_n, planned.setup.context_words)
    return told + usual, told + longest


def _passage_tokens(plan: Plan, planned: Planned, most: int, context_words: int | None) -> tuple[int, int]:
    """Tokens of the passages of one prompt, as many as it may have: of the mean length, and of the longest ones; none where
    nobody knows them beforehand, as another system cuts them."""
    if planned.setup.chunker is None:
        return 0, 0
    chunking = plan.chunkings[planned.chunking]
    passages = chunking.chunks.passages(plan.corpora[planned.reading].documents)
    tokens = sorted(map(estimated_tokens, passages), reverse=True)
    mean = sum(tokens) / len(tokens)
    given, mark = float(min(most, len(passages))), estimated_tokens(fenced([("", "")]))
    if context_words is not None:
        given = min(given, context_words / chunking.words)
    usual = round(given * (mean + mark))
    # a budget of words has room for as much, whatever the chunks
    return usual, usual if context_words is not None else sum(tokens[: int(given)]) + round(given * mark)


def _range(least: int, most: int) -> str:
    return f"{least:,}" if least == most else f"{least:,} to {most:,}"
