"""A run over a server of 50 ms a reply: from its first request to its last, and what a step says that it took.

    python benchmarks/served_run.py

4 setups x 100 questions, two at a time. It prints the time beside calls x 50 ms / 2, and the median of the step generate.
"""

import json
import os
import statistics
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "servers"))
from scripted_server import Reply, Request, scripted

REPLY = {"choices": [{"message": {"content": "ANSWERABLE: yes\nYes [1]."}, "finish_reason": "stop"}]}
SECONDS = 0.05


def main(folder: Path) -> None:
    """Write the files, run, and print."""
    (folder / "docs").mkdir()
    for number in range(20):
        (folder / "docs" / f"{number}.md").write_text(f"Item {number} has {number} days of leave.\n", encoding="utf-8")
    questions = [
        {"id": f"q{n}", "question": f"What of leave in case {n}?", "required_evidence_ids": ["1.md"]} for n in range(100)
    ]
    (folder / "questions.json").write_text(json.dumps(questions), encoding="utf-8")
    times = []

    def answer(request: Request) -> Reply:
        times.append(time.monotonic())
        return Reply(body=REPLY, delay=SECONDS)

    with scripted(answer) as server:
        command = ["ragsweep", "run", "--files", "docs", "--questions", "questions.json", "rag_type=simple", "retriever=bm25"]
        own = ["generator=openai", f"generator.base_url={server.url}/v1", "generator.model=m", "generator.window=9999"]
        environment = {**os.environ, "RAGSWEEP_OUTPUTS": str(folder / "outputs")}
        subprocess.run(
            [*command, *own, "top_n=1,2,3,4", "n_jobs=2"], cwd=folder, env=environment, check=True, capture_output=True
        )
    took, least = times[-1] - times[0] + SECONDS, len(times) * SECONDS / 2
    print(f"{len(times)} calls in {took:.2f} s, {took / least:.3f} of calls x 50 ms / 2")
    records = [json.loads(line) for path in folder.glob("outputs/run/latest/*/records.jsonl") for line in path.open("rb")]
    seconds = [step["seconds"] for record in records for step in record["steps"] if step["name"] == "generate"]
    print(f"median of generate {1000 * statistics.median(seconds):.1f} ms")


if __name__ == "__main__":
    with TemporaryDirectory() as made:
        main(Path(made))
