"""What records are worth: the kinds from a Score to a Report. Every score is in 0..1 unless said otherwise."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, Literal, TypeAlias, TypeVar

from ragsweep.types import Match, Status

Cut: TypeAlias = int | Literal["top_k"]
"""A length at which the retrieved list is scored."""
End: TypeAlias = Literal[
    "failed",
    "not_reachable",
    "copy",
    "not_retrieved",
    "reranking",
    "withheld",
    "abstained",
    "not_cited",
    "cited",
    "found",
]
"""Where a required evidence ended, the first that applies (ragsweep.evaluation.ledger)."""


@dataclass(frozen=True, slots=True)
class View:
    """The metrics of one ranked list of one question at its cut k."""

    recall: float
    rr: float
    ndcg: float
    hit: float
    all: float
    precision: float
    capped: bool
    """True when nDCG was cut down to 1."""


@dataclass(frozen=True, slots=True)
class Means:
    """The means of a view over the answerable questions, failed ones as 0."""

    recall: float
    mrr: float
    ndcg: float
    hit: float
    all: float
    precision: float


Seen = TypeVar("Seen", View, Means)


@dataclass(frozen=True, slots=True)
class Reranking(Generic[Seen]):
    """What the reranker is given and what it keeps, both cut at top_n or by ``context_words``: of a question, or the means.

    ``gained`` and ``lost`` count the evidences that only the list after it, or only the list before it, has found.
    """

    before: Seen
    after: Seen
    gained: int
    lost: int


@dataclass(frozen=True, slots=True)
class Characters:
    """How much of a text that is given is evidence, in characters (ragsweep.metrics.characters)."""

    recall: float
    precision: float
    iou: float


@dataclass(frozen=True, slots=True)
class Context:
    """The final hits as a text to read: of a question, or the means (copies: the sum).

    ``precision`` is the share of them that hold evidence, 0 when there are none; ``copies`` those with the text of an earlier
    one. ``characters`` is for questions whose evidence are quotes and spans.
    """

    precision: float
    copies: int
    characters: Characters | None


@dataclass(frozen=True, slots=True)
class Grades:
    """What an answer to an answerable question is worth, 0 for a refusal: of a question, or the means.

    ``exact_match`` and ``f1`` are against its right answers, ``facts`` is the share of its required facts that the answer
    states; None without any. Citations are the cited chunks, as given: the share of them that hold evidence, and the share of
    the evidence that they alone find; None when nobody recorded them. ``grounded`` is the share of its sentences that stand
    in the final hits; None when nobody recorded these.
    """

    exact_match: float | None
    f1: float | None
    facts: float | None
    citation_precision: float | None
    citation_recall: float | None
    grounded: float | None


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a judge said of an answer. ``correct`` is None where it was not asked for, both are where it is ``unscored``, for
    the reason that stands there. ``answered`` is False where there was no answer to ask a judge about: that is neither.
    """

    correct: bool | None = None
    grounded: bool | None = None
    reason: str = ""
    unscored: str | None = None
    answered: bool = True


@dataclass(frozen=True, slots=True)
class Agreement:
    """Of two truth values of ``n`` answers: the share that are equal, and Cohen's kappa, None where chance leaves no room."""

    share: float
    kappa: float | None
    n: int


@dataclass(frozen=True, slots=True)
class Judged:
    """What a judge said of a setup: shares of the ``correct_n`` and ``grounded_n`` answerable questions that are scored, those
    without an answer as 0, and how far it agrees with the lexical scores. None where there is nothing to take a share of.

    ``unscored`` answers are in no share.
    """

    correct: float | None
    correct_n: int
    grounded: float | None
    grounded_n: int
    unscored: int
    correct_agreement: Agreement | None
    grounded_agreement: Agreement | None


@dataclass(frozen=True, slots=True)
class Price:
    """Of a million tokens that a model reads, and of a million that it writes, in a currency of the user's."""

    input: float
    output: float = 0.0


