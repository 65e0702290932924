"""A small index and scripted parts, for tests of what happens to one question; a small project and its command line."""

import json
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import HealthCheck, settings

from ragsweep.embedders.queries import PreparedVectors, QuestionVectors
from ragsweep.index import Chunks, Index, Sentences, SentenceSpans
from ragsweep.setups import Setup
from ragsweep.steps import Steps
from ragsweep.store.entries import scratch
from ragsweep.types import Answer, Document, Hit

# Whether a property holds depends on neither the speed of the machine nor the day.
settings.register_profile("ragsweep", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("ragsweep")

TEXTS = {
    "leave.md": "Staff have 25 days of leave. Unused days lapse in March.",
    "remote.md": "You may work abroad for 20 days. Your manager approves the dates.",
}


@dataclass(frozen=True)
class Axes:
    """Embeds a text as its number of letters a, b, c and d, at length 1."""

    version: ClassVar[int] = 1
    needs: ClassVar[frozenset[str]] = frozenset()
    model: ClassVar[str] = "letters"
    query_prefix: ClassVar[str] = ""
    passage_prefix: ClassVar[str] = ""

    def embed(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        counts = np.array([[text.count(letter) for letter in "abcd"] for text in texts], dtype=np.float32)
        return counts / np.maximum(np.linalg.norm(counts, axis=1, keepdims=True), 1e-9)

    def over_window(self, texts: Sequence[str]) -> list[bool]:
        return [False] * len(texts)


@dataclass(frozen=True)
class Fixed:
    """Ranks as told for each query, otherwise all chunks by place."""

    rankings: dict[str, list[int]] = field(default_factory=dict)

    version: ClassVar[int] = 1
    needs: ClassVar[frozenset[str]] = frozenset()

    def rank(self, index: Index, query: str, vectors: QuestionVectors, depth: int, top_k: int) -> list[tuple[int, float]]:
        vectors.vector(query)
        places = self.rankings.get(query, range(len(index)))
        return [(place, 1 - rank / 10) for rank, place in enumerate(places)][:depth]


@dataclass(frozen=True)
class Reversed:
    """Puts the pool upside down."""

    version: ClassVar[int] = 1
    needs: ClassVar[frozenset[str]] = frozenset()

    def rerank(self, index: Index, query: str, vectors: QuestionVectors, pool: Sequence[Hit]) -> list[Hit]:
        return [index.hit(hit.chunk, place / 10) for place, hit in enumerate(pool)][::-1]


@dataclass(frozen=True)
class Scripted:
    """Says what it is told: ``checks`` in turn, then True."""

    checks: list[bool] = field(default_factory=list)
    parts: tuple[str, ...] = ()
    abstains: bool = False

    version: ClassVar[int] = 1
    needs: ClassVar[frozenset[str]] = frozenset()

    def generate(self, index: Index, question: str, vectors: QuestionVectors, chunks: Sequence[Hit]) -> Answer:
        vectors.vector(question)
        return Answer("said", self.abstains, tuple(hit.chunk for hit in chunks[:1]))

    def route(self, question: str) -> tuple[str, ...]:
        return self.parts or (question,)

    def check(self, index: Index, question: str, vectors: QuestionVectors, chunks: Sequence[Hit]) -> bool:
        return self.checks.pop(0) if self.checks else True

    def rewrite(self, question: str, attempt: int) -> str:
        return f"{question} again {attempt}"


@pytest.fixture
def index() -> Index:
    """Four chunks: the two sentences of leave.md (places 0, 1) and of remote.md (2, 3)."""
    documents = {id: Document(id, text, sha256=id) for id, text in TEXTS.items()}
    cuts = [(place, text.index(". ") + 1) for place, text in enumerate(TEXTS.values())]
    spans = [span for place, cut in cuts for span in ((place, 0, cut), (place, cut + 1, len(list(TEXTS.values())[place])))]
    chunks = Chunks(tuple(TEXTS), np.array(spans, dtype=np.int64))
    places, texts = SentenceSpans.split(chunks, documents)
    return Index(chunks, documents, sentences=Sentences.build(places, texts, Axes().embed(texts)))


@pytest.fixture
def vectors() -> PreparedVectors:
    """The query "a question" is prepared and costs 5 seconds, its part "a part" 2; all else is embedded live."""
    texts = ["a question", "a part"]
    return PreparedVectors(texts, Axes().embed(texts), [5.0, 2.0], Axes())


@pytest.fixture
def scripted() -> type[Scripted]:
    return Scripted


@pytest.fixture
def make_setup() -> Callable[..., Setup]:
    """A setup of scripted parts with top_k 3 and top_n 2; any part or value may be given."""

    def make(**values: Any) -> Setup:
        parts = {"chunker": None, "embedder": Axes(), "retriever": Fixed(), "reranker": Reversed(), "generator": Scripted()}
        return Setup(**{**parts, "top_k": 3, "top_n": 2, "dedupe": None, **values})

    return make


@pytest.fixture
def make_steps(index: Index, vectors: PreparedVectors) -> Callable[..., Steps]:
    """The steps of one question over the small index, with scripted parts, top_k 3 and top_n 2; any part may be given."""

    def make(rankings: dict[str, list[int]] | None = None, **values: Any) -> Steps:
        parts = {"retriever": Fixed(rankings or {}), "reranker": Reversed(), "generator": Scripted()}
        return Steps(index, vectors.of_question(), **{**parts, "top_k": 3, "top_n": 2, "dedupe": None, **values})

    return make


# ---- a small project and its command line ------------------------------------------------------------------------------

QUESTIONS = [
    {"id": "q1", "question": "How many days of leave?", "required_evidence_ids": ["leave.md"]},
    {"id": "q2", "question": "Who approves the dates?", "expected": ["Your manager approves the dates."]},
    {"id": "q3", "question": "Is there a gym?", "answerable": False},
]


@dataclass(frozen=True)
class Ran:
    """What a command returned and printed. ``runs`` are the folders in outputs, without the store."""

    code: int
    out: str
    err: str
    runs: list[Path]


@dataclass(frozen=True)
class Project:
    """The current directory: ``docs`` with the two texts, ``questions.json``, and a command line of one process."""

    root: Path
    capsys: Any

    def __call__(self, *arguments: str) -> Ran:
        """Run a command in this process."""
        from ragsweep.cli import main

        self.capsys.readouterr()
        code = main(arguments)
        out, err = self.capsys.readouterr()
        return Ran(code, out, err, sorted(path.resolve() for path in self.root.glob("outputs/*/latest")))

    def files(self, command: str, *overrides: str) -> Ran:
        """A command over the files of the project, by words alone (no model)."""
        given = ["--files", "docs", "--questions", "questions.json"]
        return self(command, *given, "rag_type=search", "retriever=bm25", "n_jobs=1", *overrides)

    def experiment(self, text: str, name: str = "mine") -> Path:
        """Write an experiment over copies of the project's files. Its folder."""
        folder = self.root / "experiments" / name
        (folder / "docs").mkdir(parents=True, exist_ok=True)
        for document, content in TEXTS.items():
            (folder / "docs" / document).write_text(content, encoding="utf-8")
        self.questions(QUESTIONS, folder)
        (folder / "experiment.yaml").write_text(text, encoding="utf-8")
        return folder

    def questions(self, questions: list[dict[str, Any]], folder: Path | None = None) -> None:
        ((folder or self.root) / "questions.json").write_text(json.dumps(questions), encoding="utf-8")


@pytest.fixture
def project(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], hydra_restore_singletons: None
) -> Project:
    for name in [name for name in os.environ if name.startswith("RAGSWEEP_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("HYDRA_FULL_ERROR", "1")  # our entry sets it: this puts it back
    scratch.cache_clear()  # each command has a process of its own but here
    monkeypatch.chdir(tmp_path)
    (tmp_path / "docs").mkdir()
    for document, content in TEXTS.items():
        (tmp_path / "docs" / document).write_text(content, encoding="utf-8")
    made = Project(tmp_path, capsys)
    made.questions(QUESTIONS)
    return made
