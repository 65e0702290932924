"""limit: some of the questions are asked, and every report says so."""

import csv
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragsweep.sweep.limit import limited
from ragsweep.types import Question

REPORTS = ("report.md", "report.csv", "report.json", "questions.csv")
TEXTS = ["How many days of leave?", "Who approves the dates?", "Is there a gym?", "When do days lapse?", "Where may I work?"]


def questions(texts):
    return [Question(f"q{place}", text, (), answerable=True) for place, text in enumerate(texts)]


@given(st.lists(st.text(), unique=True, max_size=30), st.integers(1, 40), st.none() | st.integers())
def test_a_limit_takes_so_many_in_their_order(texts, limit, seed):
    asked = questions(texts)
    taken = limited(asked, limit, seed)
    assert len(taken) == min(limit, len(asked))
    assert taken == [question for question in asked if question in taken]
    if seed is None:
        assert taken == asked[:limit]


@given(st.lists(st.text(), unique=True, min_size=2, max_size=30), st.integers(), st.randoms(use_true_random=False))
def test_a_draw_depends_on_texts_alone(texts, seed, random):
    """Neither on their order, nor on ids; a smaller draw is part of a larger one."""
    half = len(texts) // 2
    drawn = {question.text for question in limited(questions(texts), half, seed)}
    random.shuffle(texts)
    assert {question.text for question in limited(questions(texts), half, seed)} == drawn
    assert {question.text for question in limited(questions(texts), half + 1, seed)} >= drawn


def test_a_draw_is_no_prefix_and_seeds_differ():
    texts = [f"What is {number}?" for number in range(200)]
    draws = [{question.text for question in limited(questions(texts), 50, seed)} for seed in range(20)]
    assert len({frozenset(draw) for draw in draws}) == 20
    assert all(sum(text in draw for draw in draws) < 20 for text in texts)
    # The mean place of a fair draw is 99.5, with a standard error of 1.6 over 20 draws of 50.
    assert abs(sum(texts.index(text) for draw in draws for text in draw) / 1000 - 99.5) < 8


ASKED = [
    {"id": f"q{place}", "question": text, "required_evidence_ids": ["leave.md"] if place != 1 else ["remote.md"]}
    for place, text in enumerate(TEXTS)
]


@pytest.fixture
def five(project):
    """Five questions, the first three of them answerable by file."""
    project.questions(ASKED)
    return project


def test_every_report_of_some_questions_is_stamped(five):
    ran = five.files("run", "limit=2", "top_n=1,2")
    assert ran.code == 0, ran.err
    assert "running 2 setups x 2 questions" in ran.err
    assert "2 documents, PARTIAL: 2 of 5 questions (2 answerable)" in ran.err
    assert ran.out.startswith("PARTIAL Retrieval report: 2 of 5 questions")
    assert "(PARTIAL: 2 of 5 questions; a tie: one question is worth 0.500)" in ran.out
    assert "note: 2 questions (2 answerable): one question is worth 0.500 of Recall" in ran.out
    texts = {name: (ran.runs[0] / name).read_text() for name in REPORTS}
    assert texts["report.md"].startswith("# PARTIAL run\n\n## PARTIAL Retrieval report: 2 of 5 questions")
    content = json.loads(texts["report.json"])
    assert (content["partial"], content["questions"], content["all_questions"]) == (True, 2, 5)
    for name in ("report.csv", "questions.csv"):
        assert {row["partial"] for row in csv.DictReader(texts[name].splitlines())} == {"2 of 5 questions"}


def test_a_report_of_all_questions_is_not(five):
    ran = five.files("run", "limit=5")
    texts = [(ran.runs[0] / name).read_text().lower() for name in REPORTS]
    assert "partial" not in ran.out + ran.err + texts[0] + texts[1] + texts[3]
    assert '"partial": false' in texts[2]


def test_more_than_there_are_is_said(five):
    ran = five.files("plan", "limit=6")
    assert "notice: limit=6: there are 5 questions, and all are asked" in ran.out
    assert "PARTIAL" not in ran.out


def test_a_draw_is_asked(five):
    ran = five.files("run", "limit=2", "limit_seed=1", "--json")
    rows = list(csv.DictReader((ran.runs[0] / "questions.csv").read_text().splitlines()))
    expected = [question.text for question in limited(questions(TEXTS), 2, 1)]
    assert [row["question"] for row in rows] == expected != TEXTS[:2]
    assert json.loads(ran.out)["partial"] is True


def test_labels_of_all_questions_are_checked(five):
    asked = [{"id": f"q{place}", "question": text, "required_evidence_ids": ["leave.md"]} for place, text in enumerate(TEXTS)]
    asked[4]["required_evidence_ids"] = ["leaf.md"]
    five.questions(asked)
    ran = five.files("run", "limit=2")
    assert ran.code == 2
    assert "Question 'q4': Evidence id 'leaf.md'" in ran.err