@dataclass(frozen=True)
class Usage:
    """What a question, or all questions of a setup, took of model servers.

    Tokens are None when a server did not tell, ``cost`` when it did not or a price is not known. ``shared`` are the
    calls among all that had been answered before and are charged with what they took then. ``waited`` is in seconds, as
    are the service times ``step_seconds``, by the name of the step. ``failures`` counts the calls that failed, by kind.
    """

    calls: int = 0
    retries: int = 0
    input_tokens: int | None = 0
    output_tokens: int | None = 0
    cost: float | None = 0.0
    truncated: int = 0
    unusable: int = 0
    shared: int = 0
    waited: float = 0.0
    step_seconds: Mapping[str, float] = field(default_factory=dict)
    failures: Mapping[str, int] = field(default_factory=dict)

    @property
    def tokens(self) -> int | None:
        """Read and written."""
        return None if self.input_tokens is None or self.output_tokens is None else self.input_tokens + self.output_tokens


@dataclass(frozen=True, slots=True)
class Score:
    """One question of one setup, scored. Both views are None for an unanswerable question, and 0 throughout for a failed one.

    ``question``, ``task_type`` and ``answer`` are texts for the reader of a row; ``final`` is scored at k = top_n and
    ``retrieved`` at k = top_k.
    """

    question_id: str
    question: str
    task_type: str | None
    status: Status
    answer: str | None
    final: View | None
    retrieved: View | None
    found: tuple[str, ...]
    missed: tuple[str, ...]
    """Labels of the evidences found / not found in the final view, in the order written."""
    words: int
    """Words of all final hits."""
    steps: int
    dropped: int
    """Copies left out of the retrieved list."""
    seconds: float
    error: str | None = None
    retrieved_at: Mapping[int, View] = field(default_factory=dict)
    """The retrieved list at other cuts."""
    reranking: Reranking[View] | None = None
    context: Context | None = None
    grades: Grades | None = None
    ends: tuple[End, ...] = ()
    """Where each evidence ended, in the order written."""
    usage: Usage = field(default_factory=Usage)
    repeat: int = 0
    """Which asking of the question it was."""
    verdict: Verdict | None = None
    """None without a judge, and of an unanswerable question."""
    missing: bool = False
    """It has no record, as it was not asked yet or its worker left none: ``status`` is "failed" all the same."""


@dataclass(frozen=True, slots=True)
class ChunkingScore:
    """What a chunking makes possible, before anything is searched. Words are those of its chunks.

    ``whole`` is the share of quotes and spans that lie in one chunk; precision-omega is the mean over the questions whose
    evidence are quotes and spans, with its population standard deviation. None where there is nothing to take a mean of.
    """

    least_words: int
    median_words: float
    most_words: int
    whole: float | None
    precision_omega: float | None
    precision_omega_std: float | None


@dataclass(frozen=True, slots=True)
class EmbeddingScore:
    """What the vectors of a chunking are worth by themselves, over the answerable questions.

    ``recall`` and ``mrr`` are those of retriever=dense at top_k. ``margin`` is the mean, over ``margin_questions``, of the
    cosine of the nearest evidence less that of the nearest other chunk (-2..2); None where no question has both.
    """

    recall: float
    mrr: float
    margin: float | None
    margin_questions: int


@dataclass(frozen=True, slots=True)
class Description:
    """A planned setup as reports show it.

    ``options`` holds the value of each axis that the setup uses and anything else worth showing, flat: ``{"rag_type": "simple",
    "chunker": "word", "chunk_size": 60, "retriever.rrf_k": 60}``. ``k`` is the cut of the final view, ``context_words`` the
    room for its chunks. ``generates`` is False for a search setup. ``chunking`` is the name that its ``Bounds`` carry. The
    facts of the index (number of chunks, their mean words, those over the embedder's window, those with a
    vector of zeros) are None when there was none.
    """

    id: str
    name: str
    options: Mapping[str, Any]
    k: int
    generates: bool
    chunking: str
    chunks: int | None = None
    chunk_words: float | None = None
    over_window: int | None = None
    zero_vectors: int | None = None
    context_words: int | None = None
    beside: bool = False
    """A setup with a name of its own beside the grid."""
    chunking_score: ChunkingScore | None = None
    embedding_score: EmbeddingScore | None = None
    """None where no part uses chunk vectors."""
    unknown: tuple[str, ...] = ()
    """Of a system that finds contexts by itself: the stages and measures that nobody knows."""
    recorded: bool = False
    """A system that ragsweep did not run."""


