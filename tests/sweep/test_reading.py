"""Files and questions: every mistake of composing, files, questions and labels at once; each file parsed once."""

import pytest

from ragsweep import documents as reader
from ragsweep.errors import InputErrors
from ragsweep.sweep import reading
from ragsweep.sweep.reading import read_corpora


def mistakes(wanted, store):
    with pytest.raises(InputErrors) as caught:
        read_corpora(wanted, store)
    return list(caught.value.messages)


def test_the_documents_by_id_and_the_questions_with_their_evidence(want, store):
    read = read_corpora(want(), store)
    (corpus,) = read.by_reading.values()
    assert list(corpus.documents) == ["leave.md", "remote.md"]
    assert [question.id for question in corpus.questions] == ["q1", "q2", "q3"]
    assert corpus.questions[1].evidence[0].places[0].document == "remote.md"
    assert read.label_notices == []


def test_mistakes_of_all_kinds_are_shown_together(want, store, project):
    (project.root / "docs" / "empty.md").write_text(" \n")
    (project.root / "docs" / "bad.pdf").write_bytes(b"%PDF-1.4 no pdf")
    project.questions([{"id": "q1", "question": " ", "required_evidence_ids": ["leave.md"]}, {"id": "q2", "question": "a"}])
    found = mistakes(want(problems=["top_k=0: write a whole number of 1 or more"]), store)
    assert found[0] == "top_k=0: write a whole number of 1 or more"
    assert sorted(found[1:3])[0].startswith("'bad.pdf'")
    assert sorted(found[1:3])[1].startswith("'empty.md' has no text")
    assert found[3].startswith("Question 'q1': question ")
    assert found[4].startswith("Question 'q2': it has no evidence")
    assert len(found) == 5


def test_wrong_labels_come_with_wrong_values(want, store, project):
    project.questions(
        [
            {"id": "q1", "question": "a", "required_evidence_ids": ["leaf.md"]},
            {"id": "q2", "question": "b", "required_evidence_ids": ["leave.md#p3"]},
            {"id": "q2", "question": "c", "expected": ["no such sentence"]},
        ]
    )
    found = mistakes(want(problems=["topk: unknown key"]), store)
    assert found[0] == "topk: unknown key"
    for part in ("did you mean 'leave.md'", "'leave.md' has no pages", "does not occur", "two questions have this id"):
        assert sum(part in message for message in found) == 1
    assert len(found) == 5


def test_no_files_and_no_questions_said(want, store):
    assert mistakes(want(files=None, questions=None), store) == [
        "dataset.files: write which files to read: dataset.files=docs, or --files docs",
        "dataset.questions: write where the questions are: dataset.questions=questions.json",
    ]


def test_missing_files_and_missing_questions_are_said_together(want, store):
    found = mistakes(want(files=["docs", "nope.md", "*.docx"], questions="nope.json"), store)
    for part in ("'nope.md' does not exist", "no file matches '*.docx'", "nope.json' cannot be read"):
        assert sum(part in message for message in found) == 1
    assert len(found) == 3


def test_a_mistake_leaves_nothing_behind(want, store):
    mistakes(want(questions="nope.json"), store)
    mistakes(want(problems=["a"]), store)
    assert not store.root.exists()


def test_a_file_named_twice_is_read_once(want, store):
    (corpus,) = read_corpora(want(files=["docs", "docs/leave.md", "docs/*.md"]), store).by_reading.values()
    assert list(corpus.documents) == ["leave.md", "remote.md"]


