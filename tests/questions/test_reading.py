"""Questions from JSON, JSONL and lists, with every mistake in their form."""

import json
import random

import pytest

from ragsweep.errors import InputError, InputErrors
from ragsweep.questions import load, resolve
from ragsweep.types import Document

GOOD = {"id": "q_1", "question": "What?", "required_evidence_ids": ["hr.pdf"]}


def write(path, text):
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def errors(*records):
    return load(list(records)).errors


def test_a_json_list_jsonl_and_a_list_read_the_same(tmp_path):
    records = [{**GOOD, "id": f"q_{number:03d}"} for number in (1, 2)]
    whole = load(write(tmp_path / "q.json", "\ufeff" + json.dumps(records)))
    lines = load(write(tmp_path / "q.JSONL", "\r\n\r\n".join(json.dumps({**record}) for record in records) + "\n"))
    plain = load(records)
    assert [draft.id for draft in whole.drafts] == [draft.id for draft in lines.drafts] == ["q_001", "q_002"]
    assert [draft.where for draft in whole.drafts] == ["q.json[0]", "q.json[1]"]
    assert [draft.where for draft in lines.drafts] == ["q.JSONL:1", "q.JSONL:3"]
    assert [draft.where for draft in plain.drafts] == ["dataset.questions[0]", "dataset.questions[1]"]
    assert [draft.labels for draft in whole.drafts] == [draft.labels for draft in lines.drafts]


def test_ids_are_made_up_for_jsonl_only(tmp_path):
    record = {"question": "What?", "expected": ["a\u2028b"]}
    path = write(tmp_path / "q.jsonl", "\n".join([json.dumps(record, ensure_ascii=False)] * 2))
    assert [draft.id for draft in load(path).drafts] == ["q_001", "q_002"]
    assert errors(GOOD, record) == ('Question without id: id is missing: write "id": "q_002" (dataset.questions[1])',)


def test_optional_keys_and_all_others_are_kept():
    (draft,) = load(
        [{**GOOD, "task_type": "fact", "answer": "25", "required_facts": ["25 days"], "tenant": 7, "note": None}]
    ).drafts
    assert (draft.task_type, draft.answers, draft.required_facts) == ("fact", ("25",), ("25 days",))
    assert draft.extra == {"tenant": 7, "note": None}
    assert load([{**GOOD, "answer": ["25", "twenty-five"]}]).drafts[0].answers == ("25", "twenty-five")


def test_two_questions_with_one_id_are_named_by_place(tmp_path):
    path = write(tmp_path / "q.json", json.dumps([GOOD, {**GOOD, "id": "q_2"}, GOOD]))
    assert load(path).errors == ("Question 'q_1': two questions have this id: q.json[0] and q.json[2]",)


