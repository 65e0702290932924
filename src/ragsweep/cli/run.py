"""``ragsweep run``: every combination, and the report."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ragsweep.cli.completion import complete
from ragsweep.cli.composing import HYDRA_FLAGS, compose, gate_arguments, hydra, listed, parse_arguments, sweep_parser
from ragsweep.errors import InputError

if TYPE_CHECKING:
    from ragsweep.sweep.wanted import Launch, Wanted


def command(given: Sequence[str]) -> int:
    """Exit code of ``ragsweep run``."""
    if given and given[0] == "-sc":
        return complete(given, ())
    if any(argument.split("=")[0] in HYDRA_FLAGS for argument in given):
        return hydra(list(given), Path("experiments"))
    parser = sweep_parser("run", "Run every combination and report.")
    parser.add_argument("--json", action="store_true", help="print report.json and nothing else")
    gate_arguments(parser)
    parsed = parse_arguments(parser, given)
    if listed(parsed.overrides):
        return 0
    from ragsweep.reporting.gate import from_flags

    parsed.overrides += [f"gate.{metric}={limit}" for metric, limit in from_flags(parsed.fail_under, parsed.fail_over).items()]

    if parsed.json and sum(override.startswith("experiment=") and "," in override for override in parsed.overrides):
        raise InputError("--json prints one report: write one experiment")
    return compose(parsed, lambda wanted, launch: _run(wanted, launch, as_json=parsed.json))


def _run(wanted: "Wanted", launch: "Launch", *, as_json: bool) -> int:
    from ragsweep.sweep.accept import next_step
    from ragsweep.sweep.progress import say
    from ragsweep.sweep.run import run

    collected = run(wanted, launch, as_json=as_json)
    if collected.exit_code == 0 and not as_json:
        say(next_step(collected.folder))
    return collected.exit_code
