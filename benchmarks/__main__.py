"""`python -m benchmarks [PART ...] [--times N] [--json FILE]`: ragsweep beside its peers and beside the bare operation.

Peers come with `pip install -e '.[bench]'`. A part whose bar is not met is marked; the exit code is 0 all the same: a figure of
one machine is no test.
"""

import argparse
import json
import os
import sys
from dataclasses import asdict
from importlib import import_module
from pathlib import Path

PARTS = (
    "chunkers",
    "bm25_index",
    "bm25_query",
    "dense",
    "opening",
    "embedding",
    "pdf",
    "report",
    "sweep",
    "context_grid",
    "start_up",
    "growth",
)
PACKAGES = (
    *("ragsweep", "numpy", "bm25s", "onnxruntime", "tokenizers", "pypdf", "pypdfium2", "hydra-core", "joblib"),
    *("langchain-text-splitters", "chonkie", "semantic-text-splitter", "faiss-cpu", "context-grid"),
)


def main() -> None:
    """Measure the parts and print the table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"of {', '.join(PARTS)}; all by default")
    parser.add_argument("--times", type=int, default=5, help="pairs of runs, the median counts (default 5)")
    parser.add_argument("--json", type=Path, help="write the figures to this file too")
    given = parser.parse_args()
    if unknown := [part for part in given.parts if part not in PARTS]:
        parser.error(f"no part {', '.join(unknown)}: there are {', '.join(PARTS)}")
    for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ[name] = "1"  # both sides, before numpy is imported
    if core := os.environ.pop("OPENBLAS_CORETYPE", None):
        sys.stderr.write(f"OPENBLAS_CORETYPE={core} is unset, for both sides: it slows numpy\n")
    from benchmarks.measuring import machine

    facts = machine(PACKAGES)
    rows = []
    print("| part | work | against | clock | ours s | other s | ratio | bar | |\n|---|---|---|---|---|---|---|---|---|")
    for part in given.parts or PARTS:
        for row in import_module(f"benchmarks.parts.{part}").compare(given.times):
            rows.append(asdict(row))
            bar, verdict = ("", "") if row.bar is None else (f"{row.bar:g}", "" if row.is_met else "not met")
            verdict = "; ".join(filter(None, (verdict, row.note)))
            seconds = f"{row.ours:.4g}", f"{row.other:.4g}"
            cells = (row.part, row.work, row.against, row.clock, *seconds, f"{row.ratio:.2f} {row.unit}", bar)
            print(f"| {' | '.join(cells)} | {verdict} |", flush=True)
    print(f"\n{json.dumps(facts)}")
    if given.json:
        given.json.write_text(json.dumps({"machine": facts, "comparisons": rows}, indent=2) + "\n")


if __name__ == "__main__":
    main()