def test_the_same_text_under_two_ids_is_no_mistake():
    assert errors(GOOD, {**GOOD, "id": "q_2"}) == ()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"id": None}, 'Question without id: id is missing: write "id": "q_001"'),
        ({"id": 7}, 'Question without id: id 7 is no text: write "id": "q_001"'),
        ({"id": " "}, "Question without id: id ' ' is no text"),
        ({"question": None}, "Question 'q_1': question is missing: write what to search for"),
        ({"question": ""}, "Question 'q_1': question is empty: write what to search for"),
        ({"question": "\ud800"}, r"Question 'q_1': question '\ud800' is no text"),
        ({"required_evidence_ids": None}, "it has no evidence: write required_evidence_ids, expected, or answerable: false"),
        ({"required_evidence_ids": []}, "it has no evidence"),
        (
            {"required_evidence_ids": None, "required_evidence_id": ["hr.pdf"]},
            "it has no evidence (its key 'required_evidence_id' is unknown)",
        ),
        (
            {"required_evidence_ids": None, "files": ["hr.pdf"], "task_type": "fact"},
            "it has no evidence (nothing reads its keys 'files'): write required_evidence_ids",
        ),
        (
            {"question": None, "questoin": "How?"},
            "question is missing (its key 'questoin' is unknown): write what to search for",
        ),
        ({"required_evidence_ids": "hr.pdf"}, "required_evidence_ids: write a list"),
        ({"required_evidence_ids": [""]}, 'Evidence id "": write a readable text'),
        ({"required_evidence_ids": [4]}, "Evidence 4: write a text or an object"),
        ({"expected": ["  "]}, 'Quote "  ": write a readable text'),
        ({"expected": [{"source": "hr.pdf", "pages": 4}]}, "unknown key 'pages'; did you mean 'page'?"),
        ({"expected": [{"source": "hr.pdf", "page": "4"}]}, 'page: write a whole number, not "4"'),
        ({"expected": [{"source": "hr.pdf", "page": True}]}, "page: write a whole number, not true"),
        ({"expected": [{"source": "hr.pdf", "page": 0}]}, "page 0: the first is 1"),
        ({"expected": [{"source": "hr.pdf", "chunk": 0}]}, "chunk 0: the first is 1"),
        ({"expected": [{"source": "hr.pdf", "page": 1, "quote": "x"}]}, "write one of page, quote"),
        ({"expected": [{"page": 1, "chunk": 2}]}, "write one of page, chunk"),
        ({"expected": [{"page": 1}]}, 'write {"source": ...} alone or with'),
        ({"expected": [{}]}, 'write {"source": ...} alone or with'),
        ({"expected": [{"source": 3}]}, "source 3: write a readable text"),
        ({"expected": [{"source": "hr.pdf", "start": 3}]}, 'write {"source": ..., "start": ..., "end": ...}'),
        ({"expected": [{"source": "hr.pdf", "start": 3, "end": 3}]}, "start must be smaller than end"),
        ({"expected": [{"source": "hr.pdf", "start": -1, "end": 3}]}, "start -1: the first is 0"),
        ({"references": [{"source": "hr.pdf", "page": 1}]}, 'write {"source": ..., "start": ..., "end": ...}'),
        ({"answerable": "no"}, 'answerable: write true or false, not "no"'),
        ({"answerable": "no", "required_evidence_ids": None}, 'answerable: write true or false, not "no"'),
        ({"answer": 5}, "answer: write a text or a list of texts"),
        ({"answer": [5]}, "answer: write a text or a list of texts"),
        ({"required_facts": "25 days"}, "required_facts: write a list of texts"),
        ({"task_type": 3}, "task_type 3 is no text"),
    ],
)
def test_mistakes_of_form(change, message):
    (error,) = errors({**GOOD, **change})
    assert message in error
    assert error.endswith(" (dataset.questions[0])")


def test_all_mistakes_of_all_questions_are_listed():
    found = errors({"id": "a", "question": " ", "answer": 1}, "b", {**GOOD, "expected": [{"pag": 1}, {"page": 1}]})
    assert len(found) == 3 + 1 + 2
    assert found[3] == 'dataset.questions[1]: a question must be an object: {"question": ...}'


def test_mistakes_of_form_and_of_resolving_are_raised_together():
    documents = {"hr.pdf": Document("hr.pdf", "text", "", pages=((0, 4),))}
    loaded = load([{**GOOD, "question": ""}, {**GOOD, "id": "q_2", "required_evidence_ids": ["hr.pdf#4"]}])
    with pytest.raises(InputErrors) as caught:
        resolve(loaded, documents)
    assert len(caught.value.messages) == 2


