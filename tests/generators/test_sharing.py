"""Answers that identical requests share: asked once, charged to each, never shared when they are none."""

import json
import subprocess
import sys
from threading import Event, Thread
from time import monotonic, sleep

import pytest

from ragsweep.models.calls import note, recorded
from ragsweep.models.chat import Sampling, complete
from ragsweep.models.client import Client
from ragsweep.models.server import Limits, Server
from ragsweep.models.sharing import settled, shared
from ragsweep.reporting.compare import strip_run
from scripted_server import Reply

from .conftest import said
from .test_language_model import records, rows

SAMPLING = Sampling("m", 5)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("RAGSWEEP_OUTPUTS", str(tmp_path / "outputs"))
    return tmp_path / "answers"


@pytest.fixture
def ask(model, folder):
    """A chat in a step of its own: the text of the reply, and the calls on record."""

    def call(prompt="How many?", repeat=0, sampling=SAMPLING, url=model.url, unusable=False):
        with shared(folder, repeat), recorded() as made, settled(made):
            reply = complete(Client(Server(url, limits=Limits(retries=0))), sampling, "", prompt)
            note(unusable=unusable)
        return reply.text, made[-1]

    return call


# ---- a call ------------------------------------------------------------------------------------------------------------


def test_the_same_request_is_answered_once_and_charged_as_first_measured(ask, model):
    model.answer = lambda request: Reply(**{**vars(said("25 days")), "delay": 0.05})
    (text, first), (again, found) = ask(), ask()
    assert (text, again, len(model.chats)) == ("25 days", "25 days", 1)
    assert (found.seconds, found.input_tokens, found.output_tokens, found.model) == (first.seconds, 300, 20, "m")
    assert (first.shared, found.shared, found.retries) == (False, True, 0)
    assert first.seconds >= 0.05 > found.waited


@pytest.mark.parametrize(
    "other",
    [
        {"prompt": "How much?"},
        {"repeat": 1},
        {"sampling": Sampling("m", 6)},
        {"sampling": Sampling("other", 5)},
        {"sampling": Sampling("m", 5, seed=7)},
        {"sampling": Sampling("m", 5, extra={"top_p": 0.5})},
    ],
    ids=str,
)
def test_another_request_is_asked_for_itself(ask, model, other):
    ask()
    assert not ask(**other)[1].shared
    assert ask(**other)[1].shared
    assert len(model.chats) == 2


@pytest.mark.parametrize(
    "sampling", [Sampling("m", 5, 0.1), Sampling("m", 5, None), Sampling("m", 5, extra={"temperature": 1})]
)
def test_what_is_not_at_temperature_0_is_not_shared(ask, model, sampling):
    assert [ask(sampling=sampling)[1].shared for _ in range(2)] == [False, False]


def test_another_server_is_asked_for_itself(ask, model):
    ask()
    assert not ask(url=model.url.replace("127.0.0.1", "localhost"))[1].shared


@pytest.mark.parametrize(
    "reply", [Reply(400), Reply(body={"error": "busy"}), Reply(body={"no": "choices"}), Reply(body="<html>")]
)
def test_a_failure_is_never_shared(ask, model, reply):
    answers = iter([reply])
    model.answer = lambda request: next(answers, said("25 days"))
    with pytest.raises(Exception, match="answered"):
        ask()
    assert ask()[0] == "25 days"
    assert len(model.chats) == 2


def test_nor_is_a_reply_that_its_step_could_not_use(ask, model):
    ask(unusable=True)
    assert not ask()[1].shared
    assert ask()[1].shared


def test_whoever_asks_the_same_meanwhile_waits_and_that_is_no_service_time(ask, model):
    go, found = Event(), []

    def answer(request):
        go.wait(30)
        return said("25 days")

    model.answer = answer
    threads = [Thread(target=lambda: found.append(ask()[1])) for _ in range(3)]
    for thread in threads:
        thread.start()
    while not model.chats:
        sleep(0.001)
    within_reach = monotonic() + 0.05  # the others are at the lock, or come to it later: the same must come out
    while monotonic() < within_reach:
        sleep(0.01)
    go.set()
    for thread in threads:
        thread.join()
    assert len(model.chats) == 1
    assert sorted(call.shared for call in found) == [False, True, True]
    assert len({call.seconds for call in found}) == 1


