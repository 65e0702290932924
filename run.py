#!/usr/bin/env python
"""`python run.py ...` is `ragsweep run ...`, from a checkout or wherever ragsweep is installed."""

import os
import sys
from pathlib import Path

SRC = str(Path(__file__).resolve().parent / "src")
sys.path.insert(0, SRC)
# Workers of other launchers start from the environment, not from this process.
os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [SRC, os.environ.get("PYTHONPATH")]))

from ragsweep.cli import main  # noqa: E402 - the path above makes it importable

if __name__ == "__main__":
    sys.exit(main(["run", *sys.argv[1:]]))
