"""Several questions of a setup at the same time: the same report, with its times marked."""

from threading import Barrier

from ragsweep.reporting.compare import strip_run
from scripted_server import Reply

from .conftest import said

FILES = ("report.md", "report.csv", "questions.csv")


def reports(ran):
    return {name: strip_run((ran.runs[0] / name).read_text("utf-8")) for name in FILES}


def test_the_report_is_that_of_one_after_another(ask_all, model):
    """The three questions wait for each other, so they are asked at the same time or never answered."""
    alone = ask_all()
    together = Barrier(3)

    def answer(request):
        together.wait(30)
        return said("ANSWERABLE: yes\nStaff have 25 days [1].")

    model.answer = answer
    ran = ask_all("in_flight=4", "generator.limits.max_concurrent=4")
    assert ran.code == 0, ran.err
    assert reports(ran) == reports(alone)
    assert "p50 ms (4 in flight)" in ran.out and "in flight" not in alone.out
    assert "4 questions of each in flight" in ran.err and "max_concurrent" not in ran.err


def test_the_plan_says_when_the_limits_of_the_server_are_in_the_way(ask_all):
    said = "notice: in_flight=3: generator.limits.max_concurrent=2 lets so many calls through at a time: write"
    assert said in ask_all("in_flight=3", command="plan").out
    assert said not in ask_all("in_flight=2", command="plan").out


def test_a_failure_too_many_begins_no_other_and_what_is_in_hand_is_recorded(ask_all, model, project):
    project.questions([{"id": f"q{n}", "question": f"Of leave {n}?", "required_evidence_ids": ["leave.md"]} for n in range(9)])
    together = Barrier(3)

    def answer(request):
        together.wait(30)
        return Reply(400)

    model.answer = answer
    ran = ask_all("in_flight=3", "generator.limits.max_concurrent=3", "max_failures=0")
    assert ran.code == 1
    (path,) = ran.runs[0].rglob("records.jsonl")
    assert len(path.read_text("utf-8").splitlines()) == len(model.chats) == 3
    assert "6 of 9 questions have no record and count as 0: failed questions: 3, more than max_failures=0" in ran.out
