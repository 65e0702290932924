"""Values inside parts as axes, through the command line: names, what is one setup, and what is shared."""

import pytest


def planned(project, *overrides):
    ran = project("plan", "--files", "docs", "--questions", "questions.json", "rag_type=search", "n_jobs=1", *overrides)
    assert ran.code == 0, ran.err
    return ran.out, [line.removeprefix("  setup ") for line in ran.out.splitlines() if line.startswith("  setup ")]


@pytest.mark.parametrize(
    ("overrides", "names"),
    [
        (["dedupe=1.0,0.9,off"], ["dedupe=1.0", "dedupe=0.9", "dedupe=off"]),
        (["dedupe=off,1.0"], ["dedupe=off", "dedupe=1.0"]),
        (["retriever.dense_weight=0.3,0.7"], ["retriever.dense_weight=0.3", "retriever.dense_weight=0.7"]),
        (["retriever.bm25.k1=1.2,1.5"], ["retriever.bm25.k1=1.2", "retriever.bm25.k1=1.5"]),
        (["reranker=mmr", "reranker.lambda=0.5,0.7"], ["reranker.lambda=0.5", "reranker.lambda=0.7"]),
        (["language=english,german"], ["language=english", "language=german"]),
        (["retriever=dense", "reranker=overlap", "language=english,german"], ["language=english", "language=german"]),
        (["context_words=50,100"], ["context_words=50", "context_words=100"]),
        (["context_words=null,100"], ["context_words=null", "context_words=100"]),
        # what a part does not use makes no setup of its own
        (["retriever=dense", "language=english,german"], ["search + word"]),
        (["retriever=dense,bm25", "retriever.k1=1.2,1.5"], ["dense", "bm25 + retriever.k1=1.2", "bm25 + retriever.k1=1.5"]),
        (["retriever.fusion=convex", "retriever.rrf_k=10,60"], ["search + word"]),
        (["retriever.dense_weight=null,1.0"], ["retriever.dense_weight=1.0"]),
    ],
)
def test_names_and_what_is_one_setup(project, overrides, names):
    assert planned(project, *overrides)[1] == names


@pytest.mark.parametrize(
    ("axis", "indexes"),
    [
        ("retriever.bm25.k1=1.2,1.5", "2 keyword indexes"),
        ("retriever.dense_weight=0.3,0.7", "1 keyword index"),
        ("dedupe=1.0,off", "1 keyword index"),
        ("language=english,german", "2 keyword indexes"),
    ],
)
def test_what_is_built_once(project, axis, indexes):
    assert f"  bm25: {indexes}\n" in planned(project, axis)[0]


def test_dedupe_in_an_experiment_and_in_the_report(project):
    folder = project.experiment(
        "dataset: {files: docs, questions: questions.json}\nrag_type: search\nretriever: bm25\ntop_n: 2\n"
        "sweep: {dedupe: [off, 0.5, 1.0]}\n"
    )
    (folder / "docs" / "leave2.md").write_text("Staff have 25 days of leave. Unused days lapse in April.", encoding="utf-8")
    (folder / "docs" / "leave3.md").write_text("Staff have 25 days of leave! Unused days lapse in march.", encoding="utf-8")
    ran = project("run", "experiment=mine", "n_jobs=1")
    assert ran.code == 0, ran.err
    report = (ran.runs[0] / "report.csv").read_text("utf-8").splitlines()
    assert [line.split(",")[0] for line in report] == ["dedupe", "off", "0.5", "1.0"]
    column = report[0].split(",").index("dropped_copies")
    # The first question finds all three: one has equal words, the other shares 6 of 8 shingles.
    assert [int(line.split(",")[column]) for line in report[1:]] == [0, 2, 1]


# ---- values of parts in a file -------------------------------------------------------------------------------------------

BASE = "dataset: {files: docs, questions: questions.json}\nrag_type: search\nn_jobs: 1\n"


@pytest.mark.parametrize(
    ("text", "overrides", "names"),
    [
        # the same dots at the top as in sweep: and setups:
        ("retriever: bm25\nretriever.k1: 1.3\nsweep: {retriever.b: [0.1, 0.2]}", [], ["retriever.b=0.1", "retriever.b=0.2"]),
        ("retriever.rrf_k: 5\ndataset.root: docs\nreport.sort: ndcg", [], ["search + word"]),
        ("sweep.top_k: [5, 6]", [], ["top_k=5", "top_k=6"]),
        # what one option of the sweep has is unused by the others, also at the top
        ("retriever: {k1: 1.3}\nsweep: {retriever: [bm25, hybrid]}", [], ["bm25", "hybrid"]),
        ("retriever.k1: 1.3\nsweep: {retriever: [bm25, hybrid]}", [], ["bm25", "hybrid"]),
        # and when the command line leaves that option out
        ("retriever: bm25\nretriever.k1: 1.3", ["retriever=dense"], ["search + word"]),
        ("sweep: {reranker: glob(*), reranker.lambda: [0.3, 0.9]}", ["reranker=none"], ["search + word"]),
        ("sweep: {reranker: [mmr, blend], reranker.lambda: [0.3, 0.9]}", ["reranker=none,blend"], ["none", "blend"]),
        ("retriever: bm25\nsweep: {retriever.k1: [1, 2]}", ["retriever=hybrid"], ["search + word"]),
    ],
)
def test_values_of_parts_in_a_file(project, text, overrides, names):
    project.experiment(f"{BASE}{text}\n")
    ran = project("plan", "experiment=mine", *overrides)
    assert [line.removeprefix("  setup ") for line in ran.out.splitlines() if line.startswith("  setup ")] == names, ran.err


def test_a_value_with_dots_reaches_its_part(project):
    project.experiment(f"{BASE}retriever: bm25\nretriever.k1: 1.25\n")
    ran = project("run", "experiment=mine")
    assert "k1: 1.25\n" in next(ran.runs[0].glob("*/config.yaml")).read_text()


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("report: {sort: ndcg}\nreport.sort: p50", "mistake: report.sort: is written twice: write it once"),
        ("top_k: 5\ntop_k.x: 3", "mistake: top_k.x: top_k has a value of its own: write one of them"),
        ("retriever.kk: 5", "retriever.kk: unknown key; known: "),
        ("sweep: {retriever: [bm25, hybrid], retriever.kk: [5]}", "retriever.kk: unknown key; "),
    ],
)
def test_mistakes_with_dots(project, text, line):
    project.experiment(f"{BASE}{text}\n")
    ran = project("plan", "experiment=mine", "retriever=hybrid")
    assert ran.code == 2 and line in ran.err
