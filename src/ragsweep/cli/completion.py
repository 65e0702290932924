"""Shell completion by Hydra: ``ragsweep -sc install=bash`` prints what a shell evaluates, ``-sc query=bash`` answers it."""

import os
import re
import sys
from collections.abc import Sequence
from pathlib import Path

from ragsweep.cli.composing import hydra


def complete(given: Sequence[str], commands: Sequence[str]) -> int:
    """Exit code of a question of the shell. The line so far begins with ``ragsweep COMMAND`` or ``python run.py``."""
    line = os.environ.get("COMP_LINE", "")
    program, *words = [*line.split(), *([""] if line.endswith(" ") else [])] or [""]
    if len(words) == 1 and not program.endswith("python"):
        sys.stdout.write(" ".join(command for command in commands if command.startswith(words[0])) + "\n")
        return 0
    # Hydra composes what stands before the last word: without our own flags, the values of axes and the question of ask.
    before = [word for word in words[1:-1] if re.fullmatch(r"[\w./@]+=[^,()]*", word)]
    os.environ["COMP_LINE"] = " ".join(["ragsweep", *before, *words[-1:]])
    return hydra(list(given), Path("experiments"))
