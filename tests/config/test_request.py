"""What a command and an experiment mean together, up to the plan: precedence, axes, named setups, paths, mistakes."""

import pytest

from ragsweep.sweep.wanted import Wanted

DATASET = "dataset: {files: docs, questions: questions.json}\n"


@pytest.fixture
def wanted(project, monkeypatch):
    """What a plan command asks for, checked no further."""
    seen = []
    monkeypatch.setattr("ragsweep.sweep.run.show_plan", lambda wanted: seen.append(wanted) or 0)

    def ask(*arguments: str) -> Wanted:
        assert project("plan", *arguments).code == 0
        return seen[-1]

    return ask


def values(wanted, *keys):
    """The values of the setups, row by row."""
    return [
        tuple(getattr(row.setup, key) if hasattr(row.setup, key) else getattr(row.setup.chunker, key) for key in keys)
        for row in wanted.rows
    ]


def test_the_sample_without_its_sweep_and_setups(wanted):
    one = wanted()
    assert one.sample
    assert one.experiment == "policies"
    assert [row.choices["chunker"] for row in one.rows] == ["word"]
    assert values(one, "chunk_size", "chunk_overlap", "top_k", "top_n") == [(60, 10, 5, 2)]
    assert one.axes == {}


def test_axes_of_the_command_line_over_the_sample(wanted):
    one = wanted("rag_type=simple,adaptive", "chunk_size=9", "chunk_overlap=0")
    assert [row.choices["rag_type"] for row in one.rows] == ["simple", "adaptive"]
    assert values(one, "chunk_size") == [(9,), (9,)]


@pytest.mark.parametrize("arguments", [["experiment=policies"], ["-m", "experiment=policies"], ["experiment=policies/"]])
def test_the_sample_by_name_with_its_sweep(wanted, arguments):
    one = wanted(*arguments)
    assert not one.sample
    assert [(row.choices["rag_type"], row.choices["chunker"]) for row in one.rows] == [
        ("simple", "word"),
        ("simple", "paragraph"),
        ("adaptive", "word"),
        ("adaptive", "paragraph"),
    ]


def test_own_files_have_no_experiment(wanted, project):
    one = wanted("--files", "docs", "--questions", "questions.json")
    assert (one.sample, one.experiment, one.base) == (False, None, project.root)
    assert values(one, "chunk_size", "chunk_overlap", "top_k", "top_n", "dedupe") == [(160, 20, 30, 5, 1.0)]
    assert one.rows[0].choices == {
        "rag_type": "simple",
        "chunker": "word",
        "embedder": "minilm",
        "retriever": "hybrid",
        "reranker": "none",
        "generator": "extractive",
        "judge": "none",
    }


def test_options_and_values_at_the_root_of_an_experiment(wanted, project):
    folder = project.experiment(DATASET + "rag_type: search\nchunker: paragraph\nretriever: {rrf_k: 7}\nchunk_size: 50\n")
    one = wanted("experiment=mine")
    assert one.base == folder
    (row,) = one.rows
    assert (row.choices["rag_type"], row.choices["chunker"], row.setup.retriever.rrf_k) == ("search", "paragraph", 7)
    assert (row.setup.generator, row.setup.chunker.chunk_size) == (None, 50)


def test_the_command_line_beats_everything_an_experiment_writes(wanted, project):
    project.experiment(
        DATASET
        + "chunk_size: 50\ntop_k: 9\nn_jobs: 3\n"
        + "sweep: {chunker: [word, page], chunk_size: [60, 90]}\n"
        + "setups: [{name: mine, chunker: paragraph, chunk_size: 70, top_k: 8}]\n"
    )
    assert values(wanted("experiment=mine"), "top_k") == [(9,)] * 4 + [(8,)]
    assert [row.setup.chunker.chunk_size for row in wanted("experiment=mine", "chunker=word").rows] == [60, 90, 70]
    one = wanted("experiment=mine", "top_k=4", "chunk_size=11", "n_jobs=1", "chunker=word")
    assert values(one, "top_k", "chunk_size") == [(4, 11), (4, 11)]
    assert one.settings.n_jobs == 1
    assert one.rows[-1].name == "mine"
    assert [row.choices["chunker"] for row in one.rows] == ["word", "word"]
    replaced = wanted("experiment=mine", "chunk_size=1,2,3", "chunker=word")
    assert values(replaced, "chunk_size") == [(1,), (2,), (3,), (70,)]


def test_a_value_of_the_experiment_stands_where_its_axes_and_setups_say_nothing(wanted, project):
    project.experiment(
        DATASET + "chunk_size: 50\nsweep: {top_k: [5, 6]}\nsetups: [{name: x, top_k: 7}, {name: y, chunk_size: 9}]\n"
    )
    assert values(wanted("experiment=mine"), "chunk_size", "top_k") == [(50, 5), (50, 6), (50, 7), (9, 30)]


