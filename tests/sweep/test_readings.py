"""pdf=pypdf,pdfium: each setup is chunked, indexed, scored and bounded by the texts of its own reading of the same files."""

import csv
import json
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from ragsweep.documents import Limits, Settings
from ragsweep.errors import InputErrors
from ragsweep.evaluation.stages import Rules
from ragsweep.sweep import reading
from ragsweep.sweep.reading import read_corpora
from ragsweep.sweep.runs import read_runs
from ragsweep.sweep.scoring import scored

pytest.importorskip("pypdfium2")

SAMPLES = Path(__file__).parents[1] / "documents" / "samples"
PAPERS = {"siege.pdf": "pypdf_Seige_of_Vicksburg_Sample_OCR.pdf", "zen.pdf": "pdf_google-doc-document.pdf"}
"""Of the one pypdf leaves "foli- age" torn at the end of a line, and PDFium glues "ratherrare"; of the other pypdf puts odd
characters between the names of a row."""

TORN = {"id": "torn", "question": "Where is foliage?", "expected": ["Not a breeze stirred the foliage"]}
LATE = {"id": "late", "question": "What is the cast-iron body of?", "expected": ["composed of a cast-iron body"]}
GLUED = {"id": "glued", "question": "Are shells rare?", "expected": [{"source": "siege.pdf", "quote": "they are rather rare"}]}
ROW = {"id": "row", "question": "Which countries beside Indonesia?", "expected": ["Indonesia Germany Austria France"]}
NOTES = {"id": "notes", "question": "How many days of leave?", "required_evidence_ids": ["leave.md"]}
MAIN = "import sys; from ragsweep.cli import main; sys.exit(main())"
BOTH = ("pdf=pypdf,pdfium", "chunker=word", "chunk_size=40", "top_n=2")


@pytest.fixture
def papers(project):
    """Two PDFs that the parsers read differently, beside the two texts of the project."""
    for name, sample in PAPERS.items():
        (project.root / "docs" / name).write_bytes((SAMPLES / sample).read_bytes())
    project.questions([TORN, LATE, GLUED, ROW, NOTES])
    return project


