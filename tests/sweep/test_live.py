"""A system behind HTTP is asked every question once, and what it returns is graded as a recorded run."""

import csv
import json

import pytest

from scripted_server import Reply, scripted

WHOSE = ["--files", "docs", "--questions", "questions.json"]
CONTEXTS = {
    "How many days of leave?": [{"text": "Staff have 25 days of leave.", "source": "leave.md", "score": 2.5, "rank": 1}],
    "Who approves the dates?": ["A summary of its own.", "Your manager approves the dates."],
    "Is there a gym?": [],
}


@pytest.fixture
def system(monkeypatch):
    """A system that returns these contexts; ``asked`` are the requests, ``replies`` what it says to a question instead."""
    replies, asked = {}, []

    def answer(request):
        asked.append(request)
        text = request.json["question"]
        return replies.get(text) or Reply(body={"contexts": CONTEXTS[text], "trace": "abc"})

    with scripted(answer) as server:
        server.asked, server.replies = asked, replies
        yield server


def lines(project, name="theirs.jsonl"):
    return [json.loads(line) for line in (project.root / name).read_text("utf-8").splitlines()]


def test_it_is_asked_every_question_and_graded_beside_own_setups(project, system):
    ran = project("record", f"{system.url}/search", "theirs.jsonl", *WHOSE, "top_k=7", "top_n=2")
    assert ran.code == 0, ran.err
    assert [request.json for request in system.asked] == [{"question": text, "k": 7} for text in CONTEXTS]
    assert {request.path for request in system.asked} == {"/search"}
    rows = lines(project)
    assert [row["id"] for row in rows] == ["q1", "q2", "q3"]
    assert rows[0]["contexts"] == [{"text": "Staff have 25 days of leave.", "source": "leave.md", "score": 2.5}]
    assert all(row["seconds"] > 0 and "trace" not in row for row in rows)
    run = project.files("run", "top_k=7", "top_n=2").runs[-1]
    beside = project("collect", str(run), "theirs.jsonl")
    assert beside.code == 0, beside.err
    with (project.root / "outputs/collected/latest/report.csv").open(encoding="utf-8", newline="") as file:
        found = {row["setup"]: row for row in csv.DictReader(file)}["theirs"]
    assert float(found["recall"]) == 1.0
    assert (found["chunks"], found["reachable_recall"], found["after_reranking_recall"]) == ("", "", ""), "of nobody's chunks"


def test_what_failed_alone_is_asked_again(project, system):
    system.replies["Who approves the dates?"] = Reply(body={"contexts": [{"txt": "x"}]})
    system.replies["Is there a gym?"] = Reply(body={"results": []})
    ran = project("record", system.url, "new/theirs.jsonl", *WHOSE)
    assert ran.code == 1 and "2 failed; to ask them again write the same" in ran.err
    assert "asked for: contexts[0]: write its text" in ran.err and "asked for: it has none of answer" in ran.err
    (project.root / "new/theirs.jsonl").rename(project.root / "theirs.jsonl")
    errors = [row.get("error", "") for row in lines(project)]
    assert "contexts[0]: write its text, its source, or both" in errors[1] and "it has none of answer" in errors[2]
    theirs = project.root / "theirs.jsonl"
    theirs.write_bytes(theirs.read_bytes() + b'{"id": "q')  # a writer that was killed
    system.replies.clear()
    again = project("record", system.url, "theirs.jsonl", *WHOSE)
    assert (again.code, len(system.asked)) == (0, 5)
    assert [row["id"] for row in lines(project)] == ["q1", "q2", "q3"]
    assert project("record", system.url, "theirs.jsonl", *WHOSE).code == 0 and len(system.asked) == 5


def test_a_list_alone_are_its_contexts_and_the_key_goes_to_it_and_nowhere_else(project, system, monkeypatch):
    monkeypatch.setenv("SEARCH_KEY", "canary-of-the-system")
    system.replies["How many days of leave?"] = Reply(body=[{"text": "canary-of-the-system 25 days"}])
    assert project("record", system.url, "theirs.jsonl", "--key-env", "SEARCH_KEY", *WHOSE).code == 0
    assert {request.headers["authorization"] for request in system.asked} == {"Bearer canary-of-the-system"}
    assert "canary" not in (project.root / "theirs.jsonl").read_text("utf-8")


@pytest.mark.parametrize(
    ("status", "headers", "said"),
    [
        (404, {}, "is that the whole address at which it is asked?"),
        (401, {}, "answered 401"),
        (302, {"Location": "/there"}, "/there: write that address instead"),
    ],
)
def test_what_every_question_would_meet(project, system, status, headers, said):
    for text in CONTEXTS:
        system.replies[text] = Reply(status, headers=headers)
    ran = project("record", system.url, "theirs.jsonl", *WHOSE)
    assert ran.code == 1
    told = ran.err if status != 302 else lines(project)[0]["error"]
    assert said in told
    assert len(system.asked) == (3 if status == 302 else 1), "no redirect is followed"


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (["http://u:p@h/x", "a.jsonl"], "holds a password"),
        (["http://h/x", "a.json"], "a.json: write a file that ends in .jsonl"),
        (["http://h/x", "a.jsonl", "--key-env", "NO_SUCH_KEY_HERE"], "the environment variable NO_SUCH_KEY_HERE is not set"),
        (["http://h/x", "a.jsonl", "top_k=5,10"], "is an axis"),
        (["http://h/x", "a.jsonl", "chunkr=word"], "chunkr"),
        (["http://h/x", "broken.jsonl"], "broken.jsonl:3: a record must be an object"),
    ],
)
def test_mistakes_before_any_request(project, given, said):
    (project.root / "broken.jsonl").write_text('{"id": "q1"}\n{"id"\n[]\n')
    ran = project("record", *given, *WHOSE)
    assert ran.code == 2 and said in ran.err
    assert not (project.root / "a.jsonl").exists()
