"""``ragsweep accept``: a report that is kept."""

import argparse
from collections.abc import Sequence
from pathlib import Path


def command(given: Sequence[str]) -> int:
    """Exit code of ``ragsweep accept``."""
    parser = argparse.ArgumentParser(
        prog="ragsweep accept", description="Keep a run's report.md as its experiment's accepted one."
    )
    parser.add_argument("run_dir", type=Path, metavar="RUN_DIR")
    from ragsweep.sweep.accept import accept

    return accept(parser.parse_args(given).run_dir)
