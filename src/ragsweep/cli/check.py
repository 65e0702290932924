"""``ragsweep check``: an experiment run again, against its accepted report."""

from collections.abc import Sequence

from ragsweep.cli.composing import compose, parse_arguments, sweep_parser


def command(given: Sequence[str]) -> int:
    """Exit code of ``ragsweep check``."""
    parsed = parse_arguments(sweep_parser("check", "Run an experiment again and compare with its accepted report.md."), given)
    from ragsweep.sweep.accept import check

    return compose(parsed, check)
