"""Shell completion by Hydra: ``ragsweep -sc install=bash`` prints what a shell evaluates, ``-sc query=bash`` answers it."""

import os
import re
import sys
from collections.abc import Sequence
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path

from ragsweep.cli.composing import hydra

ACTIONS = {"questions": ("check",), "store": ("ls", "check", "prune")}
"""What follows a command that is no override."""
INTERNAL = ("experiment_dir", "worker", "prompts")
"""Keys that Hydra knows and nobody writes."""


def complete(given: Sequence[str], commands: Sequence[str]) -> int:
    """Exit code of a question of the shell. The line so far begins with ``ragsweep COMMAND`` or ``python run.py``."""
    line = os.environ.get("COMP_LINE", "")
    program, *words = [*line.split(), *([""] if line.endswith(" ") else [])] or [""]
    known = commands if len(words) == 1 else ACTIONS.get(words[0], ()) if len(words) == 2 else ()
    if known and not program.endswith("python"):
        sys.stdout.write(" ".join(each for each in known if each.startswith(words[-1])) + "\n")
        return 0
    if words and words[-1].startswith("-"):
        return 0  # Hydra would take it for a flag of its own, and print how it is used between the words
    # Hydra composes what stands before the last word: without our own flags, the values of axes and the question of ask.
    before = [word for word in words[1:-1] if re.fullmatch(r"[\w./@]+=[^,()]*", word)]
    left, is_set, right = (words[-1] if words else "").rpartition("=")
    key = left + is_set
    values, comma, value = right.rpartition(",")  # Hydra completes one value; those before it are put in front again
    os.environ["COMP_LINE"] = " ".join(["ragsweep", *before, key + value])
    if not given[-1].startswith("query="):
        return hydra(list(given), Path("experiments"))
    with redirect_stdout(StringIO()) as said:
        code = hydra(list(given), Path("experiments"))
    found = [each.removeprefix(key) for each in said.getvalue().split() if re.split("[=.]", each)[0] not in INTERNAL]
    found += ["experiment="] * (not key and "experiment=".startswith(value))
    shown = (key + values + comma + each for each in found if each not in values.split(","))
    sys.stdout.write(" ".join(sorted(shown)) + "\n")
    return code