def test_a_process_that_dies_while_it_asks_leaves_the_request_to_the_next(ask, model, folder):
    """Kernel locks end with their process."""
    dead = Event()

    def answer(request):
        dead.wait(30)
        return said("25 days")

    model.answer = answer
    program = (
        "import sys; from pathlib import Path; from ragsweep.models.sharing import shared\n"
        "from ragsweep.models.chat import Sampling, complete; from ragsweep.models.client import Client\n"
        "from ragsweep.models.server import Server, Limits\n"
        "with shared(Path(sys.argv[2]), 0): complete(Client(Server(sys.argv[1])), Sampling('m', 5), '', 'How many?')\n"
    )
    child = subprocess.Popen([sys.executable, "-c", program, model.url, str(folder)])
    while not model.chats:
        sleep(0.005)
    child.kill()
    child.wait()
    dead.set()
    assert (ask()[0], len(model.chats)) == ("25 days", 2)


@pytest.mark.parametrize("damage", [b"", b"{", b"[]", b'{"reply": {}, "seconds": 1}', b'{"reply": null}'])
def test_a_file_that_is_no_answer_is_asked_again(ask, model, folder, damage):
    ask()
    (path,) = folder.glob("*.json")
    path.write_bytes(damage)
    assert (ask()[1].shared, ask()[1].shared) == (False, True)


def test_a_full_disk_costs_the_sharing_and_no_question(ask, model, monkeypatch):
    def full(*given):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("ragsweep.files.publish", full)
    model.answer = lambda request: said("25 days")
    assert [ask()[0], ask()[0]] == ["25 days"] * 2
    assert len(model.chats) == 2


# ---- a run -------------------------------------------------------------------------------------------------------------


def test_a_run_asks_once_and_its_report_is_that_of_asking_each_time(ask_all, model, project):
    project.experiment("dataset: {files: docs, questions: questions.json}\nprices: {m: {input: 1.0, output: 10.0}}\n")
    asked = ["experiment=mine", "rag_type=simple", "retriever.k1=1.2,1.5"]
    apart = ask_all(*asked)
    before = len(model.chats)
    once = ask_all(*asked, "share_answers=true")
    assert (before, len(model.chats) - before) == (6, 3), "two settings of BM25 find the same chunks here"
    for name in ("report.md", "report.csv", "questions.csv"):
        assert strip_run((once.runs[0] / name).read_text()) == strip_run((apart.runs[0] / name).read_text())
    assert sorted(row["shared"] for row in rows(once, "report.csv")) == ["0", "3"]
    assert [row["calls"] for row in rows(once, "report.csv")] == ["3", "3"]
    assert sum(int(row["shared"]) for row in rows(once, "questions.csv")) == 3
    report = json.loads((once.runs[0] / "report.json").read_text())
    assert sorted(setup["run"]["shared"] for setup in report["setups"]) == [0, 3]
    seconds = {}
    for path in sorted(once.runs[0].rglob("records.jsonl")):
        for record in map(json.loads, path.read_text().splitlines()):
            (call,) = record["steps"][-1]["calls"]
            seconds.setdefault(record["question"], set()).add(call["seconds"])
            assert record["steps"][-1]["seconds"] >= call["seconds"]
    assert [len(each) for each in seconds.values()] == [1, 1, 1], "what was measured first is charged to both"
    assert "share_answers: identical requests" in once.err and "share_answers" not in apart.err


def test_every_repeat_is_asked(ask_all, model):
    ask_all("share_answers=true", "repeats=2", "retriever.k1=1.2,1.5")
    assert len(model.chats) == 6


def test_another_attempt_finds_what_was_answered(ask_all, model, project):
    ran = ask_all("share_answers=true")
    (path,) = ran.runs[0].rglob("records.jsonl")
    path.unlink()
    manifest = ran.runs[0] / "manifest.json"
    manifest.write_text(json.dumps({**json.loads(manifest.read_text()), "finished": False}))
    again = project("resume", str(ran.runs[0]))
    assert (again.code, len(model.chats)) == (0, 3)
    assert all(record["steps"][-1]["calls"][0]["shared"] for record in records(ran))


def test_an_unusable_decision_is_asked_again_by_the_next_setup(ask_all, model):
    model.answer = lambda request: said("no JSON")
    ask_all("share_answers=true", "rag_type=adaptive", "retriever.k1=1.2,1.5")
    routes = [chat for chat in model.chats if "parts" in json.dumps(chat.json.get("response_format"))]
    assert len(routes) == 6


def test_a_key_that_a_server_says_is_not_written_down(ask_all, model, project, monkeypatch):
    canary = "canary/0123456789+abcdef"
    monkeypatch.setenv("MY_KEY", canary)
    model.answer = lambda request: said(f"ANSWERABLE: yes\nThe key is {canary}.", note=canary)
    assert ask_all("share_answers=true", "generator.key_env=MY_KEY").code == 0
    assert list(project.root.rglob("answers/*.json"))
    for path in (path for path in project.root.rglob("*") if path.is_file()):
        assert canary.encode() not in path.read_bytes(), path