def rows(folder, name="report.csv"):
    with (folder / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def recalls(folder):
    return {row["setup"]: round(float(row["recall"]), 3) for row in rows(folder)}


def ceilings(folder):
    report = json.loads((folder / "report.json").read_text())
    return {each["chunking"]: round(each["recall"], 3) for each in report["ceilings"]}


def test_each_setup_is_scored_by_the_text_that_it_searched(papers):
    given = ["--files", "docs", "--questions", "questions.json", "rag_type=search", "retriever=bm25", *BOTH]
    command = [sys.executable, "-c", MAIN, "run", *given]
    done = subprocess.run(command, cwd=papers.root, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "4 documents as read with pdf=pypdf and with pdf=pdfium, 5 questions (5 answerable)" in done.stderr
    (folder,) = (papers.root / "outputs").glob("run/2*")
    found = {(row["pdf"], row["question_id"]): json.loads(row["found"]) for row in rows(folder, "questions.csv")}
    assert {pdf for pdf, _ in found} == {"pypdf", "pdfium"}
    alike = [(found["pypdf", id], found["pdfium", id]) for id in ("late", "notes")]
    assert alike == [(["composed of a cast-iron body"],) * 2, (["leave.md"],) * 2]
    assert (found["pypdf", "torn"], found["pdfium", "torn"]) == ([], ["Not a breeze stirred the foliage"])
    assert (found["pypdf", "glued"], found["pdfium", "glued"]) == (["siege.pdf: they are rather rare"], [])
    assert (found["pypdf", "row"], found["pdfium", "row"]) == ([], ["Indonesia Germany Austria France"])
    assert recalls(folder) == {"pdf=pypdf": 0.6, "pdf=pdfium": 0.8}
    report = json.loads((folder / "report.json").read_text())
    assert [setup["options"]["pdf"] for setup in report["setups"]] == ["pypdf", "pdfium"]
    # Of the five evidences each parser has lost one.
    assert ceilings(folder) == {"word + pdf=pypdf": 0.8, "word + pdf=pdfium": 0.8}
    stored = [json.loads(path.read_text()) for path in papers.root.glob("outputs/.store/documents/*/key.json")]
    assert sorted((key["id"], key["parser"]) for key in stored) == [
        ("leave.md", "markdown"),
        ("remote.md", "markdown"),
        *((name, parser) for name in PAPERS for parser in ("pdfium", "pypdf")),
    ]


def test_scored_by_the_places_of_the_first_reading_the_wrong_parser_would_win(papers):
    papers.questions([TORN, LATE])
    ran = papers.files("run", *BOTH)
    assert ran.code == 0, ran.err
    assert recalls(ran.runs[0]) == {"pdf=pypdf": 0.5, "pdf=pdfium": 1.0}
    assert "Best Recall 1.000: pdf=pdfium" in ran.out
    runs = read_runs(ran.runs, todays_labels=False)
    first = runs.texts["pypdf"].questions
    wrong = replace(runs, texts={name: replace(texts, questions=first) for name, texts in runs.texts.items()})
    score = {
        job.name: [each.final.recall for each in scored(wrong, job, Rules(), wrong.rows(job)).scores] for job in wrong.jobs
    }
    assert score == {"pdf=pypdf": [0, 1], "pdf=pdfium": [0, 0]}


def test_a_part_of_the_questions_and_the_best_setup_are_of_the_reading_too(papers):
    papers.questions([TORN, LATE, NOTES])
    ran = papers.files("run", *BOTH, "limit=2", "gate.recall=1.0")
    assert ran.code == 0, ran.err
    assert "4 documents as read with pdf=pypdf and with pdf=pdfium, PARTIAL: 2 of 3 questions (2 answerable)" in ran.err
    assert papers("run", str(ran.runs[0] / "best.yaml"), "limit=2", "n_jobs=1").code == 0
    report, best = (
        json.loads((papers.root / "outputs" / name / "latest/report.json").read_text()) for name in ("run", "run-best")
    )
    assert [setup["id"] for setup in best["setups"]] == [report["setups"][1]["id"]]
    assert papers("collect", str(ran.runs[0])).code == 0


def test_evidence_that_one_parser_lost_is_said_once_and_lost_by_all_it_is_a_mistake(papers):
    ran = papers.files("plan", *BOTH, "chunker=word,page")
    notices = [line.removeprefix("  notice: ") for line in ran.out.splitlines() if "notice: " in line]
    lost = [notice for notice in notices if "nothing can find it" in notice]
    quote, evidence = "Quote 'Indonesia Germany Austria France'", json.dumps(GLUED["expected"][0])
    assert lost == [
        f"with pdf=pypdf: Question 'row': {quote} does not occur in any of 4 documents, "
        "so nothing can find it (questions.json[3])",
        f"with pdf=pdfium: Question 'glued': Evidence {evidence} does not occur in 'siege.pdf', "
        "so nothing can find it (questions.json[2])",
    ]
    assert len([notice for notice in notices if "one question is worth 0.200" in notice]) == 1
    assert [notice for notice in notices if "bad_chars" in notice] == [
        "with pdf=pypdf: 'zen.pdf': bad_chars: 4 (NUL, lost or private-use characters)"
    ]
    checked = papers("questions", "check", "--files", "docs", "--questions", "questions.json", BOTH[0]).out.splitlines()
    assert [line.strip() for line in checked if ".pdf page " in line] == [
        "torn: 'Not a breeze stirred the foliage' in siege.pdf page 6",
        "late: 'composed of a cast-iron body' in siege.pdf page 6",
        "with pdf=pypdf: glued: 'they are rather rare' in siege.pdf page 2",
        "with pdf=pdfium: row: 'Indonesia Germany Austria France' in zen.pdf page 1",
    ]
    papers.questions([{**ROW, "expected": ["Indonesia Germany Australia France"]}])
    ran = papers.files("plan", *BOTH)
    assert ran.code == 2
    assert ran.err.count("does not occur in any of 4 documents; the nearest passage is {") == 1


def test_the_axis_is_unused_where_no_file_is_a_pdf(project):
    ran = project.files("plan", "pdf=pypdf,pdfium", "chunker=word,page")
    assert ran.code == 0, ran.err
    assert "  2 documents, 3 questions" in ran.out
    assert "  4 combinations, 2 setups, 2 indexes" in ran.out
    assert "  setup page\n    stands for pdf=pdfium too: what differs changes nothing here" in ran.out


def test_one_setup_may_read_in_its_own_way_and_check_runs_it_again(papers):
    folder = papers.experiment(
        "dataset: {files: docs, questions: questions.json}\nrag_type: search\nretriever: bm25\nchunker: page\n"
        "setups: [{name: other pages, pdf: pdfium}]\nsweep: {top_n: [1, 2]}\n"
    )
    (folder / "docs" / "siege.pdf").write_bytes((papers.root / "docs" / "siege.pdf").read_bytes())
    papers.questions([TORN, LATE], folder)
    ran = papers("run", "experiment=mine", "n_jobs=1")
    assert ran.code == 0, ran.err
    report = json.loads((ran.runs[0] / "report.json").read_text())
    assert "pdf" not in report["fixed"]  # it is not the same for all
    assert {each["chunking"] for each in report["floors"]} == {"page + pdf=pypdf", "page + pdf=pdfium"}
    assert recalls(ran.runs[0])["other pages"] == 1.0
    assert "other pages: top_n=5 pdf=pdfium" in ran.out
    assert papers("accept", str(ran.runs[0])).code == 0
    assert papers("check", "experiment=mine", "n_jobs=1").code == 0


def run(papers, value):
    """The folder of a run that reads with these parsers."""
    return papers.files("run", *BOTH[1:], f"pdf={value}").runs[0]


def test_runs_that_read_the_same_files_differently_make_one_table(papers):
    papers.questions([TORN, LATE, NOTES])
    *alone, together = [run(papers, value) for value in ("pypdf", "pdfium", "pypdf,pdfium")]
    ran = papers("collect", *map(str, alone))
    assert ran.code == 0, ran.err
    merged = papers.root / "outputs" / "collected" / "latest"
    assert recalls(merged) == recalls(together) == {"pdf=pypdf": 0.667, "pdf=pdfium": 1.0}
    reports = [json.loads((folder / "report.json").read_text()) for folder in (together, merged)]
    assert reports[0]["floors"] == reports[1]["floors"]
    assert reports[0]["ceilings"] == reports[1]["ceilings"]
    # A label edited since: it has a place in the texts of one parser only.
    papers.questions([TORN, LATE, {**NOTES, "expected": ROW["expected"]}])
    ran = papers("collect", *map(str, alone))
    assert "note: with pdf=pypdf: Question 'notes': Quote 'Indonesia Germany Austria France' does not occur" in ran.out
    assert "run: 1 question scored by edited labels" in ran.out
    assert ceilings(merged.parent / "latest") == {"word + pdf=pypdf": 0.833, "word + pdf=pdfium": 1.0}
    (papers.root / "questions.json").unlink()
    assert papers("collect", *map(str, alone)).code == 0
    change(alone[1], lambda plan: plan["corpora"]["pdfium"]["questions"][2].update(answers=["25"]))
    ran = papers("collect", *map(str, alone))
    assert (ran.code, "have different labels for 'notes': collect each by itself" in ran.err) == (2, True)


def test_runs_of_other_bytes_or_of_other_versions_of_a_parser_are_not_mixed(papers):
    papers.questions([TORN])
    one, other = run(papers, "pypdf"), run(papers, "pdfium")

    def edit(folder, **values):
        (corpus,) = json.loads((folder / "plan.json").read_text())["corpora"].values()
        (place,) = [place for place, file in enumerate(corpus["files"]) if file["id"] == "siege.pdf"]
        change(folder, lambda plan: [each["files"][place].update(values) for each in plan["corpora"].values()])

    stored = {"id": "siege.pdf", "bytes": "0" * 64, "parser": "pdfium", "version": "1"}
    edit(other, stored=stored)
    ran = papers("collect", str(one), str(other))
    assert ran.code == 2
    assert "are of different files ('siege.pdf'): collect each by itself" in ran.err
    third, again = run(papers, "pdfium"), run(papers, "pypdf")
    edit(again, digest="0" * 32)
    # Every run is compared with every other: the first has nothing that the last could contradict.
    ran = papers("collect", str(third), str(one), str(again))
    assert ran.code == 2
    assert "read 'siege.pdf' by different versions of a parser: run the older one again" in ran.err


def change(folder, edit):
    """Edit a frozen plan."""
    plan = json.loads((folder / "plan.json").read_text())
    edit(plan)
    (folder / "plan.json").write_text(json.dumps(plan))


def test_ask_answers_from_the_reading_that_it_is_told(papers):
    given = ["--files", "docs", "rag_type=search", "retriever=bm25", "chunker=page", "n_jobs=1"]
    assert "siege.pdf" not in papers("ask", TORN["question"], *given).out
    assert papers("ask", TORN["question"], *given, "pdf=pdfium").out.startswith("siege.pdf chunk ")
    assert "ask takes one setup, and these are 2" in papers("ask", TORN["question"], *given, "pdf=pypdf,pdfium").err


@pytest.fixture
def both(want, row):
    """A sweep of two rows that differ in their reading."""
    return lambda **given: want(row(), replace(row(), reading="pdfium"), **given)


def test_a_file_is_parsed_once_by_each_parser(papers, both, store, monkeypatch):
    (papers.root / "docs" / "page.html").write_text("<p>One page.")
    parsed, parse_apart = [], reading.reader.parse_apart

    def noted(files, settings, n_jobs):
        parsed.extend((id, settings.pdf) for _, id in files)
        return parse_apart(files, settings, n_jobs)

    monkeypatch.setattr(reading.reader, "parse_apart", noted)
    corpora = read_corpora(both(), store).by_reading
    twice = [(name, parser) for name in PAPERS for parser in ("pypdf", "pdfium")]
    assert sorted(parsed) == sorted([*twice, ("page.html", "pypdf")])
    shared = [id for id in corpora["pypdf"].documents if corpora["pypdf"].documents[id] is corpora["pdfium"].documents[id]]
    assert shared == ["leave.md", "page.html", "remote.md"]


def test_a_file_that_one_parser_cannot_read_is_left_out_for_both(papers, both, store):
    papers.questions([ROW, NOTES])
    narrow = Settings(limits=Limits(characters=12_600))  # siege.pdf has 12,664 by pypdf, under 12,600 by PDFium
    with pytest.raises(InputErrors) as caught:
        read_corpora(both(reading=narrow), store)
    (message,) = caught.value.messages
    assert message.startswith("with pdf=pypdf: 'siege.pdf' has more than 12,600 characters: ")
    read = read_corpora(both(reading=narrow, on_bad_file="skip"), store)
    assert [list(corpus.documents) for corpus in read.by_reading.values()] == [["leave.md", "remote.md", "zen.pdf"]] * 2
    assert read.notices[:2] == ["1 of 4 files skipped, each named below", message]


def test_what_is_wrong_whatever_the_reading_is_said_once(papers, both, store, monkeypatch):
    monkeypatch.delenv("NO_SUCH", raising=False)
    with pytest.raises(InputErrors) as caught:
        read_corpora(both(reading=Settings(passwords=["NO_SUCH"])), store)
    assert caught.value.messages == ("dataset.passwords: the environment variable NO_SUCH is not set",)
    (papers.root / "docs" / "empty.md").write_text("")
    with pytest.raises(InputErrors) as caught:
        read_corpora(both(), store)
    assert caught.value.messages == ("'empty.md' has no text: leave it out of dataset.files",)


def test_show_puts_two_readings_beside_each_other_each_with_its_evidence(papers):
    ran = papers("show", "zen.pdf", "--files", "docs", "--questions", "questions.json", "--diff", "pdf=pypdf,pdfium", "--full")
    assert ran.code == 0, ran.err
    assert re.search(r"^\S+ \+ pdf=pypdf: .*\S+ \+ pdf=pdfium: ", ran.out, re.MULTILINE)
    left, right = zip(*((line[:39], line[39:]) for line in ran.out.splitlines()), strict=True)
    assert not any("row" in line and "Indonesia" in line for line in left)
    assert any("row" in line for line in right)
