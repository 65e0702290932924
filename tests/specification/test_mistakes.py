"""Mistakes that people make, each answered in one line before any work; the line says what to write."""

import json

import pytest


@pytest.mark.parametrize(
    ("override", "line"),
    [
        ("retriever=vector", "retriever=vector: there is no such option; use dense (retriever=? lists all)"),
        ("retriever=Semantic", "retriever=Semantic: there is no such option; use dense (retriever=? lists all)"),
        ("retriever=keyword", "retriever=keyword: there is no such option; use bm25 (retriever=? lists all)"),
        ("retriever=bm25s", "retriever=bm25s: there is no such option; did you mean 'bm25'? (retriever=? lists all)"),
        ("retriever=no", "retriever=no: there is no such option; known: bm25, dense, http, hybrid (retriever=? lists all)"),
        ("reranker=null,blend", "reranker=null: there is no such option; use none (reranker=? lists all)"),
        ("reranker=off", "reranker=off: there is no such option; use none (reranker=? lists all)"),
        ("length=tiktoken:x", "length='tiktoken:x': write 'words', 'characters', 'tokens' or 'tiktoken:cl100k_base'"),
        (("chunker=recursive", "chunker.separators=abc"), "chunker.separators='abc': write a list, as in [a, b], or null"),
        ("dedupe=no", "dedupe='no': write a number or 'off'"),
        ("context_words=off", "context_words='off': write a whole number, or null"),
        ("dataset.passwords=3", "dataset.passwords=3: write a list, as in [a, b] or keys and values"),
        ("chunk_size=many", "chunk_size='many': write a whole number, or null"),
        (("retriever=bm25", "retriever.bm25.k1=1.2"), "retriever.bm25.k1: unknown key; write retriever.k1"),
        (("retriever=hybrid", "retriever.k1=1.2"), "retriever.k1: unknown key; write retriever.bm25.k1"),
        ("language=German", "language='German': did you mean 'german'?"),
        ("dedupe=0", "dedupe=0: write a number over 0 or 'off'"),
        ("dedupe=1.5", "dedupe=1.5: write a number up to 1 or 'off'"),
        ("context_words=0", "context_words=0: write a whole number of 1 or more"),
        (
            ("top_n=2", "context_words=100"),
            "top_n=2 and context_words=100 both say how many hits are kept: leave out top_n, or write context_words=null",
        ),
        (("reranker=mmr", "reranker.lambda=2"), "reranker: lambda=2.0 must be from 0 to 1: write lambda=0.7"),
        ("hydra.launcher.n_jobs=-1", "hydra.launcher.n_jobs=-1: write a whole number of 1 or more"),
        ("hydra.launcher=basic", "hydra.launcher=basic: write hydra/launcher=basic"),
        (("reranker=mmr", "reranker.lambda=no"), "reranker.lambda='no': write a number"),
    ],
)
def test_values(project, override, line):
    ran = project.files("plan", *([override] if isinstance(override, str) else override))
    assert ran.code == 2
    assert ran.err.splitlines() == ["1 mistake found before any work:", f"  {line}"]


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("retriever: no", "retriever=false: there is no such option; known: bm25, dense, http, hybrid (retriever=? lists all)"),
        ("reranker: null", "reranker=null: there is no such option; use none (reranker=? lists all)"),
        ("reranker: off", "reranker=false: there is no such option; use none (reranker=? lists all)"),
    ],
)
def test_an_option_that_yaml_turns_is_one_line(project, text, line):
    project.experiment(f"dataset: {{files: docs, questions: questions.json}}\n{text}\n")
    assert project("plan", "experiment=mine").err == f"mistake: {line}\n"


def test_words_that_yaml_turns(project):
    project.experiment(
        "dataset: {files: docs, questions: questions.json}\npdf: no\nsweep: {reranker: [null, blend], dedupe: [1.0, off]}\n"
    )
    assert project("plan", "experiment=mine").err.splitlines()[1:] == [
        "  experiment.yaml:2: pdf: no is read as a truth value: write 'no' in quotes for text, else true or false",
        "  pdf=False: write 'pypdf' or 'pdfium'",
        "  reranker=null: there is no such option; use none (reranker=? lists all)",
    ]


