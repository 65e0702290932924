"""``ragsweep check``: an experiment run again, against its accepted report."""

from collections.abc import Sequence

from ragsweep.cli.composing import compose, parse_arguments, sweep_parser
from ragsweep.errors import InputError


def command(given: Sequence[str]) -> int:
    """Exit code of ``ragsweep check``."""
    parsed = parse_arguments(sweep_parser("check", "Run an experiment again and compare with its accepted report.md."), given)
    if parsed.experiment_file and parsed.experiment_file.name != "experiment.yaml":
        raise InputError(
            f"{parsed.experiment_file.name} has no accepted report: check takes an experiments/NAME/experiment.yaml"
        )
    from ragsweep.sweep.accept import check

    return compose(parsed, check, needs="write which experiment: ragsweep check experiment=NAME")