def test_broken_lines_are_listed_beside_the_others(tmp_path):
    good = json.dumps({"question": "What?", "expected": ["x"]})
    lines = [good, '{"question": "Wh', '{"question": "a", "question": "b"}', '{"question": NaN}', "[" * 100_000, good]
    loaded = load(write(tmp_path / "q.jsonl", "\n".join(lines)))
    assert [draft.id for draft in loaded.drafts] == ["q_001", "q_006"]
    assert [error.split(": ")[0] for error in loaded.errors] == ["q.jsonl:2", "q.jsonl:3", "q.jsonl:4", "q.jsonl:5"]
    assert "the key 'question' stands twice" in loaded.errors[1]
    assert "NaN is no JSON" in loaded.errors[2]


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("q.json", "[{]", r"q.json:1: no JSON .*column"),
        ("q.json", '{"question": "a"}\n{"question": "b"}', r"for one object a line name it .jsonl"),
        ("q.json", '{"question": "a"}', r"q.json: must be a list"),
        ("q.json", '{"questions": []}', r"must be a list: \[\{...\}, ...\], and this is an object of 'questions'$"),
        ("q.json", " \n", r"q.json is empty: write a list of questions, "),
        ("q.json", '[{"a": 1, "a": 2}]', r"q.json\[0\], line 1: the key 'a' stands twice"),
        ("q.json", '[{"a": 1},\n{"a": [2]},\n\n {"a": NaN}]', r"q.json\[2\], line 4: NaN is no JSON"),
        ("q.json", '{"a": [NaN]}', r"q.json: NaN is no JSON"),
        ("q.json", "[1,\n" + "[" * 100_000, r"q.json\[1\], line 2: it is nested too deep to be read"),
        ("q.json", "[]", r"no question in .*: write at least one"),
        ("q.jsonl", "\n \n", r"no question in .*: write at least one"),
        ("q.json", '\n\n["é"]'.encode("latin-1"), r"q.json:3: JSON must be UTF-8"),
        ("q.yaml", "[]", r"must be a .json or .jsonl file"),
    ],
)
def test_files_that_cannot_be_read_as_a_whole(tmp_path, name, text, message):
    with pytest.raises(InputError, match=message):
        load(write(tmp_path / name, text))


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(InputError, match="No such file"):
        load(tmp_path / "q.json")


def test_no_value_makes_reading_fail_otherwise():
    """Whatever stands where, it is a mistake with a message and no traceback."""
    chooser = random.Random(7)
    values = [None, True, 0, -1, 4.5, "", "hr.pdf", [], [None], [[]], {}, {"source": None}, {"source": "hr.pdf", "page": {}}]
    keys = ["id", "question", "required_evidence_ids", "expected", "references", "answerable", "answer", "required_facts"]
    for _ in range(2000):
        record = {key: chooser.choice([*values, [chooser.choice(values)]]) for key in keys}
        assert load([record]).errors


@pytest.mark.parametrize(("name", "where"), [("q.json", "q.json[0], line 1: "), ("q.jsonl", "q.jsonl:1: ")])
def test_a_number_of_too_many_digits_is_named(tmp_path, name, where):
    line = f'{{"id": "q1", "question": "What?", "expected": ["x"], "price": {"12345" * 1000}}}'
    (tmp_path / name).write_text(f"[{line}]" if name == "q.json" else line)
    said = f"{where}the number 12345123451234512345... has 5,000 digits: write it as a text, in quotes"
    try:
        assert load(tmp_path / name).errors == (said,)
    except InputError as error:
        assert str(error) == said


def test_a_label_of_thousands_of_characters_is_shown_by_its_beginning():
    loaded = load([{"id": "q1", "question": "What?", "required_evidence_ids": ["a.md#p" + "1" * 6000]}])
    assert len(loaded.drafts[0].labels[0].shown) < 400


def test_one_of_several_labels_is_told_by_its_place():
    (said,) = load([{"id": "q1", "question": "What?", "required_evidence_ids": ["a", 3]}]).errors
    assert said.endswith(" (dataset.questions[0], required_evidence_ids[1])")


def test_a_key_that_is_nearly_one_of_ours_is_noticed(tmp_path):
    """Other keys are kept without a word, and so is one beside the key that it is like."""
    asked = {"question": "How?", "expected": ["so"], "answerabel": False, "source_id": 3, "question_id": 7}
    (tmp_path / "q.jsonl").write_text(json.dumps(asked) + "\n")
    [draft] = load(tmp_path / "q.jsonl").drafts
    assert draft.remarks == ("its key 'answerabel' is kept, and nothing reads it; did you mean 'answerable'?",)
    assert draft.extra == {"answerabel": False, "source_id": 3, "question_id": 7}
