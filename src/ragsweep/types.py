"""The kinds that flow along the road up to a Record; from a Score on they are in ragsweep.results.

    Setup -> Document, Question -> Index -> Record per question -> Score per question -> Result per setup -> report

Positions are Unicode code points of ``Document.text``; a span is ``(start, end)`` with the end excluded. Ranks are 1-based,
seconds are floats, every score is in 0..1 unless said otherwise. Nothing here does work.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Vector: TypeAlias = npt.NDArray[np.float32]
    """Shape (d,)."""
    Matrix: TypeAlias = npt.NDArray[np.float32]
    """Shape (n, d), one text a row."""

Span: TypeAlias = tuple[int, int]
EvidenceKind: TypeAlias = Literal["file", "page", "chunk", "quote", "span"]
Match: TypeAlias = Literal["union", "single"]
"""When quotes and spans are found: covered by the hits so far together, or held whole by one of them."""
Timing: TypeAlias = Literal["sweep", "alone"]
"""Which questions p50 and p95 are of: those of the sweep, or some that were asked again afterwards, one at a time."""
Status: TypeAlias = Literal["searched", "answered", "abstained", "gave_up", "empty", "cut", "failed"]
"""``searched`` is the status of a question under rag_type=search, which has no answer step."""


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
    which produced the list: any float, higher is better, comparable within one list only. ``words`` are those of the text that
    another system returned, wherever that is found; None stands for those of its span.
    """

    chunk: int
    document: str
    number: int
    start: int
    end: int
    score: float
    words: int | None = None


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
    ``model`` is the name that was sent. ``shared``: it was answered before, for another question or setup or before the run,
    and stands here with what it took then; ``waited`` alone is its own.
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
    model: str = ""
    shared: bool = False


@dataclass(frozen=True, slots=True)
class Probed:
    """What one smallest call showed of a model behind a server: tokens of its window, None where nobody says, and the length of
    its vectors, None where it gives none."""

    window: int | None = None
    dimensions: int | None = None


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
    never asked, because its setup stopped before. ``outside`` are texts that another system returned and that stand in no
    document: by the id of the document that they name, or "", what its text goes on with behind its end, so that hits are
    spans of it (``ragsweep.contexts.outside``).
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
    outside: Mapping[str, str] = field(default_factory=dict)

    @property
    def seconds(self) -> float:
        """Service time of the question: the sum over its steps."""
        return sum(step.seconds for step in self.steps)
