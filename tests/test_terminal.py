"""What a person reads, as golden files: plan, progress, warnings, mistakes and notes in a terminal of 80 columns, in one with
NO_COLOR, in CI and in a pipe.

Times, rates and folders are replaced. Of a bar its last state is kept; ``<...>`` stands for the codes of a terminal. To accept
a change, run this file with RAGSWEEP_GOLDEN=write, and read what changed.
"""

import fcntl
import json
import os
import pty
import re
import struct
import subprocess
import sys
import termios
from pathlib import Path

import pytest

RAGSWEEP = Path(sys.executable).with_name("ragsweep")
GOLDEN = Path(__file__).parent / "golden"
LEAVE = """\
# Leave

Staff get twenty days of paid leave. Your manager approves the dates. Ask for them two weeks ahead in the portal of the
people team, which answers within three working days.

## Bonus days

| Years | Days |
|-------|------|
| 5 | 1 |
| 10 | 3 |
"""
QUESTIONS = [
    {"id": "q1", "question": "How many days of leave?", "expected": ["twenty days of paid leave"]},
    {
        "id": "q2",
        "question": "Who approves the dates, and how far ahead?",
        "expected": ["approves the dates. Ask for them two weeks"],
    },
    {"id": "q3", "question": "Is there a gym?", "answerable": False},
]
FILES = ["docs", "--questions", "questions.json", "chunk_size=20"]
RUN = ["run", "--files", "scan.pdf", *FILES, "chunker=word,section", "rag_type=simple", "n_jobs=1", "dataset.on_bad_file=skip"]
MISTAKES = ["plan", "--files", *FILES, "chunker=wrod", "topk=5"]
SHOW = ["show", "leave.md", "--files", *FILES, "chunker=section"]
DIFF = ["show", "leave.md", "--files", *FILES, "--diff", "chunker=word,page"]
WARNING = ["show", "docs/leave.md", "--files", "docs", "--questions", "wrong.json", "chunker=page"]
STREAMS = {
    "terminal": ({}, [RUN, MISTAKES, SHOW, DIFF, WARNING]),
    "no_color": ({"NO_COLOR": "1"}, [RUN, SHOW]),
    "ci": ({"CI": "true"}, [RUN]),
    "pipe": ({}, [RUN, MISTAKES, SHOW, DIFF, WARNING]),
}


def in_terminal(command: list[str | Path], cwd: Path, environment: dict[str, str]) -> str:
    """What a command writes to a terminal of 80 columns."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
    with subprocess.Popen(command, cwd=cwd, env=environment, stdin=theirs, stdout=theirs, stderr=theirs) as child:
        os.close(theirs)
        written = b""
        while True:
            try:
                part = os.read(ours, 65536)
            except OSError:  # Linux: the other end is closed
                break
            if not part:
                break
            written += part
    os.close(ours)
    assert child.returncode in (0, 2)
    return written.decode().replace("\r\n", "\n")


def in_pipe(command: list[str | Path], cwd: Path, environment: dict[str, str]) -> str:
    """What a command writes to a pipe, both streams in one."""
    done = subprocess.run(command, cwd=cwd, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    assert done.returncode in (0, 2)
    return done.stdout.decode()


def still(written: str, folder: Path) -> str:
    """The same in every run: without times, and with the last state of each bar, whose earlier ones stand on its line."""
    text = written.replace(str(folder), "FOLDER")
    text = re.sub(r"\x1b\[\?25l.*\r\x1b\[2K(?=.*\n\x1b\[\?25h)", "", text)
    text = text.replace("\x1b[?25h\r\x1b[1A\x1b[2K", "").replace("\x1b[?25l", "")
    text = re.sub(r"(\x1b\[[\d;]*m)*━(\x1b\[[\d;]*m|[━╸╺])*", "<bar>", text)
    text = re.sub(r" *[\d,.]+/s +", " <rate> ", text)
    text = re.sub(r"(\d+ min )?[\d.]+ s left", "<left>", text)
    text = re.sub(r"in (\d+ min )?[\d.]+ s$", "in <time>", text, flags=re.MULTILINE)
    text = re.sub(r" {2,}[\d.]+ {2,}[\d.]+$", "  <p50>  <p95>", text, flags=re.MULTILINE)  # the rows of the table
    text = re.sub(r"\d{4}-\d\d-\d\d_\d\d-\d\d-\d\d_[0-9a-f]{4}", "<run>", text)
    return re.sub(r"\x1b\[([\d;]*)m", r"<\1>", text)


@pytest.mark.parametrize("name", STREAMS)
def test_what_is_read(name: str, tmp_path: Path) -> None:
    variables, commands = STREAMS[name]
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "leave.md").write_text(LEAVE, encoding="utf-8")
    (tmp_path / "scan.pdf").write_bytes(b"no pdf")
    (tmp_path / "questions.json").write_text(json.dumps(QUESTIONS), encoding="utf-8")
    wrong = [{**question, "expected": ["never said"]} for question in QUESTIONS]
    (tmp_path / "wrong.json").write_text(json.dumps(wrong), encoding="utf-8")
    left_out = ("CI", "NO_COLOR", "FORCE_COLOR", "COLORTERM", "COLUMNS", "LINES")
    own = {key: value for key, value in os.environ.items() if key not in left_out and not key.startswith("RAGSWEEP_")}
    environment = {**own, "TERM": "xterm-256color", **variables}
    call = in_pipe if name == "pipe" else in_terminal
    written = []
    for command in commands:
        said = call([RAGSWEEP, *command], tmp_path, environment)
        written.append(f"$ ragsweep {' '.join(command)}\n{still(said, tmp_path)}")
        rows = [
            line for line in re.sub(r"\x1b\[[\d;?]*[a-zA-Z]", "", said).split("\n") if not re.search("setup  |--|%  ", line)
        ]
        assert name == "pipe" or all(len(line) <= 80 for row in rows for line in row.split("\r") if str(tmp_path) not in line)
    golden = GOLDEN / f"{name}.txt"
    if os.environ.get("RAGSWEEP_GOLDEN") == "write":
        golden.parent.mkdir(exist_ok=True)
        golden.write_text("\n".join(written), encoding="utf-8")
    assert "\n".join(written) == golden.read_text(encoding="utf-8")
