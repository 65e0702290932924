"""The kinds that flow along the road, and the Protocols of its replaceable parts.

    Setup -> Document, Question -> Index -> Record per question -> Score per question -> Result per setup -> report

Positions are Unicode code points of ``Document.text``; a span is ``(start, end)`` with the end excluded. Ranks are 1-based,
seconds are floats, every score is in 0..1 unless said otherwise. Nothing here does work.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Literal, Protocol, TypeAlias, TypeVar

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Vector: TypeAlias = npt.NDArray[np.float32]
    """Shape (d,)."""
    Matrix: TypeAlias = npt.NDArray[np.float32]
    """Shape (n, d), one text a row."""

Span: TypeAlias = tuple[int, int]
Need: TypeAlias = Literal["vectors", "bm25", "sentences", "generator", "server"]
"""What a component asks to be prepared: chunk vectors, a keyword index, sentence vectors of the chunks, a generator, a model
server that answers (its part is an ``Asking``)."""
EvidenceKind: TypeAlias = Literal["file", "page", "chunk", "quote", "span"]
Match: TypeAlias = Literal["union", "single"]
"""When quotes and spans are found: covered by the hits so far together, or held whole by one of them."""
Cut: TypeAlias = int | Literal["top_k"]
"""A length at which the retrieved list is scored."""
Status: TypeAlias = Literal["searched", "answered", "abstained", "gave_up", "empty", "cut", "failed"]
"""``searched`` is the status of a question under rag_type=search, which has no answer step."""
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


# ---- documents ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading line: its level (1 is the highest), the span of the line, and its bare title."""

    level: int
    start: int
    end: int
    title: str


@dataclass(frozen=True, slots=True)
class Block:
    """A table (one row a line) or a block of code, by the span of its whole lines; blocks do not overlap.

    ``header`` is the span of a table's header lines at its top (in Markdown the row and the dashes below it), None without.
    """

    kind: Literal["table", "code"]
    start: int
    end: int
    header: Span | None = None


@dataclass(frozen=True, slots=True)
class Document:
    """One file as one text.

    ``id`` is the posix path relative to ``dataset.root`` in NFC. ``pages[n - 1]`` is the span of page n; empty for files
    without pages. ``sha256`` is that of the file's bytes. ``notices`` are sentences for the user (a detected encoding, no
    text layer); they name no path but the id.
    """

    id: str
    text: str
    sha256: str
    pages: tuple[Span, ...] = ()
    headings: tuple[Heading, ...] = ()
    notices: tuple[str, ...] = ()
    blocks: tuple[Block, ...] = ()


# ---- questions ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Place:
    """A span of one document. ``chunk`` is set for chunk labels only: the chunk's 1-based number in that document."""

    document: str
    start: int
    end: int
    chunk: int | None = None


@dataclass(frozen=True, slots=True)
class Evidence:
    """One thing that a good search must find, resolved against the documents.

    ``label`` is the normalised way of writing it (``hr.pdf#p4``, the quote). Any one of ``places`` satisfies it: a file is
    one place, a quote without a source has one for each occurrence. Without any place, in a reading of the files whose texts do
    not have it, nothing finds it.
    """

    kind: EvidenceKind
    label: str
    places: tuple[Place, ...]


@dataclass(frozen=True, slots=True)
class Question:
    """One question with its resolved evidence, in the order written. ``evidence`` is empty when ``answerable`` is False.

    ``where`` says where it was written ("questions.json[3]", "questions.jsonl:7") for error messages.
    """

    id: str
    text: str
    evidence: tuple[Evidence, ...]
    answerable: bool = True
    answers: tuple[str, ...] = ()
    required_facts: tuple[str, ...] = ()
    task_type: str | None = None
    extra: Mapping[str, Any] = field(default_factory=dict)
    where: str = ""


# ---- what happened -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Hit:
    """A chunk that a retriever or reranker returned.

    ``chunk`` is its 0-based place in the index, ``number`` its 1-based place in its document. ``score`` is that of the step
    which produced the list: any float, higher is better, comparable within one list only.
    """

    chunk: int
    document: str
    number: int
    start: int
    end: int
    score: float