def test_named_setups_alone_have_no_grid_beside_them(wanted, project):
    project.experiment(DATASET + "setups: [{name: pages, chunker: page}, {name: words}]\n")
    one = wanted("experiment=mine")
    assert [(row.name, row.choices["chunker"]) for row in one.rows] == [("pages", "page"), ("words", "word")]


@pytest.mark.parametrize("sweep", ["sweep:", "sweep: {}", "setups:", "setups: []", "sweep: null"])
def test_an_empty_sweep_is_one_setup(wanted, project, sweep):
    project.experiment(DATASET + sweep)
    assert len(wanted("experiment=mine").rows) == 1


def test_a_lone_value_in_a_sweep(wanted, project):
    project.experiment(DATASET + "sweep: {chunker: page, top_k: 4}\n")
    assert [(row.choices["chunker"], row.setup.top_k) for row in wanted("experiment=mine").rows] == [("page", 4)]


def test_a_local_experiment_wins_over_a_packaged_one(wanted, project):
    folder = project.experiment(DATASET + "top_k: 4\n", name="policies")
    one = wanted("experiment=policies")
    assert (one.base, values(one, "top_k")) == (folder, [(4,)])


def test_another_folder_of_experiments(wanted, project):
    folder = project.experiment(DATASET)
    (project.root / "experiments").rename(project.root / "mine")
    assert wanted("experiment=mine", "--experiments-dir", "mine").base == project.root / "mine" / folder.name


def test_paths_are_relative_to_where_they_are_written(wanted, project):
    folder = project.experiment(DATASET)
    one = wanted("experiment=mine")
    assert (one.base, one.files, one.questions) == (folder, "docs", "questions.json")
    one = wanted("experiment=mine", "dataset.files=docs", "dataset.questions=questions.json")
    assert (one.files, one.questions) == (str(project.root / "docs"), str(project.root / "questions.json"))
    one = wanted("experiment=mine", "dataset.files=[docs/leave.md,/x]")
    assert one.files == [str(project.root / "docs" / "leave.md"), "/x"]


def test_paths_by_flag_are_read_by_no_grammar(wanted, project):
    odd = ["a,b.md", "~x", "c=d.md", "[e]", "ü #1.md", "${f}"]
    for name in odd:
        (project.root / name).write_text("x")
    one = wanted("--files", *odd, "--questions", "q,1~.json", "chunker=page", "top_k=3")
    assert one.files == [str(project.root / name) for name in odd]
    assert one.questions == str(project.root / "q,1~.json")
    assert [(row.choices["chunker"], row.setup.top_k) for row in one.rows] == [("page", 3)]


def test_an_override_after_files_is_an_override_and_a_file_with_its_name_is_a_file(wanted, project):
    (project.root / "top_k=3").write_text("x")
    one = wanted("--questions", "q.json", "--files", "docs", "top_k=3", "top_n=2")
    assert one.files == [str(project.root / name) for name in ("docs", "top_k=3")]
    assert values(one, "top_k", "top_n") == [(30, 2)]


def test_questions_in_the_yaml(wanted, project):
    project.experiment("dataset:\n  files: docs\n  questions:\n  - {question: a, answerable: false, id: x}\n")
    assert wanted("experiment=mine").questions == [{"question": "a", "answerable": False, "id": "x"}]


