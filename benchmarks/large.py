"""Memory and time of large runs over 200 documents, by words alone: python benchmarks/large.py

10,000 questions of one setup, beside 10 questions of it: what memory they add. 200 setups of 100 questions, with 64 open files
at most: the report made again by ``collect``. 2,000 questions, with clocks around what makes a line of a record and writes it.
"""

import json
import os
import random
import re
import resource
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

RAGSWEEP = [sys.executable, "-c", "import sys; from ragsweep.cli import main; sys.exit(main())"]
SEARCH = ["rag_type=search", "retriever=bm25", "n_jobs=1"]
WITHIN = """
import resource, sys, time
from ragsweep import files
from ragsweep.cli import main
from ragsweep.sweep.frozen import Recorder

def timed(owner, name):
    spent, real = [0.0], getattr(owner, name)

    def call(*given, **options):
        start = time.thread_time()
        try:
            return real(*given, **options)
        finally:
            spent[0] += time.thread_time() - start

    setattr(owner, name, call)
    return spent

keep, append, strict = timed(Recorder, "keep"), timed(files, "append_line"), timed(files, "strict_json")
main(sys.argv[1:])
used = resource.getrusage(resource.RUSAGE_SELF)
cpu = used.ru_utime + used.ru_stime
write = (append[0] - strict[0]) / cpu
print(f"CPU {cpu:.2f} s, {keep[0] / cpu:.1%} to keep records, of which to write their lines {write:.1%}", file=sys.stderr)
"""


def measured(command: list[str], files: int | None = None) -> tuple[float, float, str]:
    """Peak memory in MB, CPU seconds, and what was said on stderr."""

    def limit() -> None:
        if files is not None:
            resource.setrlimit(resource.RLIMIT_NOFILE, (files, files))

    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, preexec_fn=limit)
    said = process.stderr.read() if process.stderr else ""
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        sys.exit(said)
    return used.ru_maxrss / 1e3, used.ru_utime + used.ru_stime, said


def write(folder: Path, questions: int) -> list[str]:
    """Documents of drawn words and so many questions; the arguments that name them."""
    drawn = random.Random(0)
    words = [f"word{number}" for number in range(3000)]
    (folder / "docs").mkdir(exist_ok=True)
    for number in range(200):
        text = ". ".join(" ".join(drawn.choices(words, k=12)) for _ in range(40))
        (folder / "docs" / f"{number}.md").write_text(text)
    asked = [
        {"id": f"q{number}", "question": f"{number} {' '.join(drawn.choices(words, k=8))}", "required_evidence_ids": ["0.md"]}
        for number in range(questions)
    ]
    path = folder / f"{questions}.json"
    path.write_text(json.dumps(asked))
    return ["--files", str(folder / "docs"), "--questions", str(path)]


def main() -> None:
    """Print each figure."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        os.environ["RAGSWEEP_OUTPUTS"] = str(folder / "outputs")
        few, _, _ = measured([*RAGSWEEP, "run", *write(folder, 10), *SEARCH])
        many, seconds, _ = measured([*RAGSWEEP, "run", *write(folder, 10_000), *SEARCH])
        print(
            f"10,000 questions x 1 setup: {many:.0f} MB, {many - few:.0f} above 10 questions, CPU {seconds:.1f} s", flush=True
        )
        size = sum(path.stat().st_size for path in folder.glob("outputs/run/latest/*/records.jsonl"))
        print(f"  its records: {size / 1e6:.0f} MB", flush=True)
        grid = [f"top_k={','.join(map(str, range(11, 31)))}", f"top_n={','.join(map(str, range(1, 11)))}"]
        _, seconds, _ = measured([*RAGSWEEP, "run", *write(folder, 100), *SEARCH, *grid], files=64)
        print(f"200 setups x 100 questions with 64 open files: ran CPU {seconds:.1f} s", flush=True)
        peak, seconds, _ = measured([*RAGSWEEP, "collect", str(folder / "outputs" / "run" / "latest")], files=64)
        print(f"  merged by collect: {peak:.0f} MB, CPU {seconds:.1f} s", flush=True)
        _, _, said = measured([sys.executable, "-c", WITHIN, "run", *write(folder, 2000), *SEARCH])
        print(f"2,000 questions: {(re.search('CPU .*', said) or [''])[0]}", flush=True)


if __name__ == "__main__":
    main()
