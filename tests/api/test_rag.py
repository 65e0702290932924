"""RAG and compare_setups: the numbers of the command line, and none of its machinery."""

import asyncio
import json
import logging
import subprocess
import sys
from copy import deepcopy
from types import SimpleNamespace

import pytest

from ragsweep import RAG, compare_setups, format_rag_report, format_report, load_questions, parse_questions
from ragsweep.cli import main
from ragsweep.errors import InputError, InputErrors, RagsweepError, WorkerError
from ragsweep.places import packaged
from scripted_server import Reply, scripted

POLICIES = packaged("experiments") / "policies"
TIMES = ("run", "p50_ms", "p95_ms")


def numbers(setup):
    """What report.json says of a setup, times aside."""
    return {key: value for key, value in setup.items() if key not in (*TIMES, "rows", "notices")}


def test_every_number_is_that_of_the_command_line_to_the_digit(rag, capsys, monkeypatch, hydra_restore_singletons):
    monkeypatch.setenv("HYDRA_FULL_ERROR", "1")
    files = ["--files", str(POLICIES / "documents"), "--questions", str(POLICIES / "questions.json")]
    values = ["chunk_size=60", "chunk_overlap=10", "top_k=5", "top_n=2"]
    assert main(["run", *files, *values, "rag_type=simple", "n_jobs=1", "--json"]) == 0
    (setup,) = json.loads(capsys.readouterr().out)["setups"]
    result = rag.evaluate(POLICIES / "questions.json")
    assert numbers(result) == numbers(setup)
    assert (result["recall"], result["status"], result["name"]) == (0.954545, "ok", "simple + word")
    assert capsys.readouterr() == ("", "")


def test_rows_say_what_happened(rag, questions):
    result = rag.evaluate(questions)
    rows = {row["id"]: row for row in result["rows"]}
    assert list(rows) == [question["id"] for question in questions]
    assert {key: rows["q_007"][key] for key in ("task_type", "recall", "found", "missed", "sources")} == {
        "task_type": "multi_hop",
        "recall": 0.5,
        "found": ["leave_policy.md"],
        "missed": ["expenses.md"],
        "sources": ["leave_policy.md", "leave_policy.md"],
    }
    assert rows["q_012"]["recall"] is None
    assert [step["name"] for step in rows["q_001"]["log"]] == ["retrieve", "rerank", "generate"]
    assert "25 paid leave days" in rows["q_001"]["answer"]
    answerable = [row["recall"] for row in rows.values() if row["recall"] is not None]
    assert result["recall"] == pytest.approx(sum(answerable) / 11, abs=1e-6)
    assert result["p95_ms"] >= result["p50_ms"] > 0
    json.dumps(result, allow_nan=False)
    assert repr(result).startswith("<simple + word: 12 of 12 questions, recall=0.954545 mrr=")
    again = deepcopy(result)
    assert again == result
    assert format_rag_report(again) == format_rag_report(result)


def test_a_question_is_answered_with_its_sources_and_its_log(rag):
    ran = rag.run("How many paid leave days do I get each year?")
    assert set(ran) == {"answer", "abstained", "sources", "log", "seconds", "status", "error"}
    assert ran["answer"] == rag.ask("How many paid leave days do I get each year?")
    assert (ran["abstained"], ran["status"], ran["error"], len(ran["sources"])) == (False, "answered", None, 2)
    first = ran["sources"][0]
    text = (POLICIES / "documents" / first["source"]).read_text(encoding="utf-8")
    assert first["cited"]
    assert first["text"] == text[first["start"] : first["end"]]
    assert ran["seconds"] == pytest.approx(sum(step["seconds"] for step in ran["log"]))
    assert rag.run("Does the company pay for a gym membership?")["abstained"]