def test_a_variable_of_the_environment(wanted, project, monkeypatch):
    monkeypatch.setenv("DOCS", "docs")
    project.experiment("dataset: {files: '${oc.env:DOCS}', questions: questions.json}\nn_jobs: ${top_k}\n")
    one = wanted("experiment=mine")
    assert (one.files, one.settings.n_jobs) == ("docs", 30)
    monkeypatch.delenv("DOCS")
    ran = project("plan", "experiment=mine", "top_k=0")
    assert (ran.code, ran.err) == (
        2,
        "1 mistake found before any work:\n  dataset.files: Environment variable 'DOCS' not found\n",
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("sweep: word", "sweep='word': write keys and values"),
        ("sweep: {chunker: []}", "sweep.chunker: is empty: write its values, as in [a, b], or leave it out"),
        ("sweep: {chunker: }", "sweep.chunker: is empty: write its values, as in [a, b], or leave it out"),
        ("sweep: {n_jobs: [1, 2]}", "sweep.n_jobs: cannot be swept: write it at the top of the file"),
        ("sweep: {dataset.files: [a, b]}", "sweep.dataset.files: cannot be swept: write it at the top of the file"),
        ("sweep: {chunker: [wrod]}", "chunker=wrod: there is no such option; did you mean 'word'? (chunker=? lists all)"),
        ("sweep: {chunk_siz: [1]}", "chunk_siz: unknown key; did you mean 'chunk_size'?"),
        ("sweep: {chunk_size: ['9']}", "chunk_size='9': write a whole number"),
        ("sweep: {retriever: {k1: [1, 2]}}", "retriever: write an axis for each of its keys: retriever.k1"),
        ("sweep: {retriever.bm25: [{k1: 1}]}", "retriever.bm25: write an axis for each of its keys: retriever.bm25.k1"),
        ("setups: page", "setups='page': write a list, as in [a, b]"),
        ("setups: [page]", "setups[0]: write a name in it, as in {name: pages, chunker: page}"),
        ("setups: [{name: a}, {chunker: page}]", "setups[1]: write a name in it, as in {name: pages, chunker: page}"),
        ("setups: [{name: ' '}]", "setups[0]: write a name in it, as in {name: pages, chunker: page}"),
        ("setups: [{name: 7}]", "setups[0]: write a name in it, as in {name: pages, chunker: page}"),
        ("setups: [{name: a}, {name: a, top_k: 5}]", "setups[1]: the name 'a' is given twice: write another"),
        ("setups: [{name: a, n_jobs: 2}]", "setups[0].n_jobs: is one for all setups: write it at the top"),
        ("setups: [{name: a, top_k: many}]", "top_k='many': write a whole number"),
        ("setups: [{name: a, chunker: pgae}]", "chunker=pgae: there is no such option; did you mean 'page'? ("),
        (
            "sweep: {chunker: [word, page]}\nsetups: [{name: word, top_k: 5}]",
            "setups: the name 'word' is that of a setup of the grid too",
        ),
        (
            "chunker: [word, page]",
            "mistake: chunker: write the name of one option; several are an axis, sweep: {chunker: [word, page]}",
        ),
        ("reranker: [null, blend]", "several are an axis, sweep: {reranker: [none, blend]}\n"),
        ("chunker: pgae", "mistake: chunker=pgae: there is no such option; did you mean 'page'? (chunker=? lists all)\n"),
        ("retriever: keyword", "mistake: retriever=keyword: there is no such option; use bm25 (retriever=? lists all)\n"),
        ("sweep: [chunk_size]", "mistake: sweep: write keys and values, as in sweep: {chunk_size: [100, 200]}\n"),
        ("store: [a]", "mistake: store: write keys and values, as in store: {dir: ../store}\n"),
        ("setups: {a: 1}", "mistake: setups: write a list, as in setups: [{name: pages, chunker: page}]\n"),
        ("hydra: 5", "mistake: hydra: write keys and values, as in hydra: {launcher: {n_jobs: 2}}\n"),
        (
            "hydra: {launcher: basic}",
            "mistake: hydra: {launcher: basic}: write defaults: [override /hydra/launcher: basic, _self_]\n",
        ),
        ("hydra: {launcher: {njobs: 1}}", "mistake: hydra.launcher.njobs: unknown key; did you mean 'n_jobs'?\n"),
        ("hydra: {launchr: {n_jobs: 1}}", "mistake: hydra.launchr: unknown key; did you mean 'launcher'?\n"),
        ("hydra: {launcher: {n_jobs: x}}", "mistake: hydra.launcher.n_jobs: Value 'x' of type 'str' could not be converted"),
        ("topk: 5", "topk: unknown key; did you mean 'top_k'?"),
        ("reranker: {topn: 3}", "reranker.topn: top_n is a root value: write top_n=3"),
        ("top_k: 1e3", "experiment.yaml:2: top_k: 1e3 is read as a number with an exponent: write '1e3' in"),
        ("defaults: page", "mine/experiment.yaml: write keys and values, as in top_k: 10"),
        ("just text", "mine/experiment.yaml is not YAML: "),
        ("store: here", "store='here': write keys and values: dir"),
    ],
)
def test_a_mistake_in_an_experiment(project, text, message):
    project.experiment(DATASET + text)
    ran = project("plan", "experiment=mine")
    assert ran.code == 2
    assert message in ran.err
    assert not (project.root / "outputs").exists()


@pytest.mark.parametrize("text", ["- a\n- b", "[]"])
def test_an_experiment_that_is_no_mapping(project, text):
    project.experiment(text)
    ran = project("plan", "experiment=mine")
    assert (ran.code, ran.err) == (2, "mistake: mine/experiment.yaml: write keys and values, as in top_k: 10\n")


def test_files_and_questions_are_written_once(project):
    ran = project.files("plan", "dataset.files=docs", "dataset.questions=questions.json")
    assert ran.code == 2
    assert "--files and dataset.files=: write one of them" in ran.err
    assert "--questions and dataset.questions=: write one of them" in ran.err


def test_many_combinations_are_announced(project):
    ran = project.files("plan", "chunk_size=range(10,210)", "chunk_overlap=0")
    assert ran.code == 0 and ran.err.startswith("composing 200 combinations\n")
