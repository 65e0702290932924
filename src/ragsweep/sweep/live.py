"""A system that runs elsewhere is asked the questions, and what it returns is written as a recorded run, a line each."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ragsweep import files
from ragsweep.contexts.reading import written
from ragsweep.errors import InputError, InputErrors, ServerError, StoreError
from ragsweep.models import calls
from ragsweep.models.client import Client
from ragsweep.models.server import Server
from ragsweep.recorded import read
from ragsweep.recorded.rows import KEYS, read_row
from ragsweep.redaction import redact
from ragsweep.reporting.escape import visible
from ragsweep.sweep.describe import count
from ragsweep.sweep.limit import limited
from ragsweep.sweep.progress import say
from ragsweep.sweep.reading import read_corpora
from ragsweep.sweep.recorded import cut_of
from ragsweep.sweep.run import make_store
from ragsweep.sweep.wanted import Wanted
from ragsweep.types import Question

SAID = tuple(key for key in KEYS if key not in ("id", "system", "seconds"))
"""What a system may say of a question."""
SHOWN_ERRORS = 3
"""Distinct errors that are shown."""


def record(wanted: Wanted, server: Server, path: Path) -> int:
    """Ask the system at ``server`` every question that ``path`` has no line of, one after another, and append what it returns.

    Lines of questions that failed are taken out and asked again. The exit code: 0, or 1 when a question failed.

    Raises InputErrors for mistakes in files, questions, the key and the lines that are there, and ServerError when the system
    is not there, or refuses the key or the path.
    """
    corpus = next(iter(read_corpora(wanted, make_store(wanted)).by_reading.values()))
    server.key()  # before any work
    files.make_folder(path.parent)
    most = cut_of([row.setup for row in wanted.rows]).top_k
    questions = limited(corpus.questions, wanted.settings.limit, wanted.settings.limit_seed)
    done = _done(path)
    left = [question for question in questions if question.id not in done]
    say(f"asking {server.base_url} {count(len(left), 'question')}, k={most}: {path}")
    failed: Counter[str] = Counter()
    for question in left:
        row = _ask(Client(server), question, most)
        files.append_line(path, row)
        failed.update([row["error"]] if "error" in row else [])
    for error, times in failed.most_common(SHOWN_ERRORS):
        say(f"{times} failed: {visible(error)}")
    more = f"{failed.total()} failed; to ask them again write the same: {path} has why"
    say(more if failed else f"to grade it: ragsweep score {path} ...")
    return 1 if failed else 0


def _done(path: Path) -> set[str]:
    """The ids of the questions that did not fail; of the others no line stays."""
    if path.suffix != ".jsonl":
        raise InputError(f"{path}: write a file that ends in .jsonl: a line is appended for each question")
    if not path.exists() or not path.stat().st_size:
        return set()
    try:
        kept = [row for row in files.read_lines(path) if row.get("error") is None]  # without a line that was cut off
    except StoreError as error:
        raise InputErrors(read([path]).mistakes or [error]) from None
    files.publish(path, b"".join(files.strict_json(row) + b"\n" for row in kept))
    if kept and (mistakes := read([path]).mistakes):
        raise InputErrors(mistakes)
    return {str(row["id"]) for row in kept}


def _ask(client: Client, question: Question, most: int) -> dict[str, Any]:
    """The line of one question: what the system said, or why it failed. Raises ServerError when the next would fail too."""
    with calls.recorded() as made:
        try:
            said = client.call("", {"question": question.text, "k": most}, _said)
        except ServerError as error:
            if error.is_lasting:
                raise
            return {"id": question.id, "error": redact(str(error))}
    return {"id": question.id, **said, "seconds": round(made[-1].seconds, 6)}


def _said(reply: Any) -> dict[str, Any]:
    """A reply, a list of contexts or an object with them, by the keys of a recorded line. Raises ValueError when it is none."""
    said = written(reply)
    kept = {key: said[key] for key in SAID if key in said}
    _, wrong = read_row({"id": "it", **kept}, "", "it")
    if wrong or not kept:
        mistakes = "; ".join(said.removeprefix(": 'it': ") for said in wrong)
        raise ValueError(mistakes or f"it has none of {', '.join(SAID)}")
    return kept


def server_of(url: str, key_env: str | None) -> Server:
    """The system at an address. Raises InputError for one that is none."""
    try:
        return Server(url, key_env)
    except InputError as error:
        raise InputError(str(error).replace("base_url=", "the system's address ", 1)) from None


def addresses(given: Sequence[str]) -> list[str]:
    """Which arguments of a command are addresses."""
    return [each for each in given if each.startswith(("http://", "https://"))]
