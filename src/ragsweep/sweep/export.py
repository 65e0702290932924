"""The questions as lines of JSON, for a system that is to answer them."""

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ragsweep import files
from ragsweep.errors import InputError
from ragsweep.sweep.describe import count
from ragsweep.sweep.limit import limited
from ragsweep.sweep.progress import say
from ragsweep.sweep.reading import read_corpora
from ragsweep.sweep.run import make_store
from ragsweep.sweep.wanted import Wanted
from ragsweep.types import Evidence, Question


def export_questions(wanted: Wanted, path: Path | None, *, with_labels: bool) -> int:
    """Write the questions to a new file, or to stdout. The exit code, 0; InputErrors for mistakes in files and questions."""
    corpus = next(iter(read_corpora(wanted, make_store(wanted)).by_reading.values()))
    questions = limited(corpus.questions, wanted.settings.limit, wanted.settings.limit_seed)
    lines = b"".join(files.strict_json(_written(question, with_labels=with_labels)) + b"\n" for question in questions)
    if path is None:
        sys.stdout.write(lines.decode())
    elif path.exists():
        raise InputError(f"{path}: is there already: write another path")
    else:
        files.publish(path, lines)
        say(f"{count(len(questions), 'question')}: {path}")
    return 0


def _written(question: Question, *, with_labels: bool) -> dict[str, Any]:
    asked: dict[str, Any] = {"id": question.id, "question": question.text}
    if not with_labels:
        return asked
    labels = {
        "expected": [_label(each) for each in question.evidence],
        "answer": list(question.answers),
        "required_facts": list(question.required_facts),
        "task_type": question.task_type,
        **question.extra,
    }
    answerable = {} if question.answerable else {"answerable": False}
    return {**asked, **answerable, **{key: value for key, value in labels.items() if value}}


def _label(evidence: Evidence) -> Mapping[str, Any]:
    """An evidence as a file of questions has it."""
    if evidence.kind == "quote":
        source = next((each.document for each in evidence.places if evidence.label.startswith(f"{each.document}: ")), None)
        quote = evidence.label.removeprefix(f"{source}: ")
        return {"quote": quote} if source is None else {"source": source, "quote": quote}
    place = evidence.places[0]
    own: Mapping[str, dict[str, Any]] = {
        "file": {},
        "page": {"page": int(evidence.label.rpartition("#p")[2]) if evidence.kind == "page" else 0},
        "chunk": {"chunk": place.chunk},
        "span": {"start": place.start, "end": place.end},
    }
    return {"source": place.document, **own[evidence.kind]}
