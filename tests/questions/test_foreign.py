"""Files of other tools are named, and the Python that is shown converts them."""

import json
import subprocess
import sys

import pytest

from ragsweep.errors import InputError
from ragsweep.questions import load, resolve
from ragsweep.types import Document

LEAVE = "Staff have 25 days of leave."
DOCUMENTS = {"leave.md": Document("leave.md", f"{LEAVE} Ask HR, or “Müller”; always.", "")}
RAGAS = {
    "user_input": "How many days?",
    "retrieved_contexts": ["Something else."],
    "reference_contexts": [f"<1-hop>\n\n{LEAVE}", "<2-hop>\n\nAsk HR"],
    "reference": "25",
}
RAGAS_0_1 = {"question": "How many days?", "contexts": [LEAVE], "ground_truth": "25", "evolution_type": "simple"}
RAGAS_CSV = f"""user_input,reference_contexts,reference,synthesizer_name
How many days?,"['<1-hop>\\n\\n{LEAVE}', 'Ask HR']",25,multi_hop
"""


def converted(path, folder):
    """What the shown Python writes, read as questions with their evidence in DOCUMENTS."""
    with pytest.raises(InputError) as caught:
        load(path)
    first, *lines = str(caught.value).split("\n")
    assert path.name in first
    code = "\n".join(line[4:] for line in lines)
    subprocess.run([sys.executable, "-W", "error", "-c", code], cwd=folder, check=True)
    documents = {file.name: Document(file.name, file.read_text(), "") for file in folder.glob("documents/*")}
    return first, resolve(load(folder / "questions.json"), documents or DOCUMENTS)[0][0]


@pytest.mark.parametrize(
    ("name", "content", "said", "quotes"),
    [
        ("g.csv", f"question,quote,answer\nHow many days?,{LEAVE},25\n", "a table (columns: question, quote, answer)", 1),
        ("g.csv", f"Question;file;Context\nHow many days?;leave.md;{LEAVE}\n", "(columns: Question, file, Context)", 1),
        ("g.tsv", "query\tfilename\nHow many days?\tleave.md\n", "(columns: query, filename)", 1),
        ("g.csv", 'question;quote\nHow many days?;"“Müller”; always"\n'.encode("cp1252"), "a table", 1),
        ("g.csv", f"question,quote\nHow many days?,{LEAVE}\n".encode("utf-16"), "a table", 1),
        ("g.csv", f"\ufeffquestion,quote\nHow many days?,{LEAVE}\n", "(columns: question, quote)", 1),
        ("it's ü.csv", RAGAS_CSV, "a Ragas file", 2),
        ("r.json", json.dumps([RAGAS]), "a Ragas file", 2),
        ("r.jsonl", json.dumps(RAGAS) + "\n\n", "a Ragas file", 2),
        ("g.json", json.dumps([{"Query": "How many days?", "context": LEAVE}]), "has keys of its own (Query, context)", 1),
        (
            "g.jsonl",
            json.dumps({"prompt": "How many days?", "file": "leave.md", "is_answerable": True}),
            "of its own (prompt, ",
            1,
        ),
        ("r.json", json.dumps([RAGAS_0_1]), "a Ragas file", 1),
    ],
)
def test_the_shown_python_converts(tmp_path, name, content, said, quotes):
    path = tmp_path / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    first, (question,) = converted(path, tmp_path)
    assert said in first
    assert question.text == "How many days?"
    assert len(question.evidence) == quotes
    assert all(evidence.places[0].document == "leave.md" for evidence in question.evidence)


