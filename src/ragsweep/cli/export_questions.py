"""``ragsweep export-questions``: the questions, for another system to answer."""

from collections.abc import Sequence
from pathlib import Path

from ragsweep.cli.composing import compose, parse_arguments, sweep_parser
from ragsweep.cli.score import WHOSE
from ragsweep.errors import InputError


def command(given: Sequence[str]) -> int:
    """Exit code of ``ragsweep export-questions``."""
    parser = sweep_parser("export-questions", "Write the questions, a line of JSON each, to a file or to stdout.")
    parser.usage = "ragsweep export-questions [PATH] [experiment=NAME | --files PATH... --questions PATH] [--with-labels]"
    parser.add_argument("--with-labels", action="store_true", help="with evidence and answers")
    parsed = parse_arguments(parser, given)
    paths = [each for each in parsed.overrides if "=" not in each]
    parsed.overrides = [each for each in parsed.overrides if each not in paths]
    if len(paths) > 1:
        raise InputError(f"{' '.join(paths)}: write one path")
    from ragsweep.sweep.export import export_questions

    path = Path(paths[0]) if paths else None
    return compose(parsed, lambda wanted, launch: export_questions(wanted, path, with_labels=parsed.with_labels), needs=WHOSE)
