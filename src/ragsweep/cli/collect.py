"""``ragsweep collect``: the report of runs made again."""

import argparse
from collections.abc import Sequence
from pathlib import Path

from ragsweep.cli.composing import gate_arguments
from ragsweep.errors import InputError


def command(given: Sequence[str]) -> int:
    """Exit code of ``ragsweep collect``."""
    parser = argparse.ArgumentParser(
        prog="ragsweep collect", description="Make the report of runs again, with today's labels and prices; runs nothing."
    )
    parser.add_argument(
        "given",
        nargs="+",
        metavar="RUN_DIR",
        help="several make one report, in a folder of its own; files of recorded runs (.jsonl, .json, .csv) stand beside them",
    )
    parser.add_argument("--json", action="store_true", help="print report.json and nothing else")
    gate_arguments(parser)
    parsed = parser.parse_args(given)
    from ragsweep.config.edited_prices import prices_now
    from ragsweep.reporting.gate import from_flags
    from ragsweep.sweep.collect import collect
    from ragsweep.sweep.recorded import is_recorded

    gate = from_flags(parsed.fail_under, parsed.fail_over)
    recorded = [Path(each) for each in parsed.given if is_recorded(each) and not Path(each).is_dir()]
    folders = [Path(each) for each in parsed.given if Path(each) not in recorded]
    if not folders:
        alone = f"by itself: ragsweep score {recorded[0]} experiment=NAME"
        raise InputError(f"{recorded[0]}: write the folder of a run too; {alone}")
    return collect(folders, as_json=parsed.json, gate=gate, prices_now=prices_now, recorded=recorded).exit_code
