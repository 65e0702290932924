"""``ragsweep score``: a system that ragsweep did not run."""

from collections.abc import Sequence
from pathlib import Path

from ragsweep.cli.composing import compose, gate_arguments, parse_arguments, sweep_parser

WHOSE = "write whose questions were asked: experiment=NAME, or --files PATH... --questions PATH"


def command(given: Sequence[str]) -> int:
    """Exit code of ``ragsweep score``."""
    parser = sweep_parser("score", "Grade what another system returned for the questions. Runs nothing.")
    parser.usage = "ragsweep score RUNS.jsonl... [experiment=NAME | --files PATH... --questions PATH] [overrides]"
    parser.add_argument("--json", action="store_true", help="print report.json and nothing else")
    gate_arguments(parser)
    parsed = parse_arguments(parser, given)
    from ragsweep.reporting.gate import from_flags
    from ragsweep.sweep.recorded import is_recorded, score

    recorded = [each for each in parsed.overrides if is_recorded(each)]
    parsed.overrides = [each for each in parsed.overrides if each not in recorded]
    if not recorded:
        there = next((each for each in parsed.overrides if Path(each).is_file()), None)
        wrong = f"{there}: must be a .jsonl, .json or .csv file; " if there else ""
        parser.error(f"{wrong}write the file first: ragsweep score runs.jsonl experiment=NAME")
    parsed.overrides += [f"gate.{metric}={limit}" for metric, limit in from_flags(parsed.fail_under, parsed.fail_over).items()]
    paths = [Path(each) for each in recorded]
    return compose(parsed, lambda wanted, launch: score(wanted, paths, as_json=parsed.json).exit_code, needs=WHOSE)
