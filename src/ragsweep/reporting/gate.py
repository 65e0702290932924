"""A gate: the numbers that the best setup, or a named one, has to reach."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from math import inf, isfinite
from typing import Any

from ragsweep.errors import InputErrors
from ragsweep.reporting.best import OF_ANSWERABLE
from ragsweep.reporting.columns import GATES, OF_JUDGE
from ragsweep.reporting.escape import visible
from ragsweep.reporting.tables import best_of
from ragsweep.results import Gate, Price, Report, Result
from ragsweep.setups import Setup
from ragsweep.types import Question

NOISE = 1e-9
"""A number is short by more than this: a mean of thirds may end in ...99 where its true value is the limit."""


def mistakes(gate: Mapping[str, Any]) -> list[str]:
    """What is wrong with a gate as written: limits by metric, and the name of a setup under ``setup``."""
    found = [] if set(gate) - {"setup"} or not gate else ["gate: names no metric: write one, as in gate: {recall: 0.9}"]
    for key, value in gate.items():
        if key == "setup":
            found += [] if isinstance(value, str) else [f"gate.setup={value!r}: write the name of a setup"]
        elif key not in GATES:
            near = get_close_matches(key, GATES, n=1, cutoff=0.7)
            hint = f"did you mean {near[0]!r}?" if near else f"there are {', '.join(GATES)}"
            found.append(f"gate.{key}: there is no such metric; {hint}")
        elif not _in_range(key, value):
            found.append(f"gate.{key}={value!r}: {_range_of(key, value)}")
    return found


def without_answers(gate: Mapping[str, Any], setups: Sequence[Setup]) -> list[str]:
    """A message for each metric of answers, when none of the setups gives any."""
    generates = any("generator" in setup.needs for setup in setups)
    return [
        f"gate.{key}: rag_type=search gives no answers: leave it out, or choose another rag_type"
        for key in gate
        if key in ("answered", "refused", *OF_JUDGE) and setups and not generates
    ]


def without_questions(gate: Mapping[str, Any], questions: Sequence[Question]) -> list[str]:
    """A message for each metric over a kind of questions of which there is none."""
    there = {question.answerable for question in questions}
    counted = {key: True for key in gate if key.removeprefix("retrieved_") in OF_ANSWERABLE} | {
        key: False for key in gate if key == "refused"
    }
    return [
        f"gate.{key}: no question is {'answerable' if answerable else 'unanswerable'}: leave it out"
        for key, answerable in counted.items()
        if answerable not in there
    ]


def without_judge(gate: Mapping[str, Any], questions: Sequence[Question], *, is_asked: bool) -> list[str]:
    """A message for each share of a judge, when none is asked, or has nothing to call an answer correct by."""
    asked = [key for key in gate if key in OF_JUDGE]
    if not is_asked:
        return [f"gate.{key}: no judge is asked: write judge=openai judge.model=..., or leave it out" for key in asked]
    if "judge_correct" in asked and not any(question.answers or question.required_facts for question in questions):
        return ["gate.judge_correct: no question has a right answer or required facts: leave it out"]
    return []


def without_prices(gate: Mapping[str, Any], setups: Sequence[Setup], prices: Mapping[str, Price]) -> list[str]:
    """A message for a limit of cost, when each of the setups asks a model of which no price is known."""
    parts: list[tuple[Any, ...]] = [(setup.embedder, setup.generator, setup.reranker) for setup in setups]
    asked = [{part.model for part in each if part is not None and "server" in part.needs} for each in parts]
    missing = dict.fromkeys(model for models in asked for model in sorted(models - prices.keys()))
    if "cost" not in gate or not setups or not all(models - prices.keys() for models in asked):
        return []
    wanted = ", ".join(f"{model}: {{input: ..., output: ...}}" for model in missing)
    return [f"gate.cost: no price is known: write what a million tokens cost, prices: {{{wanted}}}, or leave it out"]


def from_flags(under: Sequence[str], over: Sequence[str]) -> dict[str, float]:
    """The limits of ``--fail-under METRIC=NUMBER`` and ``--fail-over METRIC=NUMBER``. Raises InputErrors."""
    limits: dict[str, float] = {}
    found = []
    for flag, written in [*(("--fail-under", each) for each in under), *(("--fail-over", each) for each in over)]:
        metric, _, number = written.partition("=")
        right = "--fail-under" if is_least(metric) else "--fail-over"
        try:
            limits[metric] = float(number)
        except ValueError:
            found.append(
                f"{flag} {written}: write METRIC=NUMBER, as in {'recall=0.90' if flag == '--fail-under' else 'p95_s=2'}"
            )
            continue
        if metric in GATES and flag != right:
            found.append(f"{flag} {written}: {metric} is better the {'higher' if is_least(metric) else 'lower'}: write {right}")
        found += [f"{flag} {written}: {said.removeprefix('gate.')}" for said in mistakes({metric: limits[metric]})]
    if found:
        raise InputErrors(found)
    return limits


def is_least(metric: str) -> bool:
    """Whether a limit is the least that will do, as of scores, and not the most, as of times, words and steps."""
    return metric not in GATES or GATES[metric].best is max


def in_words(gate: Mapping[str, Any]) -> str:
    """A gate as written.

    >>> in_words({"recall": 0.9, "p95_s": 2, "setup": "simple + word"})
    'recall at least 0.9, p95_s at most 2 (simple + word)'
    """
    limits = ", ".join(f"{key} {_bound(key, value)}" for key, value in gate.items() if key != "setup")
    return f"{limits} ({visible(gate.get('setup', 'the best setup'))})"


@dataclass(frozen=True)
class Checked:
    """One number of a gate: ``value`` is None when the setup failed or has none, which reaches no limit."""

    metric: str
    limit: float
    value: float | None

    @property
    def reached(self) -> bool:
        """Compared without rounding."""
        if self.value is None:
            return False
        return self.value > self.limit - NOISE if is_least(self.metric) else self.value < self.limit + NOISE

    def __str__(self) -> str:
        """In words; a value that falls short is shown with as many decimals as it takes to look so.

        >>> print(Checked("recall", 0.9, 0.89996))
        recall 0.89996 is 0.00004 under 0.9
        """
        if self.value is None:
            return f"{self.metric} has no value, and is to be {_bound(self.metric, self.limit)}"
        least = 4 if self.metric == "cost" else 3  # as in the tables
        if self.reached:
            return f"{self.metric} {self.value:.{least}f} ({_bound(self.metric, self.limit)})"
        sign = 1 if is_least(self.metric) else -1
        for digits in range(least, 13):
            shown = f"{self.value:.{digits}f}"
            short = round((self.limit - float(shown)) * sign, digits)
            if short > 0:
                break
        return f"{self.metric} {shown} is {short:.{digits}f} {'under' if sign > 0 else 'over'} {self.limit:.12g}"


@dataclass(frozen=True)
class Outcome:
    """A gate held against a report. ``setup`` is None when none could be called the best, ``chosen`` why it is this."""

    setup: Result | None
    checked: Sequence[Checked]
    chosen: str = ""

    @property
    def reached(self) -> bool:
        """Whether every number is reached."""
        return all(each.reached for each in self.checked)


def outcome(report: Report) -> Outcome | None:
    """What became of the gate of a report, None when it has none."""
    if report.gate is None:
        return None
    setup, chosen = _judged(report, report.gate)
    ran = setup is not None and setup.status != "failed"
    values = {metric: GATES[metric].value(setup) if ran and setup else None for metric in report.gate.limits}
    return Outcome(setup, [Checked(metric, limit, values[metric]) for metric, limit in report.gate.limits.items()], chosen)


def gate_lines(report: Report) -> list[str]:
    """The outcome of a report's gate in words: what is reached in one line, what falls short in one each."""
    found = outcome(report)
    if found is None or report.gate is None:
        return []
    gate = f"gate (PARTIAL: {report.questions} of {report.whole} questions)" if report.whole else "gate"
    if not report.is_finished:
        return [f"{gate}: not reached: the run is not finished"]
    if found.setup is None:
        return [f"{gate}: not reached: no setup is the best, as none ran to its end or no question is answerable"]
    name = f"{visible(found.setup.setup.name)} ({found.chosen})"
    if found.setup.status == "failed":
        return [f"{gate}: not reached: {name} failed"]
    if found.reached:
        return [f"{gate}: reached by {name}: {', '.join(map(str, found.checked))}"]
    return [f"{gate}: not reached by {name}:", *(f"  {each}" for each in found.checked if not each.reached)]


def _judged(report: Report, gate: Gate) -> tuple[Result | None, str]:
    """The setup that a gate is for, and why it is this one."""
    if not report.is_finished:
        return None, ""  # what was asked so far may be the easy half
    if gate.setup is not None:
        return next((result for result in report.results if result.setup.id == gate.setup), None), "gate.setup"
    best = best_of(report)
    return (best.chosen, f"the best setup{best.tie and f', {best.tie}'}") if best else (None, "")


def _range_of(key: str, value: Any) -> str:
    """What to write; a score that looks like per cent is given as a share."""
    if not is_least(key):
        return "write a number of 0 or more"
    number = isinstance(value, int | float) and not isinstance(value, bool) and 10 <= value <= 100
    return "write a number from 0 to 1" + (f", {value / 100:.12g} for {value:.12g} %" if number else "")


def _bound(metric: str, limit: Any) -> str:
    return f"at {'least' if is_least(metric) else 'most'} {limit:.12g}"


def _in_range(metric: str, value: Any) -> bool:
    number = isinstance(value, int | float) and not isinstance(value, bool) and isfinite(value)
    return number and 0 <= value <= (1 if is_least(metric) else inf)
