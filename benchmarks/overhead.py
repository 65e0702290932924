"""CPU that a setup costs beyond its own retrieval and generation: python benchmarks/overhead.py [TIMES] [OVERRIDE...]

The sample's 12 questions under 48 setups (4 chunkers x 3 retrievers x 4 rerankers, or the axes of the overrides), warm store,
two processes. The figure is the CPU of the whole process tree less that of the recorded steps, less the same for a run of the
first of these setups alone, divided by the number of the other setups.

The clock of the steps is replaced for this: by one that stands still while the store is filled, so that no question is charged
for vectors of another run, and by CPU time after that.
"""

import ctypes
import json
import os
import resource
import subprocess
import sys
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

SAMPLE = Path(__file__).parent.parent / "experiments" / "policies"
AXES = ["chunker=word,paragraph,recursive,sentence", "retriever=bm25,dense,hybrid", "reranker=none,blend,overlap,mmr"]
FIXED = [f"--files={SAMPLE / 'documents'}", f"--questions={SAMPLE / 'questions.json'}", "chunk_size=60", "n_jobs=2"]
CLOCK = "import os, time\ntime.perf_counter = (lambda: 0.0) if 'CLOCK_STANDS' in os.environ else time.process_time\n"
RAGSWEEP = str(Path(sys.executable).with_name("ragsweep"))
PR_SET_CHILD_SUBREAPER = 36  # linux/prctl.h


def cpu_of(command: list[str], environment: dict[str, str]) -> float:
    """CPU seconds, user and system, of a command and of all processes that it leaves behind."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, env=environment, check=False, capture_output=True, text=True)
    if done.returncode:
        sys.exit(done.stderr)
    while True:
        try:
            os.wait()
        except ChildProcessError:
            break
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def beyond_steps(overrides: list[str], folder: Path, environment: dict[str, str]) -> tuple[float, int]:
    """CPU seconds of a run less those of its steps, and its number of setups."""
    cpu = cpu_of([RAGSWEEP, "run", *FIXED, *overrides], environment)
    records = list((folder / "run" / "latest").glob("*/records.jsonl"))
    steps = [step for path in records for line in path.open(encoding="utf-8") for step in json.loads(line)["steps"]]
    return cpu - sum(step["seconds"] for step in steps), len(records)


def main(times: int, overrides: list[str]) -> None:
    """Print the figure of each pair of runs, and their median."""
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1)
    with TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "sitecustomize.py").write_text(CLOCK)
        path = os.pathsep.join(filter(None, [name, os.environ.get("PYTHONPATH")]))
        environment = {**os.environ, "PYTHONPATH": path, "RAGSWEEP_OUTPUTS": name}
        environment.pop("RAGSWEEP_STORE", None)
        alone = [override.partition(",")[0] for override in overrides]
        beyond_steps(overrides, folder, {**environment, "CLOCK_STANDS": "1"})
        figures = []
        for _ in range(times):
            (many, setups), (one, _) = (beyond_steps(each, folder, environment) for each in (overrides, alone))
            figures.append(1000 * (many - one) / (setups - 1))
            print(f"{setups} setups {many:.2f} s, one {one:.2f} s: {figures[-1]:.1f} ms a setup", flush=True)
        print(f"median {median(figures):.1f} ms a setup beyond its steps")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 3, sys.argv[2:] or ["rag_type=search", *AXES])
