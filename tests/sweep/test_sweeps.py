"""Ways of writing a sweep, through the command line: several experiments, one value at a time, impossible ones left out."""

import csv
import shutil

import pytest

from ragsweep.places import packaged

YAML = "dataset: {files: docs, questions: questions.json}\nrag_type: search\nretriever: bm25\nn_jobs: 1\n"


def setups(ran):
    return [line.removeprefix("  setup ") for line in ran.out.splitlines() if line.startswith("  setup ")]


def test_one_at_a_time(project):
    project.experiment(YAML + "sweep_mode: one_at_a_time\nsweep: {chunker: [word, page], top_k: [5, 6, 7]}")
    assert setups(project("plan", "experiment=mine")) == [
        "word + top_k=5",
        "page + top_k=5",
        "word + top_k=6",
        "word + top_k=7",
    ]


def test_a_glob_and_a_range_in_the_file(project):
    project.experiment(YAML + "sweep: {chunker: glob(pa*), top_k: 'range(5,8)'}")
    assert setups(project("plan", "experiment=mine")) == [
        f"{chunker} + top_k={k}" for chunker in ("page", "paragraph") for k in (5, 6, 7)
    ]
    ran = project("plan", "experiment=mine", "chunker=glob(x*)")
    assert (ran.code, "chunker: the glob matches none of" in ran.err) == (2, True)


def test_impossible_combinations_are_left_out_and_named(project):
    folder = project.experiment(YAML + "on_invalid: skip\nsweep: {top_k: [2, 9], top_n: [1, 5]}")
    ran = project("plan", "experiment=mine")
    assert setups(ran) == ["top_k=2 + top_n=1", "top_k=9 + top_n=1", "top_k=9 + top_n=5"]
    assert "left out: top_k=2 top_n=5: top_n=5 is more than top_k=2" in ran.out
    assert project("run", "experiment=mine").out.count("left out: top_k=2 top_n=5") == 1
    ran = project("plan", "experiment=mine", "on_invalid=error")
    assert (ran.code, "top_n=5 is more than top_k=2" in ran.err) == (2, True)
    (folder / "experiment.yaml").write_text(YAML + "on_invalid: skip\ntop_n: 5\nsweep: {top_k: [2, 9]}")
    assert setups(project("plan", "experiment=mine")) == ["top_k=9"]
    ran = project("plan", "experiment=mine", "top_k=3")
    assert (ran.code, "there is nothing to run: every combination is impossible" in ran.err) == (2, True)


def test_combinations_left_out_for_one_reason_are_counted_and_named_by_what_they_share(project):
    project.experiment(
        YAML + "on_invalid: skip\nsweep: {chunker: [word, page], language: [english, german], top_k: [2, 9], top_n: [5]}"
    )
    ran = project("plan", "experiment=mine")
    assert "left out: 4 combinations with top_k=2: top_n=5 is more than top_k=2" in ran.out


def test_a_mistake_is_never_left_out(project):
    project.experiment(YAML + "on_invalid: skip\nsweep: {top_k: [5, x]}")
    ran = project("plan", "experiment=mine")
    assert (ran.code, "top_k='x': write a whole number" in ran.err) == (2, True)


def test_several_experiments_have_a_report_each_and_are_checked_before_the_first_runs(project):
    project.experiment(YAML, "a")
    broken = project.experiment(YAML + "top_k: many", "b")
    ran = project("run", "experiment=a,b")
    assert (ran.code, "experiment=b: top_k='many': write a whole number" in ran.err) == (2, True)
    assert not (project.root / "outputs" / "a").exists()
    (broken / "experiment.yaml").write_text(YAML + "top_n: 1")
    ran = project("run", "experiment=a,b")
    assert ran.code == 0
    assert [ran.out.count(f"top_n={n}\n") for n in (5, 1)] == [1, 1]
    assert [path.parent.parent.name for path in sorted((project.root / "outputs").glob("*/2*/report.md"))] == ["a", "b"]
    assert project("run", "experiment=a,b", "--json").code == 2


@pytest.mark.parametrize(
    ("in_file", "overrides", "jobs"),
    [
        ("hydra: {launcher: {n_jobs: 1}}", ["n_jobs=2"], "1"),
        ("", ["hydra.launcher.n_jobs=2"], "2"),
        ("", ["hydra/launcher=basic", "n_jobs=2"], "1"),
        ("", ["n_jobs=2"], "2"),
    ],
)
def test_what_a_launcher_is_told_is_what_the_plan_and_the_report_say(project, in_file, overrides, jobs):
    project.experiment(f"{YAML}sweep: {{top_k: [1, 2]}}\n{in_file}\n")
    ran = project("run", "experiment=mine", *overrides)
    assert ran.code == 0 and f", {jobs} side by side\n" in ran.err, ran.err
    with (ran.runs[0] / "report.csv").open(encoding="utf-8", newline="") as file:
        assert {row["jobs"] for row in csv.DictReader(file)} == {jobs}


