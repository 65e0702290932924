"""The root values of conf/config.yaml, typed."""

from dataclasses import asdict, dataclass, field, fields
from math import isfinite
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import Field, WithJsonSchema

from ragsweep.documents import Limits, PdfReader, Settings
from ragsweep.errors import InputError, InputErrors, nearest
from ragsweep.judges.judging import Judge
from ragsweep.reporting.columns import SORTS
from ragsweep.reporting.gate import mistakes as gate_mistakes
from ragsweep.results import Price
from ragsweep.sweep.grid import SweepMode
from ragsweep.sweep.run_settings import RunSettings
from ragsweep.text.keywords import Language
from ragsweep.text.lengths import Length
from ragsweep.types import Match, Timing

Positive: TypeAlias = Annotated[int, Field(ge=1)]
CUTS: dict[str, Any] = {"type": "array", "items": {"anyOf": [{"type": "integer", "minimum": 1}, {"const": "top_k"}]}}


@dataclass(frozen=True)
class DatasetConfig:
    """Where the documents and questions are; paths as written."""

    files: str | list[str] | None = None
    questions: str | list[Any] | None = None
    root: str | None = None
    on_bad_file: Literal["error", "skip"] = "error"
    passwords: list[str] | dict[str, str] | None = None
    limits: Limits = field(default_factory=Limits)


@dataclass(frozen=True)
class StoreConfig:
    """Where shared work is kept."""

    dir: str | None = None


@dataclass(frozen=True)
class ReportConfig:
    """How the tables are sorted; None keeps the order in which the sweep is written. And by which keys of the questions scores
    are broken down."""

    sort: str | None = None
    by: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        if self.sort is not None and self.sort not in SORTS:
            raise InputError(f"report.sort={self.sort}: there is no such column; {nearest(self.sort, list(SORTS))}")


@dataclass(frozen=True)
class Weights:
    """What each stage weighs in the overall score of the scorecard."""

    chunking: float = 1
    retrieval: float = 1
    reranking: float = 1
    context: float = 1
    answer: float = 1

    def __post_init__(self) -> None:
        weights = asdict(self)
        wrong = [f"{key}={value:g}" for key, value in weights.items() if not (isfinite(value) and value >= 0)]
        if wrong:
            raise InputErrors(f"scorecard.weights.{said}: write a number of 0 or more" for said in wrong)
        if not any(weights.values()):
            raise InputError("scorecard.weights: all are 0: give a stage a number over 0")


@dataclass(frozen=True)
class ScorecardConfig:
    """How the overall score of a setup is made."""

    weights: Weights = field(default_factory=Weights)


@dataclass(frozen=True)
class RootConfig:
    """Every root value; a key that is not here is a mistake."""

    dataset: DatasetConfig = field(default_factory=DatasetConfig)
    pdf: PdfReader = "pypdf"
    chunk_size: int | None = None
    chunk_overlap: int | None = None
    length: Length = "words"
    top_k: Positive = 30
    top_n: Positive | None = None
    context_words: Positive | None = None
    evidence_match: Match = "union"
    score_at: Annotated[Any, WithJsonSchema(CUTS)] = (1, 3, 5, 10, "top_k")
    language: Language = "english"
    dedupe: Annotated[float, Field(gt=0, le=1)] | Literal["off"] | bool = 1.0
    limit: Positive | None = None
    limit_seed: int | None = None
    repeats: Positive = 1
    sweep: dict[str, Any] = field(default_factory=dict)
    sweep_mode: SweepMode = "grid"
    on_invalid: Literal["error", "skip"] = "error"
    setups: list[Any] = field(default_factory=list)
    gate: dict[str, Any] = field(default_factory=dict)
    prices: dict[str, Price] = field(default_factory=dict)
    n_jobs: Positive | None = None
    on_error: Literal["continue", "stop"] = "continue"
    max_failures: Annotated[int, Field(ge=0)] | Annotated[float, Field(gt=0, lt=1)] | None = None
    retry_failed: bool = True
    max_setup_s: Annotated[float, Field(gt=0)] | None = None
    in_flight: Positive = 1
    timing: Timing = "sweep"
    share_answers: bool = False
    store: StoreConfig = field(default_factory=StoreConfig)
    report: ReportConfig = field(default_factory=ReportConfig)
    scorecard: ScorecardConfig = field(default_factory=ScorecardConfig)
    experiment_dir: str | None = None
    worker: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.dedupe is True:
            raise InputError("dedupe=true: write a number up to 1, or off")
        if self.limit_seed is not None and self.limit is None:
            raise InputError(f"limit_seed={self.limit_seed}: draws the questions of a limit: write limit too, as in limit=20")
        if wrong := gate_mistakes(self.written_gate):
            raise InputErrors(wrong)
        cuts = self.score_at if isinstance(self.score_at, list | tuple) else [None]
        if not all(cut == "top_k" or (type(cut) is int and cut >= 1) for cut in cuts):
            raise InputError(f"score_at={self.score_at}: write a list of whole numbers and top_k, as in score_at=[1,5,top_k]")
        if self.on_error == "stop" and self.max_failures is not None:
            raise InputError("on_error=stop is max_failures=0: write one of them")

    @property
    def impossible(self) -> list[str]:
        """Why values that are each right cannot stand together; asked of each combination, as an axis may put it right."""
        if self.top_n is not None and self.context_words is not None:
            return [
                f"top_n={self.top_n} and context_words={self.context_words} both say how many hits are kept: "
                "leave out top_n, or write context_words=null"
            ]
        if self.top_n is not None and self.top_n > self.top_k:
            return [f"top_n={self.top_n} is more than top_k={self.top_k}: write top_n={self.top_k} or a larger top_k"]
        return []

    @property
    def written_gate(self) -> dict[str, Any]:
        """``gate`` without its nulls, which are values that were not written."""
        return {key: value for key, value in self.gate.items() if value is not None}

    @property
    def cut(self) -> int:
        """The effective top_n: where a budget of words decides, top_k."""
        if self.context_words is not None:
            return self.top_k
        return self.top_n if self.top_n is not None else min(5, self.top_k)

    @property
    def threshold(self) -> float | None:
        """The effective dedupe: None keeps all copies (YAML reads a bare ``off`` as False)."""
        return float(self.dedupe) if isinstance(self.dedupe, float) else None


def of_run(root: RootConfig, judge: Judge | None = None, judge_option: str = "none") -> RunSettings:
    """What is set once for a whole run."""
    same = {entry.name: getattr(root, entry.name) for entry in fields(RunSettings) if hasattr(root, entry.name)}
    other = {
        "max_failures": 0 if root.on_error == "stop" else root.max_failures,
        "sort": root.report.sort,
        "by": root.report.by,
        "weights": asdict(root.scorecard.weights),
        "gate": root.written_gate,
        "judge": judge,
        "judge_option": judge_option,
    }
    return RunSettings(**{**same, **other})


def of_files(root: RootConfig) -> dict[str, Any]:
    """The fields of a Wanted that say how files are read, and where shared work is kept."""
    dataset = root.dataset
    return {
        "root": dataset.root,
        "store": root.store.dir,
        "reading": Settings(root.pdf, dataset.limits, dataset.passwords or ()),
        "on_bad_file": dataset.on_bad_file,
    }


ROOT_KEYS = tuple(entry.name for entry in fields(RootConfig) if entry.name not in ("experiment_dir", "worker"))
"""What a user writes at the root, beside the groups."""