def test_search_alone_is_cut_at_top_k(rag, questions):
    result = rag.evaluate_retrieval(questions, top_k=3)
    assert (result["options"]["rag_type"], result["options"]["top_k"], result["options"]["top_n"]) == ("search", 3, 3)
    assert "generator" not in result["options"]
    assert all(len(row["sources"]) == 3 and row["answer"] is None for row in result["rows"])
    assert "Recall@3" in format_report(result)
    assert rag.evaluate_retrieval(questions)["options"]["top_n"] == 2
    found = rag.search(questions[0]["question"], 3)
    assert [hit["source"] for hit in found] == result["rows"][0]["sources"]


def test_setups_share_what_they_compute_and_stand_in_the_order_given(documents, questions):
    shared = {"chunk_size": 60, "top_k": 5, "top_n": 2}
    setups = [
        {"name": "pages", "rag_type": "adaptive", "settings": {"chunker": "paragraph", "rag_type.max_retries": 1}},
        {"name": "one", "rag_type": "simple"},
        {"name": "the same", "settings": {"chunker": {"chunk_size": 60}, "retriever": {"bm25": {"k1": 1.5}}}},
    ]
    results = compare_setups(files=documents, questions=questions, setups=setups, settings=shared)
    assert [each["name"] for each in results] == ["pages", "one", "the same"]
    assert results[0]["options"]["chunker"] == "paragraph"
    one, same = ({**numbers(each), "name": None} for each in results[1:])
    assert one == same
    assert results[0]["recall"] != one["recall"]
    report = format_rag_report(results)
    assert [line.split("  ")[0] for line in report.splitlines()[4:7]] == ["pages", "one", "the same"]
    assert format_rag_report(results[:1]).count("\npages ") == 1


def test_two_processes_give_the_same(documents, questions):
    setups = [{"name": name, "settings": {"retriever": name}} for name in ("bm25", "dense")]
    one, two = (
        compare_setups(files=documents, questions=questions, setups=setups, settings={"n_jobs": n_jobs}) for n_jobs in (1, 2)
    )
    assert list(map(numbers, one)) == list(map(numbers, two))
    assert [each["run"]["jobs"] for each in two] == [2, 2]


def test_a_setup_that_cannot_run_is_a_row_with_its_reason(documents, questions, monkeypatch):
    def broken(*_):
        raise RuntimeError("no ranking today")

    monkeypatch.setattr("ragsweep.retrievers.bm25.Bm25.rank", broken)
    rag = RAG(settings={"retriever": "bm25"}).index(documents)
    result = rag.evaluate(questions)
    assert (result["status"], result["recall"], result["n_ok"], result["p50_ms"]) == ("failed", None, 0, None)
    assert {row["error"] for row in result["rows"]} == {"RuntimeError: no ranking today"}
    assert rag.run("Why?")["status"] == "failed"
    for call in (lambda: rag.ask("Why?"), lambda: rag.search("Why?", 2)):
        with pytest.raises(WorkerError, match="no ranking today"):
            call()


