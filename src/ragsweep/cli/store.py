"""``ragsweep store``: what is kept between runs."""

import argparse
from collections.abc import Sequence


def command(given: Sequence[str]) -> int:
    """Exit code of ``ragsweep store``."""
    parser = argparse.ArgumentParser(prog="ragsweep store", description="What the store holds.")
    parser.add_argument(
        "action",
        choices=["ls", "check", "prune"],
        help="ls: list the entries; check: verify all of them and put damage aside; prune: remove what no run can use",
    )
    action = parser.parse_args(given).action
    from ragsweep.sweep.stored import check_store, list_store, prune_store

    return {"ls": list_store, "check": check_store, "prune": prune_store}[action]()
