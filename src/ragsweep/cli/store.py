"""``ragsweep store``: what is kept between runs."""

import argparse
from collections.abc import Sequence


def command(given: Sequence[str]) -> int:
    """Exit code of ``ragsweep store``."""
    parser = argparse.ArgumentParser(prog="ragsweep store", description="What the store holds.")
    parser.add_argument("action", choices=["ls", "prune"], help="ls: list the entries; prune: remove what no run can use")
    action = parser.parse_args(given).action
    from ragsweep.sweep.stored import list_store, prune_store

    return list_store() if action == "ls" else prune_store()