def test_a_server_that_goes_away_fails_what_is_asked_and_not_the_rest(documents):
    with scripted(*[Reply(body={"data": [{"index": 0, "embedding": [1.0, 0.0]}]})] * 40) as server:
        part = {"model": "m", "base_url": f"{server.url}/v1", "batch_size": 1, "limits": {"retries": 0}}
        settings = {
            "retriever": "dense",
            "rag_type": "search",
            "embedder": "openai",
            **{f"embedder.{k}": v for k, v in part.items()},
        }
        rag = RAG(settings={**settings, "chunker": "page", "embedder.verify_batch": False}).index(documents)
        assert len(rag.search("Why?", 2)) == 2
    ran = rag.run("Why?")
    assert (ran["status"], ran["answer"], ran["sources"]) == ("failed", None, [])
    assert ran["error"].startswith("ServerError: ")
    with pytest.raises(WorkerError, match="ServerError: "):
        rag.search("Why?", 2)


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"chunk_sise": 60}, ["chunk_sise: unknown key; did you mean 'chunk_size'?"]),
        ({"retriever.k1": 2}, ["retriever.k1: unknown key; known: "]),
        (
            {"retriever": "bm52", "top_n": 9, "top_k": 3},
            ["retriever=bm52: there is no such option", "top_n=9 is more than top_k=3"],
        ),
        ({"retriever": {"bm25": {"k": 2}}}, ["retriever.bm25.k: unknown key"]),
        ({"chunker": ["word", "page"]}, ["chunker=[", "there is no such option"]),
        ({"reranker": None}, ["reranker=null: there is no such option; use none"]),
        ({"top_k": 2.5}, ["top_k=2.5: write a whole number"]),
        ({"top_k": float("nan")}, ["top_k=nan: write a plain value"]),
        ({"chunker": object}, ["chunker=<class 'object'>: write a plain value"]),
        ({"sweep": {"top_k": [1, 2]}}, ["sweep: is for runs of the command line"]),
        ({"judge": "openai", "judge.model": "m"}, ["judge: is for runs of the command line"]),
        ({"dataset.files": "docs"}, ["dataset.files: is given to the call, as files="]),
        ({"dataset": {"on_bad_fil": "skip"}}, ["dataset.on_bad_fil: unknown key; did you mean 'on_bad_file'?"]),
        ({"rag_type": "search"}, ["rag_type='simple' and settings['rag_type']='search': write one of them"]),
        ({5: 5}, ["5: unknown key"]),
    ],
)
def test_all_mistakes_in_settings_are_said_before_any_work(settings, said):
    with pytest.raises(InputErrors) as caught:
        RAG("simple", settings)
    assert isinstance(caught.value, ValueError)
    assert len(caught.value.messages) == len(said) or len(said) == 2
    assert all(any(part in message for message in caught.value.messages) for part in said)


def test_all_mistakes_of_a_comparison_are_said_at_once(documents):
    setups = [
        {"name": "a", "setings": {}},
        {"settings": {"chunker": "wrod"}},
        {"name": "b", "settings": {"evidence_match": "single", "chunker.sise": 3}, "rag_type": "adaptiv"},
        {"name": "b", "settings": 5},
        "simple",
    ]
    questions = [{"id": "q", "question": "?", "expected": ["nowhere at all"]}]
    with pytest.raises(InputErrors) as caught:
        compare_setups(files=[documents], questions=questions, setups=setups)
    for part in (
        "setups[0].setings: unknown key; did you mean 'settings'?",
        "setups[1]: write a name in it",
        "chunker=wrod: there is no such option; did you mean 'word'?",
        "setup 'b': evidence_match: is one for all setups",
        "setup 'b': chunker.sise: unknown key",
        "setup 'b': rag_type=adaptiv: there is no such option; did you mean 'adaptive'?",
        "setups[3].settings=5: write keys and values",
        "setups[4]='simple': write {'name': 'pages'",
        "the name 'b' is given twice",
        "it does not occur in any of 3 documents",
    ):
        assert any(part in message for message in caught.value.messages), part
    with pytest.raises(InputErrors, match="setups: write at least one"):
        compare_setups(files=[documents], questions=questions, setups=[])


def test_what_is_asked_too_early_or_is_no_question(rag):
    with pytest.raises(InputError, match=r"write rag\.index\(files\) first"):
        RAG().ask("Why?")
    for question in ("  ", None, "half \ud800 of a pair"):
        with pytest.raises(InputError, match="write what to ask"):
            rag.run(question)
    for k in (0, -1, 2.5, True, "3"):  # a search for -1 chunks would never end
        with pytest.raises(InputError, match="write a whole number of 1 or more"):
            rag.search("How many days?", k)
    with pytest.raises(InputErrors, match="write names and values"):
        RAG(settings=["chunker"])
    with pytest.raises(InputErrors, match="no-such"):
        RAG().index("no-such-folder")
    with pytest.raises(InputErrors, match="files=5: write a path, or a list of paths"):
        RAG().index(5)
    with pytest.raises(InputErrors, match="questions=None: write a path, or a list of questions"):
        rag.evaluate(None)
    with pytest.raises(InputError, match="dict: no result of ragsweep"):
        format_report([{"recall": 1}])
    search = RAG("search", {"retriever": "bm25"}).index(POLICIES / "documents")
    with pytest.raises(InputError, match="rag_type=search gives no answer"):
        search.ask("How many days?")
    assert len(search.run("How many days?")["sources"]) == 5


