"""``ragsweep collect``: the report of runs made again."""

import argparse
from collections.abc import Sequence
from pathlib import Path


def command(given: Sequence[str]) -> int:
    """Exit code of ``ragsweep collect``."""
    parser = argparse.ArgumentParser(
        prog="ragsweep collect", description="Make the report of runs again, with today's labels; runs nothing."
    )
    parser.add_argument(
        "run_dirs", type=Path, nargs="+", metavar="RUN_DIR", help="several make one report, in a folder of its own"
    )
    parser.add_argument("--json", action="store_true", help="print report.json and nothing else")
    parsed = parser.parse_args(given)
    from ragsweep.sweep.collect import collect

    return collect(parsed.run_dirs, as_json=parsed.json).exit_code
