"""The columns of every report. Result columns are equal for every run on the same inputs; run columns need not be."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from ragsweep.results import Judged, Means, Result

RUN_COLUMNS = (
    "p50_s",
    "p95_s",
    "seconds",
    "waited_s",
    "retries",
    "shared",
    "index_tokens",
    "index_cost",
    "jobs",
    "in_flight",
    "timing",
    "host",
    "folder",
)
"""The closed list of run columns: times, how often model servers were asked again or not at all,
what embedding the chunks took (shared in batches with other setups), setups side by side and
questions in flight, what was timed, where it ran and where its records are. They come last."""


@dataclass(frozen=True)
class Measure:
    """A number that tables show and sort by. ``shown`` is the format of ``scale`` times it; equal as shown is equal."""

    label: str
    value: Callable[[Result], float | None]
    shown: str = ".3f"
    best: Callable[..., float] = max
    unit: str = ""
    scale: float = 1

    def cell(self, result: Result) -> str:
        """The number as a column shows it, "-" when there is none."""
        value = self.value(result)
        return "-" if value is None else format(value * self.scale, self.shown)

    def show(self, result: Result) -> str:
        """The number with its unit, "-" when there is none."""
        return self.cell(result) + (self.unit if self.value(result) is not None else "")

    def level(self, result: Result) -> float | None:
        """The number as far as it is shown, None when there is none."""
        return None if self.value(result) is None else float(self.cell(result).rstrip("%").replace(",", ""))


def _mean(metric: Callable[[Means], float], retrieved: bool = False) -> Callable[[Result], float | None]:
    def value(result: Result) -> float | None:
        means = result.retrieved if retrieved else result.final
        return metric(means) if means else None

    return value


def refused_share(result: Result) -> float | None:
    """Refused / unanswerable questions; None when there are none or the setup gives no answers."""
    return None if result.refused is None or not result.unanswerable else result.refused / result.unanswerable


def own(value: Callable[[Result], float | None]) -> Callable[[Result], float | None]:
    """A number that only ragsweep counts: None for a system that it did not run."""
    return lambda result: None if result.setup.recorded else value(result)


def _judged(share: Callable[[Judged], float | None]) -> Callable[[Result], float | None]:
    return lambda result: share(result.judged) if result.judged else None


OF_JUDGE: Mapping[str, Measure] = {
    "judge_correct": Measure("Judged correct", _judged(lambda judged: judged.correct)),
    "judge_grounded": Measure("Judged grounded", _judged(lambda judged: judged.grounded)),
}
"""What a judge said, in the stage table and, as the other columns, to sort and gate by."""
SORTS: Mapping[str, Measure] = {
    "recall": Measure("Recall", _mean(lambda means: means.recall)),
    "mrr": Measure("MRR", _mean(lambda means: means.mrr)),
    "ndcg": Measure("nDCG", _mean(lambda means: means.ndcg)),
    "hit": Measure("Hit", _mean(lambda means: means.hit)),
    "all": Measure("All", _mean(lambda means: means.all)),
    "precision": Measure("Precision", _mean(lambda means: means.precision)),
    "answered": Measure("Answered", lambda result: result.answered, ".0%"),
    "refused": Measure("Refused", refused_share),
    "steps": Measure("Steps", lambda result: result.steps, ".1f", min),
    "words": Measure("Words", lambda result: result.words, ".0f", min),
    "calls": Measure("Calls", own(lambda result: result.usage.calls), ",", min),
    "tokens": Measure("Tokens", lambda result: result.usage.tokens, ",", min),
    "cost": Measure("Cost", lambda result: result.usage.cost, ".4f", min),
    "p50": Measure("p50", lambda result: result.p50_s, ".1f", min, " ms", 1000),
    "p95": Measure("p95", lambda result: result.p95_s, ".1f", min, " ms", 1000),
    **OF_JUDGE,
}
"""What ``report.sort`` can name; times in milliseconds."""
IN_SECONDS: Mapping[str, Measure] = {
    **SORTS,
    **{key: replace(SORTS[key], shown=".2f", unit=" s", scale=1) for key in ("p50", "p95")},
}
"""The same for a table whose times are in seconds."""
SPREAD = ("recall", "mrr", "ndcg", "hit", "answered", "refused", "steps")
"""The scores whose spread over repeats is shown."""

RETRIEVED: Mapping[str, Measure] = {
    "retrieved_recall": Measure("retrieved Recall", _mean(lambda means: means.recall, retrieved=True)),
    "retrieved_mrr": Measure("retrieved MRR", _mean(lambda means: means.mrr, retrieved=True)),
    "retrieved_ndcg": Measure("retrieved nDCG", _mean(lambda means: means.ndcg, retrieved=True)),
}
"""Scores of what retrieval had found, before the cut."""

GATES: Mapping[str, Measure] = {
    **{f"{key}_s" if measure.unit == " s" else key: measure for key, measure in IN_SECONDS.items()},
    **RETRIEVED,
}
"""What ``gate`` can name, by column. Its limit is the least where ``best`` is max (all of these are 0..1), else the most."""

RESULT_COLUMNS: Mapping[str, Callable[[Result], Any]] = {
    "setup": lambda result: result.setup.name,
    "status": lambda result: result.status,
    "n_ok": lambda result: result.n_ok,
    "n": lambda result: result.n,
    **{key: SORTS[key].value for key in ("recall", "mrr", "ndcg", "hit", "all", "precision", "answered", "refused")},
    "steps": lambda result: result.steps,
    "words": lambda result: result.words,
    **{key: measure.value for key, measure in RETRIEVED.items()},
    "chunks": lambda result: result.setup.chunks,
    "chunk_words": lambda result: result.setup.chunk_words,
    "over_window": lambda result: result.setup.over_window,
    "zero_vectors": lambda result: result.setup.zero_vectors,
    "dropped_copies": own(lambda result: result.dropped),
    "capped": lambda result: result.capped,
    "empty": lambda result: result.empty,
    "cut": lambda result: result.cut,
    **{key: SORTS[key].value for key in ("calls", "tokens", "cost")},
    "input_tokens": lambda result: result.usage.input_tokens,
    "output_tokens": lambda result: result.usage.output_tokens,
    "truncated": own(lambda result: result.usage.truncated),
    "unusable": own(lambda result: result.usage.unusable),
    "error": lambda result: result.error,
}


def run_values(result: Result) -> dict[str, Any]:
    """The run columns of a setup; those that nobody filled in are None."""
    usage = {"waited_s": result.usage.waited, "retries": result.usage.retries, "shared": result.usage.shared}
    known = {**result.run, "p50_s": result.p50_s, "p95_s": result.p95_s, **({} if result.setup.recorded else usage)}
    return {column: rounded(known.get(column)) for column in RUN_COLUMNS if column != "seconds"}


def rounded(value: Any) -> Any:
    """A float to 6 decimals, as the files hold it; anything else as it is."""
    return round(value, 6) if isinstance(value, float) else value


def spread(result: Result) -> dict[str, tuple[Result, Result]]:
    """For each score, the repeats with the least and the most of it; none where no repeat has it."""
    found = {}
    for key in SPREAD:
        having = [(value, place) for place, each in enumerate(result.repeats) if (value := SORTS[key].value(each)) is not None]
        if having:
            found[key] = result.repeats[min(having)[1]], result.repeats[max(having)[1]]
    return found
