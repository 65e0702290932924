"""The root values of conf/config.yaml, typed."""

from dataclasses import dataclass, field, fields
from typing import Any, Literal

from ragsweep.errors import InputError
from ragsweep.setups import GROUPS


@dataclass(frozen=True)
class DatasetConfig:
    """Where the documents and questions are; paths as written."""

    files: str | list[str] | None = None
    questions: str | list[Any] | None = None
    root: str | None = None


@dataclass(frozen=True)
class StoreConfig:
    """Where shared work is kept."""

    dir: str | None = None


@dataclass(frozen=True)
class ReportConfig:
    """How the tables are sorted; None keeps the order in which the sweep is written."""

    sort: Literal["recall", "mrr", "ndcg", "hit", "answered"] | None = None


@dataclass(frozen=True)
class RootConfig:
    """Every root value; a key that is not here is a mistake."""

    dataset: DatasetConfig = field(default_factory=DatasetConfig)
    chunk_size: int | None = None
    chunk_overlap: int | None = None
    length: Literal["words", "characters", "tokens"] = "words"
    top_k: int = 30
    top_n: int | None = None
    dedupe: float | Literal["off", False] = 1.0
    sweep: dict[str, Any] = field(default_factory=dict)
    setups: list[dict[str, Any]] = field(default_factory=list)
    n_jobs: int | None = None
    store: StoreConfig = field(default_factory=StoreConfig)
    report: ReportConfig = field(default_factory=ReportConfig)
    experiment_dir: str | None = None
    worker: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.top_k < 1:
            raise InputError(f"top_k={self.top_k}: write a whole number of 1 or more")
        if self.top_n is not None and self.top_n < 1:
            raise InputError(f"top_n={self.top_n}: write a whole number of 1 or more, or null for min(5, top_k)")
        if self.top_n is not None and self.top_n > self.top_k:
            raise InputError(f"top_n={self.top_n} is more than top_k={self.top_k}: write top_n={self.top_k} or a larger top_k")
        if not isinstance(self.dedupe, str) and self.dedupe is not False and not 0 < self.dedupe <= 1:
            raise InputError(f"dedupe={self.dedupe}: write a number over 0 and up to 1, or off")
        if self.n_jobs is not None and self.n_jobs < 1:
            raise InputError(f"n_jobs={self.n_jobs}: write a whole number of 1 or more, or null for all cores")

    @property
    def cut(self) -> int:
        """The effective top_n."""
        return self.top_n if self.top_n is not None else min(5, self.top_k)

    @property
    def threshold(self) -> float | None:
        """The effective dedupe: None keeps all copies (YAML reads a bare ``off`` as False)."""
        return None if self.dedupe in ("off", False) else float(self.dedupe)


GROUP_OR_ROOT_KEYS = (*GROUPS, *(entry.name for entry in fields(RootConfig) if entry.name != "worker"))
