"""Scoring 10,000 questions and writing the report, beside reading their records."""

import contextlib
import io
import json
from collections.abc import Iterator

from benchmarks.measuring import RAGSWEEP, Comparison, Side, compared, in_turn, own_place, run_command
from benchmarks.texts import EXPERIMENTS
from ragsweep.sweep.collect import collect
from ragsweep.sweep.frozen import PLAN, thaw

QUESTIONS = 10_000


def compare(times: int) -> Iterator[Comparison]:
    """One setup over the sample; its questions are asked again under other words."""
    sample = EXPERIMENTS / "policies"
    asked = [each for each in json.loads((sample / "questions.json").read_text()) if each.get("answerable", True)]
    many = [
        {**asked[number % len(asked)], "id": f"q{number}", "question": f"{asked[number % len(asked)]['question']} ({number})"}
        for number in range(QUESTIONS)
    ]
    with own_place() as (folder, environment):
        (folder / "questions.json").write_text(json.dumps(many))
        command = ["run", f"--files={sample / 'documents'}", "--questions=questions.json", "rag_type=search", "retriever=bm25"]
        run_command([RAGSWEEP, *command], environment, folder)
        run = (folder / "run" / "latest").resolve()
        frozen = thaw(run / PLAN)

        def ours() -> None:
            with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
                collect([run])

        other = Side(lambda: [list(frozen.rows(job)) for job in frozen.jobs])
        timed = in_turn(Side(ours), other, times)
    yield compared("report", f"{QUESTIONS:,} questions, one setup", "reading its records once", timed, 2.0)
