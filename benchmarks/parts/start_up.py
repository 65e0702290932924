"""Starting: the help, and one setup of the sample with everything stored."""

import sys
from collections.abc import Iterator

from benchmarks.measuring import RAGSWEEP, Comparison, Side, compared, in_turn, own_place, run_command

HYDRA_APP = "import hydra\n@hydra.main(version_base=None, config_path=None)\ndef main(config): pass\nmain()\n"
PARTS = """
import hydra, omegaconf, pydantic, numpy, onnxruntime, tokenizers
from ragsweep.embedders.minilm import MiniLM
MiniLM().embed(["warm"])
"""


def compare(times: int) -> Iterator[Comparison]:
    """Whole processes, wall seconds."""
    with own_place() as (folder, environment):
        app, parts = folder / "app.py", folder / "parts.py"
        app.write_text(HYDRA_APP)
        parts.write_text(PARTS)

        def command(*words: str) -> Side:
            return Side(lambda: run_command(words, environment, folder))

        help_, bare = command(RAGSWEEP, "--help"), command(sys.executable, str(app), "--help")
        timed = in_turn(help_, bare, times, clock="wall")
        yield compared("start_up", "ragsweep --help", "--help of a bare Hydra app", timed, 1.15)
        one, loads = command(RAGSWEEP, "run"), command(sys.executable, str(parts))
        timed = in_turn(one, loads, times, clock="wall")
        yield compared("start_up", "one setup of the sample, stored", "its imports, its model, one text", timed, 1.3)
