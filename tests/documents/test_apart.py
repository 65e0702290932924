"""Files that would run long, grow or kill their parser: one named error each, and the next file is read."""

import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

from ragsweep.documents import Limits, Settings, apart, parse_apart
from ragsweep.errors import InputError
from ragsweep.types import Document

GOOD = (b"<p>good", "good.html")
ENDLESS = (b"<div>" * 200_000, "endless.html")  # takes the parser minutes: the open elements are searched at each tag


def parsed(*files, n_jobs=1, **limits):
    return dict(parse_apart(files, Settings(limits=Limits(**limits)), n_jobs))


@pytest.fixture
def started(monkeypatch):
    """The processes that were started."""
    started = []
    start = apart._start
    monkeypatch.setattr(apart, "_start", lambda settings: started.append(start(settings)) or started[-1])
    yield started
    assert all(process.poll() is not None for process in started)


def test_one_process_parses_many_files(started):
    found = parsed(*((f"<p>{n}".encode(), f"{n}.html") for n in range(20)))
    assert {id: document.text for id, document in found.items()} == {f"{n}.html": str(n) for n in range(20)}
    assert len(started) == 1


def test_no_process_is_started_for_nothing(started):
    assert parsed() == {}
    assert parsed(GOOD, n_jobs=2)["good.html"].text == "good"
    assert len(started) == 1


@pytest.mark.parametrize(
    ("bad", "limits", "message"),
    [
        (ENDLESS, {"seconds": 1}, "takes more than 1 s: raise dataset.limits.seconds, or leave the file out of dataset.files"),
        (ENDLESS, {"cpu_seconds": 1}, "takes more than 1 s of processor time: raise dataset.limits.cpu_seconds, or"),
        ((b"<p>x" * 1_000_000, "big.html"), {"memory_mb": 256}, "raise dataset.limits.memory_mb, or leave"),
        ((b"<p>" + b"x" * 1000, "long.html"), {"characters": 999}, "has more than 999 characters: raise dataset.limits.char"),
        ((b"no zip", "bad.docx"), {}, "cannot be read as DOCX"),
    ],
)
def test_a_bad_file_is_one_named_error_and_the_next_is_read(started, bad, limits, message):
    begun = time.monotonic()
    found = parsed(bad, GOOD, **limits)
    assert isinstance(found[bad[1]], InputError)
    assert str(found[bad[1]]).startswith(f"'{bad[1]}' ")
    assert message in str(found[bad[1]])
    assert isinstance(found["good.html"], Document)
    assert len(started) == 2
    assert time.monotonic() - begun < 15


def test_a_pdf_of_too_many_pages_is_not_read(pdf):
    (message,) = map(str, parsed((pdf(["one"] * 7), "a.pdf"), pages=6).values())
    assert message == "'a.pdf' has 7 pages, more than 6: raise dataset.limits.pages, or leave the file out of dataset.files"


def test_what_a_page_draws_again_and_again_is_bounded(pdf):
    (message,) = map(str, parsed((pdf(["word " * 50] * 5), "a.pdf"), characters=600).values())
    assert "has more than 600 characters" in message


@pytest.mark.parametrize("sign", [signal.SIGKILL, signal.SIGSEGV, signal.SIGABRT])
def test_a_process_that_is_killed_costs_its_file_only(monkeypatch, sign):
    ask = apart._ask

    def killed(process, data, id, characters):
        if id == "bad.html":
            os.kill(process.pid, sign)
        return ask(process, data, id, characters)

    monkeypatch.setattr(apart, "_ask", killed)
    found = parsed((b"x", "bad.html"), GOOD)
    assert f"'bad.html' ended the process that parsed it ({sign.name}" in str(found["bad.html"])
    assert found["good.html"].text == "good"


def test_processes_end_when_the_caller_stops(started):
    results = parse_apart([GOOD, ENDLESS], Settings(), 2)
    assert next(results)[0] == "good.html"
    results.close()


def test_processes_end_with_a_parent_that_is_killed():
    code = (
        "from ragsweep.documents import Settings, apart, parse_apart\n"
        "start = apart._start\n"
        "def told(settings):\n"
        "    process = start(settings)\n"
        "    print(process.pid, flush=True)\n"
        "    return process\n"
        "apart._start = told\n"
        "list(parse_apart([(b'<div>' * 200_000, 'a.html')], Settings(), 1))\n"
    )
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE) as parent:
        child = int(parent.stdout.readline())
        time.sleep(0.5)
        parent.kill()
    until = time.monotonic() + 2
    while time.monotonic() < until and _runs(child):
        time.sleep(0.05)
    assert not _runs(child)


def _runs(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def test_a_module_beside_the_documents_is_not_run(tmp_path, monkeypatch):
    (tmp_path / "selectolax.py").write_text("raise SystemExit(1)")
    monkeypatch.chdir(tmp_path)
    assert parsed(GOOD)["good.html"].text == "good"


@pytest.mark.parametrize(("name", "value"), [("seconds", 0), ("memory_mb", 255), ("pages", -1)])
def test_limits_that_cannot_be(name, value):
    with pytest.raises(InputError, match=rf"dataset.limits.{name}={value} is too little: write"):
        replace(Limits(), **{name: value})


def test_passwords_are_names_of_variables(monkeypatch):
    monkeypatch.setenv("ONE", "1")
    monkeypatch.delenv("TWO", raising=False)
    assert Settings(passwords=["ONE"]).passwords_for("a.pdf") == ["1"]
    assert Settings(passwords={"a.pdf": "ONE", "b.pdf": "TWO"}).passwords_for("a.pdf") == ["1"]
    assert Settings(passwords={"b.pdf": "TWO"}).passwords_for("a.pdf") == []
    with pytest.raises(InputError, match=r"dataset.passwords: the environment variable TWO is not set"):
        Settings(passwords=["ONE", "TWO"]).passwords_for("a.pdf")
