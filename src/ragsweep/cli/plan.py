"""``ragsweep plan``: every check, and what a run would do."""

from collections.abc import Sequence

from ragsweep.cli.composing import compose, listed, parse_arguments, sweep_parser


def command(given: Sequence[str]) -> int:
    """Exit code of ``ragsweep plan``."""
    parsed = parse_arguments(sweep_parser("plan", "Check everything and say what a run would do; computes nothing."), given)
    if listed(parsed.overrides):
        return 0
    from ragsweep.sweep.run import show_plan

    return compose(parsed, lambda wanted, launch: show_plan(wanted))