@dataclass(frozen=True, slots=True)
class Result:
    """One setup over all questions.

    ``status`` is "ok", "partial" (some questions failed), "failed" (the setup broke, or no question ran) or "unfinished" (some
    have no record: the run was cut off, or a worker lost). ``n_ok`` of ``n`` questions ran. Means are None when there is
    nothing to take a mean of: no question ran, or none is answerable; ``answered`` and ``refused`` are None for a search setup
    too. ``run`` holds run columns only (``ragsweep.reporting.columns``).
    """

    setup: Description
    status: Literal["ok", "partial", "failed", "unfinished"]
    n_ok: int
    n: int
    final: Means | None
    retrieved: Means | None
    answered: float | None
    """Share of the answerable questions."""
    refused: int | None
    """How many of the unanswerable questions."""
    unanswerable: int
    steps: float | None
    words: float | None
    p50_s: float | None
    p95_s: float | None
    capped: int
    """Questions whose final nDCG was cut down to 1."""
    dropped: int
    empty: int
    cut: int
    """Questions with an empty answer, and with one that was cut off."""
    missed: tuple[str, ...]
    """Ids of the answerable questions with no evidence found."""
    looks: tuple[Score, ...]
    """The questions to look at, in question order."""
    error: str | None = None
    run: Mapping[str, Any] = field(default_factory=dict)
    repeats: tuple["Result", ...] = ()
    """Each repeat of all questions for itself, where they were asked several times."""
    retrieved_at: Mapping[int, Means] = field(default_factory=dict)
    reranking: Reranking[Means] | None = None
    context: Context | None = None
    grades: Grades | None = None
    refused_wrongly: float | None = None
    """Share of the answerable questions that were refused."""
    ledger: Mapping[End, int] = field(default_factory=dict)
    """How many of the required evidences ended where."""
    missing: int = 0
    """Questions without a record; they count as failed."""
    usage: Usage = field(default_factory=Usage)
    by: Mapping[str, Mapping[str | None, "Result"]] = field(default_factory=dict)
    """For each key of the questions that was asked for, the questions of each of its values by themselves, None: without it."""
    judged: Judged | None = None
    """None without a judge."""
    counted: Mapping[str, int] = field(default_factory=dict)
    """How many questions each mean is over that is not over all answerable ones: characters, exact_match (and f1), facts."""


@dataclass(frozen=True, slots=True)
class Bounds:
    """Recall of a random order of a chunking's chunks (``floor``), and the best of any order (``ceiling``), both cut at k.

    ``context_words`` is the room that the chunks had to fit in, None when only their number was limited. ``exact`` is False
    when the ceiling is only an upper bound.
    """

    chunking: str
    k: int
    floor: float
    ceiling: float
    exact: bool
    context_words: int | None = None


@dataclass(frozen=True, slots=True)
class Gate:
    """What a setup has to reach: a limit by metric, a key of ``ragsweep.reporting.columns.GATES``; of the setup with the id
    ``setup``, or of the best one."""

    limits: Mapping[str, float]
    setup: str | None = None


@dataclass(frozen=True, slots=True)
class Report:
    """Everything that the report files say, apart from the rows of questions.csv.

    ``axes`` are the swept keys with their values, both in the order written. ``rule`` is how quotes and spans
    match, None when no evidence is one.
    ``notices`` are sentences for the user. ``run_lines`` may differ from run to run (texts embedded, seconds). ``sort`` is a
    key of ``ragsweep.reporting.columns.SORTS``. ``whole`` is the number of all questions when a limit left some out: the
    report is PARTIAL then. ``weights`` are those of the stages in the scorecard, 1 for one that is not there.
    """

    dataset: str
    questions: int
    answerable: int
    fixed: Mapping[str, Any]
    axes: Mapping[str, Sequence[Any]]
    results: Sequence[Result]
    bounds: Sequence[Bounds] = ()
    notices: Sequence[str] = ()
    run_lines: Sequence[str] = ()
    rule: Match | None = None
    sort: str | None = None
    whole: int | None = None
    gate: Gate | None = None
    weights: Mapping[str, float] = field(default_factory=dict)
    judge: str | None = None
    """Who judged, in words; None for nobody."""

    @property
    def is_finished(self) -> bool:
        """Whether every question of every setup has a record."""
        return all(result.status != "unfinished" for result in self.results)

    @property
    def is_partial(self) -> bool:
        """Whether it is of some of the questions only: by a limit, or because the run was cut off."""
        return self.whole is not None or not self.is_finished

    def bounds_of(self, setup: Description) -> Bounds | None:
        """Those of its chunking at its cut."""
        own = setup.chunking, setup.k, setup.context_words
        return next((each for each in self.bounds if (each.chunking, each.k, each.context_words) == own), None)