@pytest.mark.parametrize(
    ("sweep", "line"),
    [
        ("sweep: {chunk_size: range(100, 50)}", "sweep.chunk_size=range(100: YAML ends it at the comma: write it in quotes, "),
        (
            "sweep: {chunk_size: range(100,301,100)}",
            "experiment.yaml:2: chunk_size: range(100: YAML ends it at the comma: write it ",
        ),
        (
            "top_k: range(5,11,5)",
            "top_k='range(5,11,5)': write a whole number; several are an axis, under sweep or as top_k=5,10",
        ),
        ("chunk_size: [50, 60]", "chunk_size=[50, 60]: write a whole number, or null; several are an axis, under sweep or as "),
        ("score_at.0: 3", "score_at: write a list, as in score_at: [1, 5, top_k]"),
        ("gate: {setup: a}", "gate: names no metric: write one, as in gate: {recall: 0.9}"),
        (
            "gate: {bestness: 1}",
            "gate.bestness: there is no such metric; there are recall, mrr, ndcg, hit, all, precision, answered",
        ),
        (
            "gate: {reacll: 1}",
            "gate.reacll: there is no such metric; did you mean 'recall'?",
        ),
        ("gate: {recall: 90}", "gate.recall=90: write a number from 0 to 1, 0.9 for 90 %"),
        ("gate: {recall: -1}", "gate.recall=-1: write a number from 0 to 1"),
        ("sweep: {chunk_size: 'range(9,4)'}", "sweep.chunk_size=range(9,4): holds no value; write range(first,end,step) with "),
        ("sweep: {chunk_size: glob(*)}", "sweep.chunk_size=glob(*): glob chooses options of a part, such as chunker; write "),
        (
            "sweep: {chunk_size: 'range(1,301)', top_k: 'range(1,41)'}",
            "sweep: chunk_size 300 x top_k 40 values make 12,000 combinations, more than 10,000: write fewer, or sweep_mode=",
        ),
    ],
)
def test_axes_of_a_file(project, sweep, line):
    project.experiment(f"dataset: {{files: docs, questions: questions.json}}\n{sweep}\n")
    ran = project("plan", "experiment=mine")
    said = ran.err.removeprefix("1 mistake found before any work:\n  ").removeprefix("mistake: ")
    assert (ran.code, said.count("\n"), said.startswith(line)) == (2, 1, True), ran.err


@pytest.mark.parametrize(
    ("given", "line"),
    [
        ("experimnt=policies", "experimnt: unknown key; did you mean 'experiment'?"),
        ("score_at.0=3", "score_at.0: score_at has no keys: write its whole value, score_at=..."),
    ],
)
def test_keys_that_are_none_on_the_command_line(project, given, line):
    assert project("plan", given).err.splitlines()[1:] == [f"  {line}"]


def test_an_experiment_in_a_yml_file_is_found_by_its_path_and_said_by_its_name(project):
    folder = project.experiment("dataset: {files: docs, questions: questions.json}\nrag_type: search\nretriever: bm25\n")
    (folder / "experiment.yaml").rename(folder / "experiment.yml")
    assert project("plan", "experiments/mine/experiment.yml").code == 0
    ran = project("plan", "experiment=mine")
    assert (ran.code, "is not looked at: name it experiment.yaml, or write its path" in ran.err) == (2, True)


@pytest.mark.parametrize("given", ["files", "questions", "both"])
def test_files_that_moved_away_from_their_experiment(project, given):
    project.experiment(
        "dataset: {files: ['../../docs/*.md'], questions: ../../questions.json}\nrag_type: search\nretriever: bm25\n"
    )
    assert project("plan", "experiment=mine").code == 0
    for name, place in {"docs": "files", "questions.json": "questions"}.items():
        if given in (place, "both"):
            (project.root / name).rename(project.root / f"moved {name}")
    ran = project("plan", "experiment=mine")
    assert ran.code == 2
    assert ran.err.splitlines()[-1] == (
        "      where the files or questions of experiment=mine moved, write their new place: "
        "dataset.files=PATH and dataset.questions=PATH, here or in its file"
    )
    new = ["--files", "moved docs"] * (given != "questions") + ["--questions", "moved questions.json"] * (given != "files")
    assert project("plan", "experiment=mine", *new).code == 0


