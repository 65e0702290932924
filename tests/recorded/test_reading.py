"""Files of recorded runs: what is read, and every mistake with its file and line."""

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragsweep.contexts.reading import Context
from ragsweep.recorded import read
from ragsweep.recorded.rows import KEYS, Row, read_row

WHOLE = {
    "id": "q1",
    "answer": "20 days",
    "abstained": False,
    "contexts": [{"text": "a", "source": "x.md", "page": 2, "start": 3, "end": 9, "score": 0.5}, "b"],
    "citations": [2],
    "seconds": 1.5,
    "tokens": {"input": 900, "output": 60},
}
ROW = Row(
    "ours",
    "",
    "q1",
    answer="20 days",
    abstained=False,
    contexts=(Context("a", "x.md", (2,), (3, 9), 0.5), Context("b")),
    citations=(2,),
    seconds=1.5,
    tokens=(900, 60),
)


def lines(*rows):
    return "".join(json.dumps(row) + "\n" for row in rows)


def rows_of(path: Path, text: str, encoding: str = "utf-8") -> list[Row]:
    path.write_text(text, encoding=encoding, newline="")
    found = read([path])
    assert not found.mistakes
    return [Row(**{name: getattr(row, name) for name in Row.__dataclass_fields__} | {"where": ""}) for row in found.rows]


TABLE = 'id,answer,abstained,contexts,citations,seconds,tokens\r\nq1,20 days,false,"{}",[2],1.5,"{}"\r\n'.format(
    *(json.dumps(WHOLE[key]).replace('"', '""') for key in ("contexts", "tokens"))
)


@pytest.mark.parametrize(
    ("name", "text"), [("ours.jsonl", lines(WHOLE)), ("ours.json", json.dumps([WHOLE])), ("ours.csv", TABLE)]
)
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_all_formats_say_the_same(tmp_path, name, text, encoding):
    assert rows_of(tmp_path / name, text, encoding) == [ROW]


def test_all_but_id_is_optional_and_null_and_an_empty_cell_say_nothing(tmp_path):
    bare = Row("ours", "", "q1")
    assert rows_of(tmp_path / "ours.jsonl", lines({"id": "q1", "answer": None})) == [bare]
    assert rows_of(tmp_path / "ours.csv", "id,answer,contexts\nq1,,\n") == [bare]


