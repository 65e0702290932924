"""``ragsweep questions check``: questions against the documents."""

from collections.abc import Sequence

from ragsweep.cli.composing import compose, parse_arguments, sweep_parser

WHOSE = "write ragsweep questions check experiment=NAME, or --files PATH... --questions PATH"


def command(given: Sequence[str]) -> int:
    """Exit code of ``ragsweep questions``."""
    what = "Check every label, and say what is missing and what one question is worth. Runs nothing."
    parser = sweep_parser("questions check", what)
    parsed = parse_arguments(parser, given)
    if parsed.overrides[:1] != ["check"]:
        parser.error(WHOSE)
    del parsed.overrides[0]
    from ragsweep.sweep.questions_check import check_questions

    return compose(parsed, lambda wanted, launch: check_questions(wanted), needs=WHOSE)
