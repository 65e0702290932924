"""``ragsweep profile``: where the time of a run went."""

import argparse
from collections.abc import Sequence
from pathlib import Path


def command(given: Sequence[str]) -> int:
    """Exit code of ``ragsweep profile``."""
    parser = argparse.ArgumentParser(
        prog="ragsweep profile", description="Say where the time of a run went: by stage, and by the steps of each setup."
    )
    parser.add_argument("run_dir", type=Path, metavar="RUN_DIR")
    parser.add_argument("--json", action="store_true", help="print it as JSON")
    parsed = parser.parse_args(given)
    from ragsweep.sweep.profile import profile

    return profile(parsed.run_dir, as_json=parsed.json)
