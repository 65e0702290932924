"""JSON, JSONL and YAML -> Questions, in two steps: `load` reads what is written, `resolve` finds it in the documents."""

from ragsweep.questions.drafts import Loaded
from ragsweep.questions.examples import examples
from ragsweep.questions.keys import unknown_keys
from ragsweep.questions.notices import few_questions
from ragsweep.questions.reading import load, parse, written
from ragsweep.questions.resolving import placed, resolve

__all__ = ["Loaded", "examples", "few_questions", "load", "parse", "placed", "resolve", "unknown_keys", "written"]