def test_a_file_may_hold_several_systems(tmp_path):
    found = rows_of(tmp_path / "all.jsonl", lines({"id": "q1", "system": "a"}, {"id": "q1", "system": "b"}, {"id": "q1"}))
    assert [row.system for row in found] == ["a", "b", "all"]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        (
            "r.jsonl",
            lines({"user_input": "Who?", "retrieved_contexts": ["a'b", "c"], "response": "I.", "faithfulness": 0.5}),
        ),
        ("r.csv", 'user_input,retrieved_contexts,response,reference\nWho?,"[""a\'b"", \'c\']",I.,She.\n'),
        ("r.csv", 'user_input,retrieved_contexts,response,reference\nWho?,"[""a\'b"", ""c""]",I.,She.\n'),
        ("r.csv", 'user_input,retrieved_contexts,response,reference_contexts\nWho?,"[""a\'b"", ""c""]",I.,[no list\n'),
        ("r.jsonl", lines({"question": "Who?", "contexts": ["a'b", "c"], "answer": "I.", "ground_truths": ["She."]})),
        ("r.csv", 'question,contexts,answer,ground_truth,faithfulness\nWho?,"[""a\'b"", \'c\']",I.,She.,nan\n'),
    ],
)
def test_columns_of_ragas(tmp_path, name, text):
    assert rows_of(tmp_path / name, text) == [
        Row("r", "", question="Who?", answer="I.", contexts=(Context("a'b"), Context("c")))
    ]


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("broken", "ours.jsonl:2: no JSON (Expecting value at column 1)"),
        ("[1]", "ours.jsonl:2: a record must be an object"),
        ('{"answer": "a"}', "ours.jsonl:2: id is missing"),
        ('{"id": "q", "id": "q"}', "ours.jsonl:2: the key 'id' stands twice"),
        ('{"id": 7}', "ours.jsonl:2: id: 7: write a text"),
        ('{"id": "q", "seconds": NaN}', "ours.jsonl:2: NaN is no JSON"),
        ('{"id": "q", "seconds": 1e999}', "ours.jsonl:2: 'q': seconds: inf: write a number of 0 or more"),
        ('{"id": "q", "seconds": true}', "'q': seconds: True: write a number"),
        ('{"id": "q", "answer": ["a"]}', "'q': answer: ['a']: write a text"),
        ('{"id": "q", "context": ["a"]}', "'q': context: there is no such key; did you mean 'contexts'?"),
        ('{"id": "q", "contexts": "a"}', "'q': contexts: 'a': write a list"),
        ('{"id": "q", "contexts": [3]}', "'q': contexts[0]: 3: write a text, or"),
        ('{"id": "q", "contexts": [{"score": 1}]}', "'q': contexts[0]: write its text"),
        ('{"id": "q", "contexts": ["a", {"source": "b", "page": 0}]}', "'q': contexts[1].page: 0: write a whole number"),
        ('{"id": "q", "contexts": [{"text": "a", "page": 2}]}', "'q': contexts[0].source is missing"),
        ('{"id": "q", "contexts": [{"source": "b", "start": 2}]}', "'q': contexts[0]: write start and end, or none"),
        ('{"id": "q", "contexts": [{"source": "b", "pages": 2}]}', "'q': contexts[0].pages: there is no such key"),
        ('{"id": "q", "contexts": ["a"], "citations": [2]}', "'q': citations: 2: write the number of a context; there are 1"),
        ('{"id": "q", "citations": [0]}', "'q': citations: [0]: write a list of numbers of contexts, the first is 1"),
        ('{"id": "q", "tokens": 900}', "'q': tokens: 900: write those read and written, as in"),
    ],
)
def test_a_broken_line_is_told_and_the_others_are_read(tmp_path, line, said):
    path = tmp_path / "ours.jsonl"
    path.write_text(f'{{"id": "q0"}}\n{line}\n{{"id": "q9"}}\n', encoding="utf-8")
    found = read([path])
    assert [row.id for row in found.rows] == ["q0", "q9"]
    assert len(found.mistakes) == 1
    assert said in found.mistakes[0]


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("ours.jsonl", "", "ours.jsonl: is empty"),
        ("ours.csv", "id,answer\n", "ours.csv: is empty"),
        ("ours.csv", "id,id,answer\nq,r,yes\n", "ours.csv:1: the column 'id' stands there twice: remove one"),
        ("ours.csv", "id,contxts,x\nq,[],\n", "ours.csv:1: there is no column 'contxts': did you mean 'contexts'?; 'x': known"),
        ("ours.csv", "id,contexts\nq,oops\n", "ours.csv:2: contexts: 'oops' is no JSON"),
        ("ours.csv", "id,answer\nq,a,b\n", "ours.csv:2: it has more cells than there are columns"),
        ("ours.jsonl", '{"id": "q", "answer": a}', "write one object a line"),
        (
            "ours.jsonl",
            '{"user_input": "q", "retrieved_contexts": "text"}',
            "ours.jsonl:1: retrieved_contexts: 'text': write a list",
        ),
        (
            "ours.jsonl",
            '{"user_input": "q", "retrieved_contexts": [7]}',
            "ours.jsonl:1: retrieved_contexts[0]: 7: write a text",
        ),
        ("ours.txt", "a", "must be a .jsonl, .json or .csv file"),
        ("ours.json", '{"id": "q"}', "ours.json: must be a list"),
    ],
)
def test_a_file_that_cannot_be_read(tmp_path, name, text, said):
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    (mistake,) = read([path]).mistakes
    assert said in mistake


def test_latin_1_and_a_file_that_is_not_there(tmp_path):
    path = tmp_path / "ours.jsonl"
    path.write_bytes('{"id": "q0"}\n{"id": "é"}'.encode("latin-1"))
    found = read([path, tmp_path / "no.jsonl"])
    assert found.mistakes[0] == "ours.jsonl:2: save the file as UTF-8"
    assert "no.jsonl: cannot be read: No such file" in found.mistakes[1]


def test_a_million_characters_in_a_cell(tmp_path):
    (row,) = rows_of(tmp_path / "ours.csv", f"id,answer\nq,{'a' * 1_000_000}\n")
    assert len(row.answer or "") == 1_000_000


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["text", "source", "page", "start", "end", "score", "input", "output", "x"]), inner)
    ),
    max_leaves=6,
)


@settings(max_examples=200)
@given(st.dictionaries(st.sampled_from([*KEYS, "user_input", "response", "retrieved_contexts", "x"]), VALUES) | VALUES)
def test_any_json_is_a_row_or_a_mistake(value):
    row, mistakes = read_row(value, "ours.jsonl:1", "ours")
    assert (row is None) == bool(mistakes)
    assert all(said.startswith("ours.jsonl:1: ") for said in mistakes)