def test_progress_is_said_on_stderr_only_when_it_is_wanted(documents, questions, tmp_path, capsys):
    settings = {"retriever": "bm25", "generator": "extractive", "store": {"dir": tmp_path}}
    RAG(settings=settings, progress=True).index(documents)
    out, err = capsys.readouterr()
    assert out == ""
    assert "embedded" in err
    handler = logging.StreamHandler()  # as logging.basicConfig makes it, for warnings
    logging.getLogger().addHandler(handler)
    RAG(settings={**settings, "chunk_size": 50}).index(documents).evaluate(questions)
    logging.getLogger().removeHandler(handler)
    assert capsys.readouterr() == ("", "")


def test_a_running_event_loop_does_not_matter(rag, questions):
    async def cell():
        return rag.evaluate(questions[:2])["n"]

    assert asyncio.run(cell()) == 2


def test_rows_become_a_data_frame_where_pandas_is_there(rag, questions, monkeypatch):
    result = rag.evaluate(questions[:2])
    monkeypatch.setitem(sys.modules, "pandas", SimpleNamespace(DataFrame=lambda rows: ("frame", rows)))
    assert result.to_pandas() == ("frame", result["rows"])
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(RagsweepError, match="pip install pandas"):
        result.to_pandas()


def test_questions_are_plain_dicts_of_a_file_or_a_text(tmp_path):
    lines = '{"question": "One?", "expected": ["x"], "team": "A"}\n\n{"id": "b", "question": "Two?", "answerable": false}\n'
    (tmp_path / "questions.jsonl").write_text(lines, encoding="utf-8")
    expected = [
        {"id": "q_001", "question": "One?", "expected": ["x"], "team": "A"},
        {"id": "b", "question": "Two?", "answerable": False},
    ]
    assert load_questions(tmp_path / "questions.jsonl") == parse_questions(lines) == expected
    assert parse_questions(f"\ufeff {json.dumps(expected)}") == expected
    with pytest.raises(InputErrors) as caught:
        parse_questions('[{"question": "One?"}, {"id": "b", "question": "Two?", "answerable": "no"}]')
    assert len(caught.value.messages) == 3
    with pytest.raises(InputError, match="no question in the text"):
        parse_questions("")
    with pytest.raises(InputError, match=r"must be a \.json or \.jsonl file"):
        load_questions(tmp_path / "questions.txt")


CHILD = """
import sys
import ragsweep
assert "numpy" not in sys.modules and "ragsweep.api" not in sys.modules
from ragsweep import RAG, evaluate_retriever
assert sorted(ragsweep.__all__) == sorted(ragsweep.api.__all__)
files, questions = sys.argv[1:]
rag = RAG(settings={"rag_type": "search", "retriever": "bm25"}).index(files)
rag.run("How many days?")
rag.evaluate(questions)
evaluate_retriever(rag, questions, files=files)
print(sorted({name.partition(".")[0] for name in sys.modules} & {"hydra", "omegaconf", "hydra_plugins", "joblib", "antlr4"}))
"""


def test_nothing_of_hydra_is_loaded_and_the_door_opens_when_it_is_asked_for(tmp_path):
    command = [sys.executable, "-c", CHILD, str(POLICIES / "documents"), str(POLICIES / "questions.json")]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == ("[]\n", "")
