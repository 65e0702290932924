"""``ragsweep doctor``: what a run needs of servers and models, tried by the smallest calls."""

from collections.abc import Sequence

from ragsweep.cli.composing import compose, listed, parse_arguments, sweep_parser


def command(given: Sequence[str]) -> int:
    """Exit code of ``ragsweep doctor``."""
    what = "Check the servers, models, keys and windows of a run by the smallest calls. Exit code 1 when something is wrong."
    parsed = parse_arguments(sweep_parser("doctor", what), given)
    if listed(parsed.overrides):
        return 0
    from ragsweep.sweep.doctor import doctor

    return compose(parsed, lambda wanted, launch: doctor(wanted))