@dataclass(frozen=True, slots=True)
class Answer:
    """What a generator said. ``cited`` are the index places (``Hit.chunk``) of the chunks it used.

    ``end`` says whether it is whole, cut off at the most tokens, or without any text.
    """

    text: str
    abstained: bool
    cited: tuple[int, ...] = ()
    end: Literal["complete", "cut", "empty"] = "complete"

    @property
    def status(self) -> Status:
        """The status of a question that ended with this answer."""
        if self.end != "complete":
            return self.end
        return "abstained" if self.abstained else "answered"


@dataclass(frozen=True, slots=True)
class Call:
    """One call to a model server: its requests after the first, and where its time went.

    ``seconds`` are the service time of the request that was answered, 0 when none was; ``waited`` is all the rest: waiting
    for a place of our own, requests that failed, and the pauses after them. Tokens are None where the server does not tell.
    ``failure`` is its kind (``ragsweep.errors.Failure``).
    ``truncated``: by its count the server read less than the whole prompt. ``unusable``: it was answered, with a reply that is
    not in the form asked for.
    """

    retries: int
    seconds: float
    waited: float
    input_tokens: int | None = None
    output_tokens: int | None = None
    failure: str | None = None
    truncated: bool = False
    unusable: bool = False


@dataclass(frozen=True, slots=True)
class Step:
    """One timed step of a question: its name, its service seconds, what went in and what came out (JSON values only).

    ``calls`` are those that it made to model servers; what they waited is not in its seconds.
    """

    name: str
    seconds: float
    inputs: Mapping[str, Any]
    outcome: Mapping[str, Any]
    calls: tuple[Call, ...] = ()


@dataclass(frozen=True, slots=True)
class Record:
    """What happened for one question of one setup. It holds no label, no answer key and no score.

    ``retrieved`` is the (last) list before reranking, at most top_k; ``final`` is what the generator was given, or the
    reranked list where there is no generator, at most top_n; it is empty after giving up. ``copies`` are the hits that were
    left out of ``retrieved``, best first. ``error`` is set only when ``status`` is "failed"; then ``unasked`` says that it was
    never asked, because its setup stopped before.
    """

    question: str
    repeat: int
    status: Status
    retrieved: tuple[Hit, ...] = ()
    final: tuple[Hit, ...] = ()
    answer: Answer | None = None
    steps: tuple[Step, ...] = ()
    copies: tuple[Hit, ...] = ()
    error: str | None = None
    unasked: bool = False

    @property
    def seconds(self) -> float:
        """Service time of the question: the sum over its steps."""
        return sum(step.seconds for step in self.steps)


# ---- what it is worth --------------------------------------------------------------------------------------------------


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
    the evidence that they alone find.
    """

    exact_match: float | None
    f1: float | None
    facts: float | None
    citation_precision: float
    citation_recall: float


@dataclass(frozen=True, slots=True)
class Price:
    """Of a million tokens that a model reads, and of a million that it writes, in a currency of the user's."""

    input: float
    output: float = 0.0


