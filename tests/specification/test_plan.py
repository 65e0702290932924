"""SPEC 0 (the experiment file) and the run folder, names and order of SPEC 7, through the real command line."""

import json
import re

import pytest

YAML = "dataset: {files: docs, questions: questions.json}\nrag_type: search\nretriever: bm25\nn_jobs: 1\n"


@pytest.fixture
def planned(project, monkeypatch):
    """The setups of a plan as the run would freeze them: (name, options)."""
    seen = []

    def keep(wanted):
        from ragsweep.store import Store
        from ragsweep.sweep.plan import make_plan

        seen.append(make_plan(wanted, Store(project.root / "store")))
        return 0

    monkeypatch.setattr("ragsweep.sweep.run.show_plan", keep)

    def plan(*arguments):
        ran = project("plan", *arguments)
        assert ran.code == 0, ran.err
        return {setup.name: setup for setup in seen[-1].setups}

    return plan


# ---- SPEC 0 --------------------------------------------------------------------------------------------------------------


def test_the_defaults(planned):
    (setup,) = planned("--files", "docs", "--questions", "questions.json").values()
    assert setup.name == "simple + word"
    assert setup.options == {
        "rag_type": "simple",
        "chunker": "word",
        "embedder": "minilm",
        "retriever": "hybrid",
        "reranker": "none",
        "generator": "extractive",
        "chunk_size": 160,
        "chunk_overlap": 20,
        "length": "words",
        "top_k": 30,
        "top_n": 5,
        "context_words": None,
        "language": "english",
        "dedupe": 1.0,
    }


@pytest.mark.parametrize(("top_k", "top_n"), [(3, 3), (5, 5), (9, 5)])
def test_top_n_null_is_five_or_top_k(planned, top_k, top_n):
    (setup,) = planned("--files", "docs", "--questions", "questions.json", f"top_k={top_k}").values()
    assert setup.setup.top_n == top_n


def test_the_example_of_the_specification(planned, project):
    project.experiment(
        "dataset: {files: docs, questions: questions.json}\n"
        "top_k: 10\n"
        "sweep:\n"
        "  rag_type: [simple, adaptive]\n"
        "  chunker: [word, paragraph]\n"
        "  chunk_size: [100, 200]\n"
        "  reranker: [none, blend]\n"
        "setups:\n"
        "  - {name: keyword pages, rag_type: search, chunker: page, retriever: bm25}\n"
    )
    setups = planned("experiment=mine")
    assert len(setups) == 2 * 2 * 2 * 2 + 1
    assert next(iter(setups)) == "simple + word + none + chunk_size=100"
    assert list(setups)[-1] == "keyword pages"
    assert all(setup.setup.top_k == 10 for setup in setups.values())


@pytest.mark.parametrize("dataset", ["docs", "[docs]", "docs/*.md", "[docs/leave.md, docs/remote.md]", "./docs/"])
def test_files_are_a_folder_a_glob_or_a_list_of_them(planned, project, dataset):
    project.experiment(YAML.replace("files: docs", f"files: {dataset}"))
    assert len(planned("experiment=mine")) == 1


def test_questions_may_stand_in_the_yaml(planned, project):
    questions = "questions: [{id: a, question: leave, required_evidence_ids: [leave.md]}]"
    project.experiment(YAML.replace("questions: questions.json", questions))
    assert len(planned("experiment=mine")) == 1


def test_a_key_that_some_swept_option_has_is_unused_not_unknown_for_the_others(planned, project):
    given = ["--files", "docs", "--questions", "questions.json", "rag_type=search"]
    setups = planned(*given, "retriever=bm25,dense", "retriever.k1=1,2", "retriever.b=0.5")
    assert list(setups) == ["bm25 + retriever.k1=1.0", "bm25 + retriever.k1=2.0", "dense"]
    assert setups["dense"].folded == ("retriever.k1=2",)
    ran = project("plan", *given, "retriever=dense", "retriever.k1=1")
    assert (ran.code, "retriever.k1: unknown key" in ran.err) == (2, True)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("top_k: 4\ntop_n: 6", "top_n=6 is more than top_k=4: write top_n=4 or a larger top_k"),
        ("sweep: {top_k: [9, 4], top_n: [3, 6]}", "top_n=6 is more than top_k=4: write top_n=4 or a larger top_k"),
        ("chunk_size: 10\nchunk_overlap: 10", "chunk_overlap=10 must be smaller than chunk_size=10: write chunk_overlap=1"),
        ("chunk_size: 0", "chunk_size=0 must be 1 or more words"),
        ("chunk_size: 5\nchunk_overlap: -1", "chunk_overlap=-1 must be 0 or more"),
    ],
)
def test_impossible_combinations_are_errors(project, text, message):
    project.experiment(YAML + text)
    ran = project("plan", "experiment=mine")
    assert (ran.code, message in ran.err) == (2, True)


# ---- SPEC 7: names, order, the run folder --------------------------------------------------------------------------------


def test_a_setup_is_named_by_what_differs_words_alone_for_groups(planned, project):
    given = ["--files", "docs", "--questions", "questions.json"]
    assert list(planned(*given, "chunker=word,paragraph", "rag_type=adaptive,simple", "chunk_size=5,6")) == [
        f"{rag} + {chunker} + chunk_size={size}"
        for chunker in ("word", "paragraph")
        for rag in ("adaptive", "simple")
        for size in (5, 6)
    ]
    assert list(planned(*given, "chunker=page,word", "top_k=9")) == ["page", "word"]
    assert list(planned(*given, "chunker=page", "rag_type=adaptive")) == ["adaptive + page"]


