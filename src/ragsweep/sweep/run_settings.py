"""What is set once for a whole run: from root values through the plan into plan.json, as one thing."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from typing import Any, cast

from ragsweep.errors import StoreError
from ragsweep.judges.judging import Judge
from ragsweep.results import Cut, Price
from ragsweep.setups import describe, restore
from ragsweep.types import Match, Timing


@dataclass(frozen=True)
class RunSettings:
    """Root values that say how a run asks, goes on, and is scored and shown, by the names that they have there.

    ``evidence_match`` is the rule for quotes and spans, ``score_at`` the cuts of the stage tables. ``sort`` and ``by`` are of
    ``report``, ``weights`` of ``scorecard``. ``gate`` is as written: limits by metric, and the name of a setup under
    ``setup``. ``limit`` is how many questions to ask at most: the first ones, or those that ``limit_seed`` draws.
    ``max_failures`` is how many questions may fail before the run stops: a whole number, or a fraction of all of them.
    ``max_setup_s`` are the seconds that one setup may take in an attempt. ``in_flight`` questions of a setup are asked at the
    same time. ``timing`` says which questions give p50 and p95. ``share_answers``: identical requests at temperature 0 are
    answered once for all setups. ``judge`` is asked about answers when all are there; None for nobody. ``judge_option`` is what
    it is called in conf/.
    """

    n_jobs: int | None = None
    evidence_match: Match = "union"
    score_at: Sequence[Cut] = ("top_k",)
    limit: int | None = None
    limit_seed: int | None = None
    repeats: int = 1
    max_failures: float | None = None
    retry_failed: bool = True
    max_setup_s: float | None = None
    in_flight: int = 1
    timing: Timing = "sweep"
    share_answers: bool = False
    sort: str | None = None
    by: Sequence[str] = ()
    weights: Mapping[str, float] = field(default_factory=dict)
    gate: Mapping[str, Any] = field(default_factory=dict)
    prices: Mapping[str, Price] = field(default_factory=dict)
    judge: Judge | None = None
    judge_option: str = "none"

    def of_all(self, questions: int) -> "RunSettings":
        """The same, with ``max_failures`` as a count: a fraction of ``questions``, those of all setups, is rounded down."""
        most = self.max_failures
        return replace(self, max_failures=int(most * questions)) if isinstance(most, float) else self

    def plain(self) -> dict[str, Any]:
        """As plan.json holds them."""
        prices = {model: asdict(price) for model, price in self.prices.items()}
        return {**vars(self), "prices": prices, "judge": describe(self.judge) if self.judge else None}

    @classmethod
    def restore(cls, plain: Mapping[str, Any]) -> "RunSettings":
        """Back from what ``plain`` gave. Raises KeyError for a missing one, StoreError for a judge that asks no model."""
        given = {entry.name: plain[entry.name] for entry in fields(cls)}
        judge = cast(Judge, restore(plain["judge"])) if plain["judge"] else None
        if judge is not None and "server" not in judge.needs:
            raise StoreError(f"its judge is {type(judge).__name__}, which asks no model")
        return cls(**{**given, "prices": {model: Price(**price) for model, price in plain["prices"].items()}, "judge": judge})
