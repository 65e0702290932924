"""`ragsweep questions check`: every mistake together and exit code 2, else what is to be said of the questions."""

import json
import shutil
from pathlib import Path

import pytest

SAMPLE = Path(__file__).parents[1] / "documents" / "samples" / "pdf_pdflatex-4-pages.pdf"
LEAVE = {
    "id": "q1",
    "question": "How many days of leave are there?",
    "required_evidence_ids": ["leave.md"],
    "task_type": "fact",
}
GOLDEN = """\
6 questions (5 answerable), 3 documents
  task_type: fact 1, none 5
  evidence: chunk 1, file 1, quote 4; questions: 4 with 1 piece, 1 with 2 pieces
  one question is worth 0.200 of Recall; the standard error of a mean Recall is at most 0.224 (0.5 / √5)
quotes on pages:
  q3: 'Hello, here is some text' in long.pdf page 1, long.pdf page 2, long.pdf page 3 and 1 more; any will do
  q4: 'you will get no 1 information. Really?' in long.pdf pages 1-2
missing:
  24 questions to 30
to look at:
  q5, q6 ask the same: 'Is there a gym?'
  q1, q2 differ in one word: 'How many days of leave are there?'
  a chunk label changes its meaning with the chunker: label pages or quotes to compare chunkers
no mistake found
"""


@pytest.fixture
def check(project):
    """The command over the files of the project, a PDF among them, and these questions."""
    shutil.copy(SAMPLE, project.root / "docs" / "long.pdf")

    def run(*questions, arguments=()):
        project.questions(questions)
        return project("questions", "check", "--files", "docs", "--questions", "questions.json", *arguments)

    return run


def test_what_is_said(check):
    ran = check(
        LEAVE,
        {"id": "q2", "question": "How many weeks of leave are there?", "expected": [{"source": "leave.md", "chunk": 1}]},
        {"id": "q3", "question": "What is here?", "expected": ["Hello, here is some text", "Your manager approves the dates."]},
        {"id": "q4", "question": "x", "expected": [{"source": "long.pdf", "quote": "you will get no 1 information. Really?"}]},
        {"id": "q5", "question": "Is there a gym?", "answerable": False},
        {"id": "q6", "question": "is there a gym", "expected": ["abroad for 20 days"]},
    )
    assert (ran.code, ran.err) == (0, "")
    assert ran.out == GOLDEN


def test_control_codes_are_shown_and_not_obeyed(check):
    codes = "\x1b[31m", "\x07", "\u202e", "\u2028"
    said = check(
        {**LEAVE, "id": "\x1b[31mq1", "question": "Why\x07 \u202e?", "task_type": "a\u2028b"},
        {**LEAVE, "id": "q2", "question": "why\x07 \u202e", "answerabl\x1b[31me": True},
    )
    assert said.code == 0, said.err
    assert not any(code in said.out + said.err for code in codes)
    assert r"\x1b[31mq1, q2 ask the same: 'Why\x07 \u202e?'" in said.out.replace("\\\\", "\\")
    wrong = check({**LEAVE, "id": "\x1b[31mq1", "expected": ["\x1b[31mnot there\x07"]})
    assert wrong.code == 2
    assert "q1" in wrong.err
    assert not any(code in wrong.err for code in codes)


def test_what_is_missing(check):
    said = check(*({**LEAVE, "id": f"q{number}", "question": f"q {number}", "task_type": None} for number in range(30))).out
    assert said.split("missing:\n")[1].splitlines()[:-1] == [
        "  questions with several pieces of evidence",
        "  questions that no document answers (answerable: false): without, Refused says nothing",
        "  task_type: questions of one kind can be looked at apart",
    ]
    assert "one question is worth 0.033 of Recall" in said


def test_unanswerable_questions_alone(check):
    ran = check({"id": "q1", "question": "Is there a gym?", "answerable": False})
    assert ran.code == 0
    assert ran.out.startswith("1 question (0 answerable), 3 documents\n  task_type: none 1\nmissing:\n")


def test_all_mistakes_with_the_evidence_to_paste(check):
    wrong = "your manager aproves the dates"
    ran = check(
        {**LEAVE, "expected": [wrong, {"source": "long.pdf", "quote": "should contain every letter of the alphabet"}]},
        {**LEAVE, "required_evidence_ids": ["long.pdf#p9", {"source": "leave.md", "chunk": 900}]},
        arguments=["topk=3"],
    )
    assert (ran.code, ran.out) == (2, "")
    for part in (
        "topk: unknown key",
        "two questions have this id",
        "'long.pdf' has no page 9: its pages are 1 to 4",
        '{"source": "remote.md", "quote": "Your manager approves the dates."} (questions.json[0], expected[0])',
        '"quote": "should contain all letters of the alphabet"} (page 1) (questions.json[0], expected[1])',
    ):
        assert ran.err.count(part) == 1, (part, ran.err)


def test_chunks_that_no_chunker_has_are_mistakes_as_in_a_plan(check):
    ran = check({**LEAVE, "required_evidence_ids": [{"source": "leave.md", "chunk": 900}]})
    assert ran.code == 2
    assert "900" in ran.err


def test_what_is_shown_to_paste_is_right_when_pasted(check):
    ran = check({"id": "q1", "question": "x", "expected": ["should contain every letter of the alphabet"]})
    shown = ran.err[ran.err.index('{"source"') : ran.err.index("} (page") + 1]
    assert check({"id": "q1", "question": "x", "expected": [json.loads(shown)]}).code == 0


def test_the_action_is_named(project, capsys):
    with pytest.raises(SystemExit) as ended:
        project("questions", "--files", "docs")
    assert ended.value.code == 2
    assert "write ragsweep questions check" in capsys.readouterr().err


def test_without_files_or_an_experiment_nothing_is_checked(project):
    for command in (["questions", "check"], ["check"], ["run", "--questions", "questions.json"]):
        ran = project(*command)
        assert (ran.code, ran.out, "experiment=NAME" in ran.err) == (2, "", True)