def test_ids_pages_and_questions_without_an_answer_are_taken_over(tmp_path):
    """A page beside a quote says less than it; an empty page is a label of the whole file."""
    paged = Document("hr.pdf", "One. Two.", "", pages=((0, 4), (5, 9)))
    table = "ID,Question,file,page,Answerable\na1,First?,hr.pdf,2,yes\na2,Second?,hr.pdf,,TRUE\na3,Third?,,,False\n"
    (tmp_path / "g.csv").write_text(table)
    with pytest.raises(InputError) as caught:
        load(tmp_path / "g.csv")
    code = "\n".join(line[4:] for line in str(caught.value).split("\n")[1:])
    subprocess.run([sys.executable, "-c", code], cwd=tmp_path, check=True)
    [(questions, _)] = resolve(load(tmp_path / "questions.json"), {"hr.pdf": paged})
    found = [(each.id, each.answerable, [evidence.label for evidence in each.evidence]) for each in questions]
    assert found == [("a1", True, ["hr.pdf#p2"]), ("a2", True, ["hr.pdf"]), ("a3", False, [])]
    (tmp_path / "g.csv").write_text(f"question,file,page,quote,id\nHow many days?,leave.md,1,{LEAVE},z\n")
    _, (question,) = converted(tmp_path / "g.csv", tmp_path)
    assert (question.id, [evidence.kind for evidence in question.evidence]) == ("z", ["quote"])


@pytest.fixture
def beir(tmp_path):
    folder = tmp_path / "beir"
    (folder / "qrels").mkdir(parents=True)
    entries = [{"_id": "a/1", "title": "Leave", "text": LEAVE}, {"_id": "b", "title": "", "text": "Ask HR."}]
    (folder / "corpus.jsonl").write_text("\n".join(map(json.dumps, entries)))
    queries = [{"_id": "q1", "text": "How many days?"}, {"_id": "q2", "text": "Not judged"}]
    (folder / "queries.jsonl").write_text("\n".join(map(json.dumps, queries)))
    (folder / "qrels" / "test.tsv").write_text("query-id\tcorpus-id\tscore\nq1\ta/1\t2\nq1\tb\t0\n")
    (folder / "qrels" / "dev.tsv").write_text("query-id\tcorpus-id\tscore\nq2\tb\t1\n")
    return folder


@pytest.mark.parametrize(
    ("name", "asked"), [("", "q1"), ("queries.jsonl", "q1"), ("qrels/test.tsv", "q1"), ("qrels/dev.tsv", "q2")]
)
def test_a_beir_data_set_becomes_documents_and_questions(beir, tmp_path, name, asked):
    first, (question,) = converted(beir / name, tmp_path)
    assert "BEIR" in first
    assert question.id == asked  # a document judged 0 is no evidence, a query that is not judged no question
    (evidence,) = question.evidence
    assert evidence.label == {"q1": "a%2F1.txt", "q2": "b.txt"}[asked]
    assert sorted(file.name for file in (tmp_path / "documents").iterdir()) == ["a%2F1.txt", "b.txt"]


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("g.csv", "frage,antwort\nx,y\n", "put the right column for QUESTION and EVIDENCE"),
        ("g.csv", "question,answer\nx,y\n", "put the right column for EVIDENCE"),
        ("g.csv", "", "(columns: none)"),
        ("r.json", json.dumps([{"question": "x", "contexts": ["found"], "answer": "y"}]), "what a search found is no evidence"),
    ],
)
def test_what_the_file_does_not_say_is_asked_for(tmp_path, name, content, said):
    (tmp_path / name).write_text(content)
    with pytest.raises(InputError) as caught:
        load(tmp_path / name)
    assert said in str(caught.value).split("\n")[0]


@pytest.mark.parametrize(
    "record",
    [
        {"question": "x", "contexts": ["own key"], "expected": [LEAVE]},
        {"id": "a", "question": "x", "user_input": "own key", "answerable": False},
        {"id": "a", "question": "x", "_id": "own key", "text": "own key", "required_evidence_ids": ["leave.md"]},
    ],
)
def test_keys_of_ones_own_beside_evidence_are_not_foreign(tmp_path, record):
    path = tmp_path / "q.jsonl"
    path.write_text(json.dumps(record))
    assert not load(path).errors