def test_rows_stand_by_chunker_then_the_other_axes_then_rag_type_as_written(project):
    project.experiment(
        "dataset: {files: docs, questions: questions.json}\nretriever: bm25\nn_jobs: 1\n"
        "sweep: {rag_type: [simple, adaptive], top_n: [2, 1], chunker: [page, word]}\n"
    )
    ran = project("run", "experiment=mine")
    table = [line.split("  ")[0] for line in ran.out.splitlines() if re.match(r"(simple|adaptive) \+ ", line)]
    assert table == [
        f"{rag} + {chunker} + top_n={top_n}"
        for chunker in ("page", "word")
        for top_n in (2, 1)
        for rag in ("simple", "adaptive")
    ]


def test_the_run_folder(project):
    ran = project.files("run", "top_n=1,2")
    (run,) = ran.runs
    assert run.parent == project.root / "outputs" / "run"
    assert re.fullmatch(r"\d{4}-\d\d-\d\d_\d\d-\d\d-\d\d_[0-9a-f]{4}", run.name)
    assert (run.parent / "latest").readlink().as_posix() == run.name
    reports = ["best.yaml", "manifest.json", "plan.json", "questions.csv", "report.csv", "report.json", "report.md", "run.lock"]
    folders = [setup["folder"] for setup in json.loads((run / "plan.json").read_text())["setups"]]
    assert sorted(path.name for path in run.iterdir()) == sorted([*reports, *folders])
    for folder in folders:
        assert sorted(path.name for path in (run / folder).iterdir()) == ["config.yaml", "records.jsonl", "run.log"]
        assert len((run / folder / "records.jsonl").read_text().splitlines()) == 3
    assert not (project.root / "multirun").exists()
    assert sorted(path.name for path in (project.root / "outputs").iterdir()) == [".store", "run"]


def test_runs_of_an_experiment_stand_under_its_name_and_outputs_and_store_where_the_environment_says(project, monkeypatch):
    project.experiment(YAML)
    monkeypatch.setenv("RAGSWEEP_OUTPUTS", "elsewhere")
    monkeypatch.setenv("RAGSWEEP_STORE", "my store")
    assert project("run", "experiment=mine").code == 0
    assert (project.root / "elsewhere" / "mine" / "latest" / "report.md").is_file()
    assert sorted(path.name for path in project.root.iterdir()) == [
        "docs",
        "elsewhere",
        "experiments",
        "my store",
        "questions.json",
    ]
    assert project("run", "experiment=mine", "store.dir=third").code == 0
    assert (project.root / "third" / "documents").is_dir()


def test_tables_go_to_stdout_and_the_plan_to_stderr_and_json_prints_nothing_else(project):
    ran = project.files("run", "top_n=1,2")
    assert ran.out.startswith("Retrieval report: 3 questions (2 answerable)")
    assert ran.err.startswith("plan: your files\n  2 documents, 3 questions (2 answerable)\n")
    ran = project.files("run", "--json")
    assert json.loads(ran.out)["questions"] == 3
    assert (project.root / "outputs" / "run" / "latest" / "report.json").read_text() == ran.out


def test_the_sample_is_said_in_the_first_line(project):
    ran = project("plan", "rag_type=search", "retriever=bm25")
    assert ran.out.startswith(
        "plan: no experiment and no files were named: the sample experiment=policies, without its sweep\n"
    )


@pytest.mark.parametrize(
    ("overrides", "keys"),
    [
        (["length=characters"], "length"),
        (["length=characters", "chunker=word,paragraph"], None),
        (["chunk_size=50,100", "chunker=page"], "chunk_size"),
        (["language=german", "retriever=dense"], "language"),
        (["language=german", "retriever=hybrid"], None),
        (["embedder.overflow=pool", "embedder=minilm"], "embedder.overflow, embedder"),
        (["generator.threshold=0.5"], "generator.threshold"),
        (["generator.threshold=0.5", "rag_type=search,simple"], None),
        (["retriever=bm25,dense", "retriever.k1=1.2"], None),
        (["reranker=mmr", "reranker.lambda=0.5"], None),
        (["retriever=hybrid", "retriever.bm25.k1=1.2"], None),
    ],
)
def test_what_was_written_and_no_setup_uses_is_one_notice(project, overrides, keys):
    ran = project.files("plan", *overrides)
    said = [line for line in ran.out.splitlines() if "no setup uses" in line]
    assert said == ([f"  notice: no setup uses {keys}: what is written there changes nothing"] if keys else []), ran.err


def test_what_a_file_writes_and_no_setup_uses_is_told_too(project):
    base = "dataset: {files: docs, questions: questions.json}\nrag_type: search\nretriever: bm25\n"
    project.experiment(base + "length: tokens\nembedder: {overflow: pool}\nsetups: [{name: a, generator.threshold: 0.5}]\n")
    assert "no setup uses length, embedder.overflow, generator.threshold: what" in project("plan", "experiment=mine").out


def test_a_sort_by_what_no_setup_has_is_told(project):
    said = "report.sort=answered: no setup gives answers, so Recall decides, and rows stand as written"
    assert f"notice: {said}" in project.files("plan", "report.sort=answered").out
    assert said not in project.files("plan", "report.sort=answered", "rag_type=search,simple").out
