"""The numbers of each stage of a setup, for the tables of report.md and for the files."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from ragsweep.reporting.columns import OF_JUDGE, refused_share
from ragsweep.results import (
    Agreement,
    Characters,
    ChunkingScore,
    Context,
    EmbeddingScore,
    End,
    Grades,
    Judged,
    Means,
    Report,
    Result,
)

ENDS: Mapping[End, str] = {
    "failed": "question failed",
    "not_reachable": "not reachable",
    "copy": "dropped as a copy",
    "not_retrieved": "not retrieved",
    "reranking": "lost in reranking",
    "withheld": "withheld",
    "abstained": "given but abstained",
    "not_cited": "given and not cited",
    "cited": "cited",
    "found": "found",
}
"""Where an evidence can end, in words, in the order in which it is asked."""
CUT_OFF = "cut at top_n"
"""The same of what was kept out by reranking, where no reranker is known."""


@dataclass(frozen=True)
class Number:
    """A number of a stage: its name in the files, its header in a table (None: it is in none), and how it is shown there."""

    key: str
    value: Callable[[Result], float | None]
    label: str | None = None
    shown: str = ".3f"

    def show(self, result: Result) -> str:
        """The number as tables show it, "-" when there is none."""
        value = self.value(result)
        return "-" if value is None else format(value, self.shown)


@dataclass(frozen=True)
class Stage:
    """A stage with its numbers. Its table has a row for each setup, for each chunking and cut, or for each embedder of a
    chunking. ``note`` stands below its title, ``absent`` is said in its place where no setup has any of the numbers.
    """

    key: str
    title: str
    numbers: Sequence[Number]
    rows: Literal["setup", "chunking", "embedding"] = "setup"
    note: str = ""
    absent: str = ""


def stages(report: Report) -> list[Stage]:
    """All stages, whether a setup has them or not."""
    return [
        Stage("chunking", "Chunking", list(_chunking(report)), "chunking"),
        Stage("embedding", "Embedding", list(_embedding(report)), "embedding", absent="left out: no setup has chunk vectors"),
        Stage("retrieval", "Retrieval", list(_retrieval(report))),
        Stage("reranking", "Reranking", list(_reranking())),
        Stage("context", "Context", list(_context())),
        Stage("answer", "Answer", list(_answer())),
        *([Stage("judge", f"Answers as judged by {report.judge}", list(_judge()), note=_JUDGE_NOTE)] if report.judge else []),
    ]


def ends_in_words(results: Sequence[Result]) -> Mapping[End, str]:
    """``ENDS``, with what was kept out by reranking called as it is where no reranker is known: it stood below top_n."""
    none = {result.setup.recorded or result.setup.options.get("reranker") == "none" for result in results}
    words = {True: CUT_OFF, False: ENDS["reranking"]}
    return {**ENDS, "reranking": ", or ".join(words[each] for each in sorted(none))}


def ledger(results: Sequence[Result]) -> dict[End, int]:
    """How many evidences of these setups ended where, in the order of ``ENDS``."""
    return {end: sum(result.ledger.get(end, 0) for result in results) for end in ENDS}


def _chunking(report: Report) -> Iterator[Number]:
    def of(value: Callable[[ChunkingScore], float | None]) -> Callable[[Result], float | None]:
        return lambda result: value(result.setup.chunking_score) if result.setup.chunking_score else None

    def reachable(result: Result) -> float | None:
        bounds = report.bounds_of(result.setup)
        return bounds.ceiling if bounds else None

    yield Number("reachable_recall", reachable, "Reachable")
    yield Number("whole", of(lambda score: score.whole), "Whole")
    yield Number("precision_omega", of(lambda score: score.precision_omega), "Precision-omega")
    yield Number("precision_omega_std", of(lambda score: score.precision_omega_std), "std")
    yield Number("least_words", of(lambda score: score.least_words), "Words, least", ".0f")
    yield Number("median_words", of(lambda score: score.median_words), "median", ".0f")
    yield Number("most_words", of(lambda score: score.most_words), "most", ".0f")


def _embedding(report: Report) -> Iterator[Number]:
    top_k = report.fixed.get("top_k", "top_k")

    def of(value: Callable[[EmbeddingScore], float | None]) -> Callable[[Result], float | None]:
        return lambda result: value(result.setup.embedding_score) if result.setup.embedding_score else None

    yield Number("dense_recall", of(lambda score: score.recall), f"Recall@{top_k}")
    yield Number("dense_mrr", of(lambda score: score.mrr), f"MRR@{top_k}")
    yield Number("margin", of(lambda score: score.margin), "Margin")
    yield Number("margin_questions", of(lambda score: score.margin_questions), "its n", ".0f")


METRICS: Mapping[str, tuple[str, Callable[[Means], float]]] = {
    "recall": ("Recall", lambda means: means.recall),
    "mrr": ("MRR", lambda means: means.mrr),
    "ndcg": ("nDCG", lambda means: means.ndcg),
    "hit": ("Hit", lambda means: means.hit),
    "all": ("All", lambda means: means.all),
}


def _retrieval(report: Report) -> Iterator[Number]:
    """At each cut in the files; in the table Recall at each cut, and the other metrics at top_k."""
    top_k = report.fixed.get("top_k", "top_k")
    cuts = sorted({cut for result in report.results for cut in result.retrieved_at})

    def at(cut: int, metric: Callable[[Means], float]) -> Callable[[Result], float | None]:
        return lambda result: metric(result.retrieved_at[cut]) if cut in result.retrieved_at else None

    def last(metric: Callable[[Means], float]) -> Callable[[Result], float | None]:
        return lambda result: metric(result.retrieved) if result.retrieved else None

    for cut in cuts:
        for key, (label, metric) in METRICS.items():
            yield Number(f"retrieved_{key}@{cut}", at(cut, metric), f"{label}@{cut}" if key == "recall" else None)
    for key, (label, metric) in METRICS.items():
        yield Number(f"retrieved_{key}", last(metric), None if key == "recall" and top_k in cuts else f"{label}@{top_k}")
    yield _answerable("retrieval_n", lambda result: result.retrieved)


def _reranking() -> Iterator[Number]:
    def of(side: str, metric: Callable[[Means], float]) -> Callable[[Result], float | None]:
        return lambda result: metric(getattr(result.reranking, side)) if result.reranking else None

    for key, (label, metric) in METRICS.items():
        for side in ("before", "after"):
            shown = f"{label} {side}" if key in ("recall", "mrr", "ndcg") else None
            yield Number(f"{side}_reranking_{key}", of(side, metric), shown)
    yield Number("gained", lambda result: result.reranking.gained if result.reranking else None, "Gained", ".0f")
    yield Number("lost", lambda result: result.reranking.lost if result.reranking else None, "Lost", ".0f")
    yield _answerable("reranking_n", lambda result: result.reranking)


def _context() -> Iterator[Number]:
    def of(value: Callable[[Context], float]) -> Callable[[Result], float | None]:
        return lambda result: value(result.context) if result.context else None

    def read(value: Callable[[Characters], float]) -> Callable[[Result], float | None]:
        return lambda result: value(result.context.characters) if result.context and result.context.characters else None

    yield Number("recall", lambda result: result.final.recall if result.final else None, "Recall")
    yield Number("context_precision", of(lambda context: context.precision), "Precision")
    yield Number("character_recall", read(lambda characters: characters.recall), "Character recall")
    yield Number("character_precision", read(lambda characters: characters.precision), "precision")
    yield Number("character_iou", read(lambda characters: characters.iou), "IoU")
    yield _over("characters", "n (characters)")
    yield Number("words", lambda result: result.words, "Words", ".0f")
    yield Number("context_copies", of(lambda context: context.copies), "Copies", ".0f")
    yield _answerable("context_n", lambda result: result.context)


def _answer() -> Iterator[Number]:
    def of(value: Callable[[Grades], float | None]) -> Callable[[Result], float | None]:
        return lambda result: value(result.grades) if result.grades else None

    yield Number("exact_match", of(lambda grades: grades.exact_match), "Exact match")
    yield Number("token_f1", of(lambda grades: grades.f1), "Token F1")
    yield _over("exact_match", "n (answers)")
    yield Number("required_facts", of(lambda grades: grades.facts), "Required facts")
    yield _over("facts", "n (facts)")
    yield Number("citation_precision", of(lambda grades: grades.citation_precision), "Citation precision")
    yield Number("citation_recall", of(lambda grades: grades.citation_recall), "Citation recall")
    yield Number("grounded", of(lambda grades: grades.grounded), "Grounded")
    yield Number("refused", refused_share, "Refused rightly")
    yield Number(
        "unanswerable", lambda result: None if refused_share(result) is None else result.unanswerable, "n (unanswerable)", ".0f"
    )
    yield Number("refused_wrongly", lambda result: result.refused_wrongly, "Refused wrongly")
    yield _answerable("answer_n", lambda result: result.grades)


_JUDGE_NOTE = (
    "shares of n scored answerable questions, no answer as 0; unscored ones are in neither. "
    "Agreement with the lexical scores: share of equal answers, and kappa, which is 0 for agreement by chance"
)


def _judge() -> Iterator[Number]:
    def of(value: Callable[[Judged], float | None]) -> Callable[[Result], float | None]:
        return lambda result: value(result.judged) if result.judged else None

    def agreed(name: str, value: Callable[[Agreement], float | None]) -> Callable[[Result], float | None]:
        def number(result: Result) -> float | None:
            found: Agreement | None = getattr(result.judged, f"{name}_agreement", None)
            return value(found) if found else None

        return number

    yield Number("judge_correct", OF_JUDGE["judge_correct"].value, "Correct")
    yield Number("judge_correct_n", of(lambda judged: judged.correct_n), "n (correct)", ".0f")
    yield Number("judge_grounded", OF_JUDGE["judge_grounded"].value, "Grounded")
    yield Number("judge_grounded_n", of(lambda judged: judged.grounded_n), "n (grounded)", ".0f")
    yield Number("judge_unscored", of(lambda judged: judged.unscored), "Unscored", ".0f")
    for name in ("correct", "grounded"):
        yield Number(f"judge_{name}_agreement", agreed(name, lambda found: found.share), f"{name.capitalize()}: agreement")
        yield Number(f"judge_{name}_kappa", agreed(name, lambda found: found.kappa), "kappa")
        yield Number(f"judge_{name}_agreement_n", agreed(name, lambda found: found.n), "its n", ".0f")


def _answerable(key: str, stage: Callable[[Result], object]) -> Number:
    """The questions that the means of a stage are over, the failed ones too; none where a setup does not have the stage."""
    return Number(key, lambda result: result.n - result.unanswerable if stage(result) else None, "n", ".0f")


def _over(key: str, label: str) -> Number:
    """The questions that the numbers before it are over."""
    return Number(f"{key}_n", lambda result: result.counted.get(key) or None, label, ".0f")
