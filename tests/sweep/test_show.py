"""``ragsweep show``: which document is meant, what is shown of it, and one named mistake for what cannot be."""

import json

import pytest

PARTS = ("rag_type=search", "retriever=bm25")


def test_a_file_alone_is_cut_with_the_defaults_and_needs_no_questions(project):
    ran = project("show", "docs/leave.md", *PARTS)
    assert ran.code == 0, ran.err
    assert "chunk_size=160 chunk_overlap=20" in ran.out  # not those of the sample
    assert "evidence" not in ran.out
    assert not ran.runs


@pytest.mark.parametrize("name", ["leave.md", "docs/leave.md", "./docs/leave.md", "LINK"])
def test_a_document_of_the_files_by_id_or_path_brings_its_evidence(project, name):
    (project.root / "LINK").symlink_to("docs/leave.md")
    ran = project("show", name, "--files", "docs", "--questions", "questions.json", *PARTS)
    assert (ran.code, "the whole file is evidence of q1" in ran.out) == (0, True)


def test_an_id_in_folders_is_kept_when_its_file_is_read_alone(project):
    for folder in ("a", "b"):
        (project.root / "docs" / folder).mkdir()
        (project.root / "docs" / folder / "same.md").write_text(f"This is {folder}.")
    assert project("show", "b/same.md", "--files", "docs", *PARTS).out.startswith("b/same.md: 3 words")
    ran = project("show", "same.md", "--files", "docs", *PARTS)
    assert (ran.code, "write 'a/same.md' or 'b/same.md'" in ran.err) == (2, True)


def test_another_file_is_shown_without_evidence_also_under_a_name_of_theirs(project):
    (project.root / "leave.txt").write_text("Something else.")
    ran = project("show", "leave.txt", "--files", "docs", "--questions", "questions.json", *PARTS)
    assert (ran.code, "evidence" in ran.out) == (0, False)


def test_the_documents_of_an_experiment_and_of_the_sample(project):
    project.experiment("dataset: {files: docs, questions: questions.json}\nchunk_size: 5\n")
    ran = project("show", "remote.md", "experiment=mine", *PARTS)
    assert "5 of 5 words" in ran.out
    assert "evidence of q2: cut" in ran.out
    assert project("show", "expenses.md", *PARTS).code == 0


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (
            ["leaf.md", "--files", "docs"],
            "'leaf.md': there is no file here, and no document has this name; did you mean 'leave.md'?",
        ),
        (["docs/leaf.md"], "'docs/leaf.md' does not exist in '{root}'; did you mean 'leave.md'?"),
        (["docs"], "'docs' is a folder: name one file of it"),
        (["docs/*.md"], "'docs/*.md': there is no file here, and it means 2 files: name one"),
        (["docs/bad.pdf"], "'bad.pdf' cannot be read as PDF"),
        (["docs/empty.txt"], "'empty.txt' has no text"),
        (["questions.csv"], "questions.csv' is of a type that is not supported"),
        (["docs/leave.md", "chunker=wrod"], "did you mean 'word'?"),
        (["docs/leave.md", "chunker=word,page"], "show takes one chunking, and these are 2 (word, page)"),
        (["docs/leave.md", "--diff", "chunker=word"], "--diff shows two chunkings, and this is 1 (word)"),
        (["docs/leave.md", "--diff", "chunk_size=5,6,7"], "these are 3 (word + chunk_size=5, "),
        (
            ["docs/leave.md", "--diff", "chunk_size=5,6", "chunker=word,sentence"],
            "chunker=word,paragraph, and one of each other",
        ),
        (["docs/leave.md", "--diff", "reranker=none,overlap"], "write two values of one key that changes chunks, as in --diff"),
    ],
)
def test_what_cannot_be_shown_is_one_mistake(project, arguments, said):
    (project.root / "questions.csv").write_text("a,b")
    if "bad.pdf" in arguments[0]:
        (project.root / "docs" / "bad.pdf").write_bytes(b"no pdf")
    if "empty.txt" in arguments[0]:
        (project.root / "docs" / "empty.txt").write_text("")
    ran = project("show", *arguments, *PARTS)
    assert (ran.code, ran.out) == (2, "")
    assert said.format(root=project.root) in ran.err
    assert ran.err.startswith(("mistake: ", "1 mistake found"))


@pytest.mark.parametrize("files", [[], ["--files", "docs/leave.md"]], ids=["alone", "named"])
def test_of_one_file_the_evidence_in_it_is_shown_whatever_the_questions_ask_of_others(project, files):
    elsewhere = {"id": "q9", "question": "How long abroad?", "required_evidence_ids": ["remote.md"]}
    project.questions([*json.loads((project.root / "questions.json").read_text()), elsewhere])
    ran = project("show", "docs/leave.md", *files, "--questions", "questions.json", "chunk_size=50", *PARTS)
    assert (ran.code, "evidence of " in ran.out) == (0, True), ran.err
    assert ran.err.startswith("notice: not in this file: 2 labels of the questions, the first: Question ")


def test_mistakes_in_questions_and_other_files_hide_the_evidence_only(project):
    (project.root / "docs" / "bad.pdf").write_bytes(b"no pdf")
    ran = project("show", "leave.md", "--files", "docs", "--questions", "questions.json", *PARTS)
    assert (ran.code, "evidence" in ran.out) == (0, False)
    assert ran.err.startswith("warning: no evidence is shown: 'bad.pdf' cannot be read as PDF")


@pytest.mark.parametrize(("columns", "beside"), [("80", True), ("79", False)])
def test_two_chunkings_stand_beside_each_other_in_80_columns(project, monkeypatch, columns, beside):
    monkeypatch.setenv("COLUMNS", columns)
    ran = project("show", "docs/leave.md", "--diff", "chunker=word,page", "reranker=none,overlap", "chunk_size=5", *PARTS)
    assert ran.err == "notice: chunks are shown, and reranker changes none of them: its values are not compared\n"
    titles = [line for line in ran.out.splitlines() if "chunk 1 of 3" in line]
    assert [("chunk 1 of 1" in line) for line in titles] == [beside]
    assert all(len(line) <= int(columns) and line == line.rstrip() for line in ran.out.splitlines())