def plan(project, questions, name="questions.json"):
    """The lines of mistakes, none when the plan is good."""
    (project.root / name).write_bytes(questions)
    given = ("--files", "docs", "--questions", name, "rag_type=search", "retriever=bm25", "n_jobs=1")
    ran = project("plan", *given)
    return ran.err.splitlines()[1:] if ran.code == 2 else []


GOOD = b'[{"id": "q1", "question": "How many days?",\n "required_evidence_ids": ["leave.md"]}]\n'
LINES = b'{"question": "How many days?", "expected": ["25 days"]}\n{"question": "Who?", "expected": ["manager"]}\n'


@pytest.mark.parametrize(
    "change",
    [
        lambda data: b"\xef\xbb\xbf" + data,
        lambda data: data.replace(b"\n", b"\r\n"),
        lambda data: data.decode().encode("utf-16"),
        lambda data: data.decode().encode("utf-32"),
    ],
)
@pytest.mark.parametrize(("data", "name"), [(GOOD, "q.json"), (LINES, "q.jsonl")])
def test_a_bom_and_crlf_are_read(project, change, data, name):
    assert plan(project, change(data), name) == []


@pytest.mark.parametrize(
    ("data", "name", "line"),
    [
        (GOOD.replace(b'"]', b'",]'), "q.json", "  q.json:2: no JSON (a comma too many before ] or } at column "),
        (GOOD.replace(b"}]", b"},\n]"), "q.json", "  q.json:"),
        (GOOD.replace(b"]}", b"],}"), "q.json", "  q.json:2: no JSON (a comma too many before ] or } at column "),
        (LINES.replace(b"]}\n{", b"],}\n{"), "q.jsonl", "  q.jsonl:1: no JSON (a comma too many before ] or } at column "),
        (GOOD.replace(b"leave", b"Leave"), "q.json", "  Question 'q1': Evidence id 'Leave.md': upper and lower case count: "),
    ],
)
def test_questions(project, data, name, line):
    [said] = plan(project, data, name)
    assert said.startswith(line) and ("comma too many" in said or "write 'leave.md'" in said)


def test_a_folder_without_files(project):
    (project.root / "empty").mkdir()
    ran = project("plan", "--files", "empty", "--questions", "questions.json")
    [_, said] = ran.err.splitlines()
    assert ran.code == 2 and said.startswith("  dataset.files: no file to read in ") and "supported are .txt" in said


# ---- chunk labels --------------------------------------------------------------------------------------------------------


def chunk_labels(project, *numbers):
    labels = [{"source": "leave.md", "chunk": number} for number in numbers]
    project.questions([{"id": "q1", "question": "How many days?", "expected": labels}])
    return project.files("plan", "chunker=word,page", "chunk_size=7", "chunk_overlap=0")


def test_a_chunk_label_past_the_end_for_some_chunkers_is_a_notice(project):
    ran = chunk_labels(project, 1, 2)
    assert ran.code == 0 and "a chunk label changes its meaning with the chunker" in ran.out
    assert (
        "notice: Question 'q1': 'leave.md chunk 2' is past the last chunk of its document: page 1 (questions.json[0]); "
        "setups with these cannot find it"
    ) in ran.out


def test_a_chunk_label_past_the_end_for_all_of_them_is_a_mistake(project):
    ran = chunk_labels(project, 2, 3)
    assert ran.code == 2
    assert ran.err.splitlines()[1:] == [
        "  Question 'q1': 'leave.md chunk 3' is past the last chunk of its document: word 2, page 1 (questions.json[0])"
    ]


def test_a_chunk_label_scores_by_the_number_in_its_document(project):
    chunk_labels(project, 2)
    ran = project.files("run", "chunker=word,page", "chunk_size=7", "chunk_overlap=0", "--json")
    report = json.loads(ran.out)
    assert {setup["name"]: setup["recall"] for setup in report["setups"]} == {"word": 1, "page": 0}
    assert [bound["recall"] for bound in report["ceilings"]] == [1, 0]