@pytest.mark.parametrize(
    ("override", "said"),
    [
        ("limit=0", "limit=0: write a whole number of 1 or more"),
        ("limit=-3", "limit=-3: write a whole number of 1 or more"),
        ("limit=2.5", "limit=2.5: write a whole number"),
        ("limit=few", "limit='few': write a whole number"),
        ("limit=10%", "limit='10%': write a whole number"),
        ("limit=1,2", "limit cannot be swept: write one value"),
        ("limit_seed=3", "limit_seed=3: draws the questions of a limit: write limit too, as in limit=20"),
    ],
)
def test_mistakes(five, override, said):
    ran = five.files("plan", override)
    assert (ran.code, ran.out) == (2, "")
    assert said in ran.err


def test_collect_keeps_the_stamp_and_todays_number(five):
    folder = five.files("run", "limit=2").runs[0]
    asked = [{"id": "q", "question": text, "required_evidence_ids": ["leave.md"]} for text in [*TEXTS, "What is new?"]]
    five.questions([{**question, "id": f"q{place}"} for place, question in enumerate(asked)])
    ran = five("collect", str(folder))
    assert ran.out.startswith("PARTIAL Retrieval report: 2 of 6 questions")
    assert "never asked" not in ran.out
    five.questions(asked[:1])
    assert five("collect", str(folder)).out.startswith("Retrieval report: 1 question, top_n=5\n")


def test_a_question_of_equal_text_that_the_limit_left_out_stays_out(five):
    asked = [{"id": f"q{place}", "question": TEXTS[place % 2], "required_evidence_ids": ["leave.md"]} for place in range(4)]
    five.questions(asked)
    ran = five.files("run", "limit=3")
    again = five("collect", str(ran.runs[0]))
    assert [each.out.partition(",")[0] for each in (ran, again)] == ["PARTIAL Retrieval report: 3 of 4 questions"] * 2
    assert "edited" not in again.out


def test_a_question_whose_text_was_edited_makes_a_collected_report_partial(five):
    """Else a gate would judge, and accept keep, a part of the questions as all of them."""
    folder = five.files("run").runs[0]
    five.questions([{"id": "new", "question": "What is new?", "required_evidence_ids": ["leave.md"]}, *ASKED])
    ran = five("collect", str(folder))
    assert ran.out.startswith(f"PARTIAL Retrieval report: {len(ASKED)} of {len(ASKED) + 1} questions")
    assert "run: 1 question never asked and left out" in ran.out


def test_runs_of_different_limits_are_not_mixed_and_of_one_are(five):
    folders = [str(five.files("run", *given).runs[0]) for given in (["limit=2"], ["limit=3"], ["limit=2", "top_n=1"])]
    ran = five("collect", *folders[:2])
    assert ran.code == 2
    assert "asked different questions ('Is there a gym?'): collect each by itself, or write the same limit" in ran.err
    assert five("collect", folders[0], folders[2]).out.startswith("PARTIAL Retrieval report: 2 of 5 questions")


def test_no_part_is_accepted_nor_checked(project):
    project.experiment(
        "dataset: {files: docs, questions: questions.json}\nrag_type: search\nretriever: bm25\nn_jobs: 1\nlimit: 1\n"
    )
    folder = project("run", "experiment=mine").runs[0]
    ran = project("accept", str(folder))
    assert ran.code == 2
    assert "asked some of 3 questions only (PARTIAL): accept a run without limit" in ran.err
    assert project("accept", str(project("run", "experiment=mine", "limit=3").runs[0])).code == 2  # not as it is written
    (project.root / "experiments/mine/report.md").write_text("# mine\n")
    assert project("check", "experiment=mine").code == 2


def test_a_report_collected_over_a_question_that_was_never_asked_is_not_accepted(project):
    folder = project.experiment("dataset: {files: docs, questions: questions.json}\nrag_type: search\nretriever: bm25\n")
    run = str(project("run", "experiment=mine", "n_jobs=1").runs[-1])
    asked = json.loads((folder / "questions.json").read_text())
    project.questions([{**asked[0], "question": "What is new?"}, *asked[1:]], folder)
    assert project("collect", run).out.startswith("PARTIAL ")
    ran = project("accept", run)
    assert (ran.code, "(PARTIAL)" in ran.err, (folder / "report.md").exists()) == (2, True, False)


def test_ask_has_no_limit(project):
    project.experiment("dataset: {files: docs, questions: questions.json}\nrag_type: search\nretriever: bm25\nlimit: 1\n")
    ran = project("ask", "How many days?", "experiment=mine")
    assert (ran.code, "limit" in ran.err) == (0, False)