@dataclass(frozen=True)
class Usage:
    """What a question, or all questions of a setup, took of model servers.

    Tokens are None when a server did not tell, ``cost`` when it did not or a price is not known. ``waited`` is in seconds, as
    are the service times ``step_seconds``, by the name of the step. ``failures`` counts the calls that failed, by kind.
    """

    calls: int = 0
    retries: int = 0
    input_tokens: int | None = 0
    output_tokens: int | None = 0
    cost: float | None = 0.0
    truncated: int = 0
    unusable: int = 0
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
class Description:
    """A planned setup as reports show it.

    ``options`` holds the value of each axis that the setup uses and anything else worth showing, flat: ``{"rag_type": "simple",
    "chunker": "word", "chunk_size": 60, "retriever.rrf_k": 60}``. ``k`` is the cut of the final view, ``context_words`` the
    room for its chunks. ``generates`` is False for a search setup. ``chunking`` is the name that its ``Bounds`` carry. The
    facts of the index (number of chunks, their mean words, those over the embedder's window) are None when there was none.
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
    context_words: int | None = None
    beside: bool = False
    """A setup with a name of its own beside the grid."""
    chunking_score: ChunkingScore | None = None


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
    report is PARTIAL then.
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


# ---- the replaceable parts ---------------------------------------------------------------------------------------------
# A component is a frozen dataclass: its fields are the YAML schema, the label, the identity and the pickle form.


class Component(Protocol):
    """What every part has. ``version`` goes up whenever the same fields would give another result."""

    version: ClassVar[int]
    needs: ClassVar[frozenset[Need]]


class Asking(Component, Protocol):
    """A part that needs "server". Where its server is (``base_url``), its key and its limits are in no key: ``model`` is."""

    def ready(self) -> "Asking":
        """The part with all that is to be known before the run: the digest of its model, where the server tells one.

        Raises InputError when its key is not there, and ServerError when what must be looked up is not.
        """
        ...


class Chunker(Component, Protocol):
    """Cuts a document into spans; see SPEC: starts strictly increase, no chunk is empty, every non-space is covered."""

    def split(self, document: Document) -> Iterator[Span]:
        """The spans of the chunks, in order. Pure: no state, no reading of anything but the document."""
        ...


class Embedder(Component, Protocol):
    """Turns texts into unit vectors. A field ``path`` says where its model lies and is in no key: ``model`` stands for it."""

    @property
    def model(self) -> str:
        """What makes the vectors beside the fields: the files of the model, by hash or digest.

        Raises InputError when the model or what runs it is not there; every plan asks for it.
        """
        ...

    @property
    def query_prefix(self) -> str:
        """What is put before a query for ``embed`` (ragsweep.embedders.prefixes)."""
        ...

    @property
    def passage_prefix(self) -> str:
        """What is put before a text that is searched."""
        ...

    def embed(self, texts: Sequence[str]) -> "Matrix":
        """Shape (len(texts), d), float32, each row of length 1 (or 0 for a text without tokens)."""
        ...

    def over_window(self, texts: Sequence[str]) -> list[bool]:
        """For each text, whether it is longer than the model's window."""
        ...


class QueryVectors(Protocol):
    """Vectors of what is asked: prepared ones first, embedded now where there is none. Charges are kept apart (see Steps)."""

    def vector(self, text: str) -> "Vector":
        """The unit vector of a query."""
        ...


Ranking: TypeAlias = list[tuple[int, float]]
"""(index place, score), best first, equal scores (to 6 decimals) by place; places are ordered by (document id, start)."""


class Retriever(Component, Protocol):
    """Ranks the chunks of an index for a query."""

    def rank(self, index: Any, query: str, vectors: QueryVectors, depth: int, top_k: int) -> Ranking:
        """At least the ``depth`` best chunks that there are (fewer when the list ends), in the one true order."""
        ...


class Reranker(Component, Protocol):
    """Puts the pool of one question in a new order."""

    def rerank(self, index: Any, query: str, vectors: QueryVectors, pool: Sequence[Hit]) -> list[Hit]:
        """All hits of the pool with new scores, best first (equal scores to 6 decimals by index place)."""
        ...


class Generator(Component, Protocol):
    """Answers from the chunks it is given, and takes the decisions that adaptive asks for."""

    def generate(self, index: Any, question: str, vectors: QueryVectors, chunks: Sequence[Hit]) -> Answer:
        """The answer, with the refusal said explicitly."""
        ...

    def route(self, question: str) -> tuple[str, ...]:
        """The parts to search for; one part means a single question."""
        ...

    def check(self, index: Any, question: str, vectors: QueryVectors, chunks: Sequence[Hit]) -> bool:
        """Whether the chunks suffice to answer."""
        ...

    def rewrite(self, question: str, attempt: int) -> str:
        """Another way to search for it; ``attempt`` counts from 1."""
        ...


class RagType(Component, Protocol):
    """Plain code over Steps (ragsweep.steps)."""

    @property
    def asks(self) -> tuple[Mapping[str, int], Mapping[str, int]]:
        """How often a question is reranked ("rerank"), and asks the generator for an "answer", a "route", a "check" and a
        "rewrite": at least, and at most."""
        ...

    def answer(self, question: str, steps: Any) -> Any:
        """Drive the steps for one question; see ragsweep.steps.Outcome for what comes back."""
        ...

    def queries(self, question: str, generator: Generator | None) -> Iterable[str]:
        """Every text that a vector may be asked for, as far as it is known before the run."""
        ...
