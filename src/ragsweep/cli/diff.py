"""``ragsweep diff``: two setups, question by question."""

import argparse
from collections.abc import Sequence


def command(given: Sequence[str]) -> int:
    """Exit code of ``ragsweep diff``."""
    parser = argparse.ArgumentParser(
        prog="ragsweep diff", description="Show which questions SETUP_B won and lost against SETUP_A, and what each was given."
    )
    parser.add_argument("first", metavar="RUN_DIR:SETUP_A", help="a setup or recorded system; a part of its name will do")
    parser.add_argument("second", metavar="SETUP_B", help="another of the same folder, or RUN_DIR:SETUP_B of another")
    parser.add_argument("--only", choices=("won", "lost", "changed"), help="the questions of one kind")
    parser.add_argument("--question-id", metavar="ID", help="one question, whatever its kind")
    parser.add_argument("--full", action="store_true", help="long chunks with all their words")
    parser.add_argument("--json", action="store_true", help="print one JSON document and nothing else")
    parsed = parser.parse_args(given)
    from ragsweep.sweep.difference import Show, diff

    return diff(parsed.first, parsed.second, Show(parsed.only, parsed.question_id, parsed.full, parsed.json))