def test_the_same_name_in_two_folders_is_two_documents_and_a_bare_label_is_ambiguous(want, store, project):
    for folder in ("a", "b"):
        (project.root / "docs" / folder).mkdir()
        (project.root / "docs" / folder / "readme.md").write_text(f"This is {folder}.")
    project.questions([{"id": "q1", "question": "a", "required_evidence_ids": ["readme.md"]}])
    (message,) = mistakes(want(), store)
    assert "'a/readme.md'" in message
    assert "'b/readme.md'" in message
    project.questions([{"id": "q1", "question": "a", "required_evidence_ids": ["a/readme.md"]}])
    (corpus,) = read_corpora(want(), store).by_reading.values()
    assert list(corpus.documents) == ["a/readme.md", "b/readme.md", "leave.md", "remote.md"]
    assert [place.document for place in corpus.questions[0].evidence[0].places] == ["a/readme.md"]


def test_the_same_text_with_two_ids_is_two_questions(want, store, project):
    project.questions(
        [
            {"id": "q1", "question": "same", "required_evidence_ids": ["leave.md"]},
            {"id": "q2", "question": "same", "required_evidence_ids": ["remote.md"]},
        ]
    )
    (corpus,) = read_corpora(want(), store).by_reading.values()
    assert [question.id for question in corpus.questions] == ["q1", "q2"]


def test_a_pdf_is_parsed_once_and_again_when_its_bytes_change(want, store, project, monkeypatch):
    parsed = []
    parse_apart = reader.parse_apart
    monkeypatch.setattr(
        reading.reader, "parse_apart", lambda files, *given: parsed.extend(id for _, id in files) or parse_apart(files, *given)
    )
    (project.root / "docs" / "leave.pdf").write_bytes(pdf("Ten days of leave"))
    project.questions([{"id": "q1", "question": "a", "required_evidence_ids": ["leave.pdf#p1"]}])
    for _ in range(2):
        (corpus,) = read_corpora(want(), store).by_reading.values()
        assert "Ten days" in corpus.documents["leave.pdf"].text
    assert parsed.count("leave.pdf") == 1
    (project.root / "docs" / "leave.pdf").write_bytes(pdf("Six days of leave"))
    (corpus,) = read_corpora(want(), store).by_reading.values()
    assert "Six days" in corpus.documents["leave.pdf"].text
    assert parsed.count("leave.pdf") == 2


def pdf(text):
    """One page with one line."""
    drawn = f"BT /F 12 Tf 50 700 Td ({text}) Tj ET".encode()
    objects = [
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Contents 4 0 R/Resources<</Font<</F 5 0 R>>>>>>",
        b"<</Length %d>>stream\n%s\nendstream" % (len(drawn), drawn),
        b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
    ]
    data, places = b"%PDF-1.4\n", []
    for number, body in enumerate(objects, 1):
        places.append(len(data))
        data += b"%d 0 obj%s endobj\n" % (number, body)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    start = len(data)
    return data + b"xref\n0 6\n0000000000 65535 f \n%strailer<</Size 6/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF" % (table, start)


def test_what_a_run_stored_is_parsed_no_second_time_but_for_plain_text(want, store, project, monkeypatch):
    (project.root / "docs" / "note.txt").write_text("A note.\n")
    (project.root / "docs" / "page.html").write_text("<p>A page.</p>")
    (first,) = read_corpora(want(), store).by_reading.values()
    for id, document in first.documents.items():
        reading.keep_document(store, first.stored[id], document)
    parsed, parse = [], reader.parse
    monkeypatch.setattr(reader, "parse", lambda data, id, *given: parsed.append(id) or parse(data, id, *given))
    (again,) = read_corpora(want(), store).by_reading.values()
    assert again.documents == first.documents
    assert parsed == ["note.txt"]
    (project.root / "docs" / "page.html").write_text("<p>Another page.</p>")
    assert next(iter(read_corpora(want(), store).by_reading.values())).documents["page.html"].text.strip() == "Another page."


def test_documents_of_equal_text_are_named(project):
    (project.root / "docs" / "copy.md").write_text((project.root / "docs" / "leave.md").read_text())
    ran = project.files("plan")
    assert "notice: documents of equal text: copy.md = leave.md: label the first, of equal copies dedupe keeps that" in ran.out