@pytest.mark.parametrize("launcher", ["basic", "parallel"])
def test_a_launcher_chosen_in_an_experiment_takes_effect(project, launcher, monkeypatch):
    used = []
    from hydra.core.plugins import Plugins

    make = Plugins.instantiate_launcher

    def note(self, **given):
        used.append(type(made := make(self, **given)).__name__)
        return made

    monkeypatch.setattr(Plugins, "instantiate_launcher", note)
    project.experiment(f"defaults:\n  - override /hydra/launcher: {launcher}\n  - _self_\n{YAML}")
    assert project("run", "experiment=mine").code == 0
    assert used == [f"{launcher.capitalize()}Launcher"]


def test_another_sweeper_is_refused(project):
    project.experiment(f"defaults:\n  - override /hydra/sweeper: basic\n  - _self_\n{YAML}")
    ran = project("run", "experiment=mine")
    assert (ran.code, "leave hydra/sweeper out" in ran.err) == (2, True)


def test_a_mistake_in_a_named_setup_says_which(project):
    project.experiment(YAML + "sweep: {chunker: [word]}\nsetups: [{name: mine, topk: 5}, {name: other, chunker: pge}]")
    ran = project("plan", "experiment=mine")
    assert ran.code == 2
    assert "  setup 'mine': topk: unknown key; did you mean 'top_k'?\n" in ran.err
    assert "  setup 'other': chunker=pge: there is no such option; did you mean 'page'?" in ran.err


@pytest.mark.parametrize("line", ["worker: {plan: x}", "experiment_dir: /tmp"])
def test_what_ragsweep_sets_itself_is_refused_in_a_file(project, line):
    project.experiment(YAML + line)
    ran = project("plan", "experiment=mine")
    assert (ran.code, "is set by ragsweep itself: leave it out" in ran.err) == (2, True)


def test_a_run_and_accept_say_what_comes_next(project):
    project.experiment("dataset: {files: docs, questions: questions.json}\nrag_type: search\nretriever: bm25\nn_jobs: 1\n")
    ran = project("run", "experiment=mine")
    folder = ran.runs[0].relative_to(project.root)
    keep = f"next: ragsweep accept {folder} keeps this report, for ragsweep check experiment=mine to compare with"
    assert ran.err.splitlines()[-1] == keep
    accepted = project("accept", str(folder)).err.splitlines()
    assert accepted[-1].startswith("next: keep it in version control; ragsweep check experiment=mine runs again")
    for given, said in {
        (): "next: ragsweep check experiment=mine compares with the accepted report",
        ("limit=1",): "next: the same without limit, over all 3 questions",
        ("top_k=9",): "next: write the values that you keep into an experiments/NAME/experiment.yaml",
        ("--fail-over", "words=0"): "  words ",
    }.items():
        assert project("run", "experiment=mine", *given).err.splitlines()[-1].startswith(said)
    assert project.files("run").err.splitlines()[-1].startswith("next: ragsweep init NAME --files PATH...")
    assert "next: " not in project("run", "experiment=mine", "--json").err


def test_the_store_is_listed_for_a_person(project):
    project.files("run", "chunker=word", "chunk_size=9")
    lines = project("store", "ls").out.splitlines()
    kinds = {" ".join(line.split()[6:]): line.split()[0] for line in lines[:-1]}
    assert kinds["leave.md, read by markdown"] == "documents"
    assert kinds["2 documents by word chunk_size=9 chunk_overlap=1"] == "chunks"
    assert kinds["word chunk_size=9 chunk_overlap=1 with bm25 k1=1.5 b=0.75 language=english"] == "bm25"
    assert lines[-1].startswith("5 entries, ")


@pytest.mark.parametrize("arguments", [["experiment=policies"], ["-m", "experiment=policies/"], ["experiment=policies/"]])
def test_an_experiment_brings_its_sweep_with_or_without_m(project, arguments):
    assert "4 setups" in project("plan", *arguments).out


def test_check_compares_with_the_accepted_report(project):
    mine = project.root / "experiments" / "mine"
    shutil.copytree(packaged("experiments") / "policies", mine)
    (mine / "report.md").unlink(missing_ok=True)
    written = (mine / "experiment.yaml").read_text(encoding="utf-8").partition("sweep:")[0]
    one = "rag_type: search\nchunker: word\nretriever: bm25\nn_jobs: 1\n"
    (mine / "experiment.yaml").write_text(written + one, encoding="utf-8")
    commands = [("check", "experiment=mine"), ("run", "experiment=mine"), ("accept", "outputs/mine/latest")]
    assert [project(*command).code for command in [*commands, commands[0]]] == [2, 0, 0, 0]
    accepted = (mine / "report.md").read_text(encoding="utf-8")
    assert "| 0.818 |" in accepted
    (mine / "report.md").write_text(accepted.replace("| 0.818 |", "| 0.123 |"), encoding="utf-8")
    ran = project("check", "experiment=mine")
    assert (ran.code, "0.123 -> 0.818" in ran.err) == (3, True)
