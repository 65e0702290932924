"""`experiment=NAME` reads NAME/experiment.yaml, the user's folder first; other Hydra apps know nothing of it."""

import subprocess
import sys

import pytest
from hydra.core.object_type import ObjectType
from hydra.core.plugins import Plugins
from hydra.plugins.config_source import ConfigLoadError
from hydra.plugins.launcher import Launcher

from hydra_plugins.ragsweep.experiments import ExperimentSource
from ragsweep.errors import InputError

APP = """
import hydra
@hydra.main(version_base="1.3", config_path=None)
def app(config): print(config)
app()
"""


@pytest.fixture
def source(tmp_path):
    for name in ("leave", "b.c", "ü ö"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "experiment.yaml").write_text("top_k: 3\n")
    (tmp_path / "no experiment").mkdir()
    return ExperimentSource("main", f"experiments://{tmp_path}")


def test_names_are_the_folders_that_hold_an_experiment(source):
    assert source.list("experiment", None) == ["b.c", "leave", "ü ö"]
    assert source.is_group("experiment")
    assert not source.is_group("")
    assert not source.is_group("chunker")


def test_what_is_an_experiment(source):
    assert source.is_config("experiment/leave")
    assert source.is_config("experiment/b.c")
    for path in ("experiment/no experiment", "experiment/other", "leave", "chunker/leave", "experiment"):
        assert not source.is_config(path)


def test_a_folder_that_does_not_exist_holds_none(tmp_path):
    source = ExperimentSource("main", f"experiments://{tmp_path / 'nowhere'}")
    assert source.available()
    assert source.list("experiment", ObjectType.CONFIG) == []
    assert not source.is_config("experiment/leave")


def test_it_stands_at_the_root_and_knows_its_folder(source, tmp_path):
    found = source.load_config("experiment/leave")
    assert found.header["package"] == "_global_"
    assert found.config == {"defaults": ["_self_"], "top_k": 3, "experiment_dir": str(tmp_path / "leave")}


def test_an_option_at_its_root_is_chosen_and_values_of_a_part_are_left(source, tmp_path):
    (tmp_path / "leave" / "experiment.yaml").write_text("chunker: page\nretriever: {rrf_k: 3}\nrag_type: search\n")
    config = source.load_config("experiment/leave").config
    assert config.defaults == ["_self_", {"override /rag_type": "search"}, {"override /chunker": "page"}]
    assert config.retriever == {"rrf_k": 3}
    assert "chunker" not in config


def test_its_own_defaults_stay(source, tmp_path):
    (tmp_path / "leave" / "experiment.yaml").write_text("defaults: [{override /reranker: blend}, _self_]\nchunker: page\n")
    config = source.load_config("experiment/leave").config
    assert config.defaults == [{"override /reranker": "blend"}, "_self_", {"override /chunker": "page"}]


@pytest.mark.parametrize("text", ["- a", "defaults: x", "chunker: [word, page]"])
def test_what_is_no_experiment_says_what_to_write(source, tmp_path, text):
    (tmp_path / "leave" / "experiment.yaml").write_text(text)
    with pytest.raises(ConfigLoadError, match="write "):
        source.load_config("experiment/leave")


def test_a_file_that_is_no_yaml_and_one_that_is_not_there(source, tmp_path):
    (tmp_path / "leave" / "experiment.yaml").write_text("a: [")
    with pytest.raises(InputError, match=r"leave/experiment\.yaml is not YAML"):
        source.load_config("experiment/leave")
    with pytest.raises(ConfigLoadError, match="Config not found"):
        source.load_config("experiment/other")


@pytest.mark.parametrize(("name", "hint"), [("polices", "did you mean 'policies'?"), ("xyzzy", "known: ")])
def test_a_wrong_name_shows_the_nearest_or_all(project, name, hint):
    project.experiment("top_k: 3")
    ran = project("plan", f"experiment={name}")
    assert ran.code == 2
    assert f"experiment={name}: there is no {project.root}/experiments/{name}/experiment.yaml" in ran.err
    assert hint in ran.err


def test_other_hydra_apps_are_untouched(tmp_path):
    (tmp_path / "experiments" / "leave").mkdir(parents=True)
    (tmp_path / "experiments" / "leave" / "experiment.yaml").write_text("top_k: 3\n")
    (tmp_path / "app.py").write_text(APP)
    paths, value = (
        subprocess.check_output([sys.executable, "app.py", *arguments], cwd=tmp_path, text=True)
        for arguments in (["--info", "searchpath"], ["+experiment=leave"])
    )
    assert "experiments" not in paths
    assert value.strip() == "{'experiment': 'leave'}"


def test_a_launcher_chosen_in_an_experiment_takes_effect(project, monkeypatch):
    project.experiment(
        "defaults: [{override /hydra/launcher: basic}, _self_]\n"
        "dataset: {files: docs, questions: questions.json}\nrag_type: search\nretriever: bm25\nsweep: {top_n: [1, 2]}\n"
    )
    launched = []
    # Hydra's scan executes a module again that is imported already, so its class need not be the one imported here.
    launcher = next(one for one in Plugins.instance().discover(Launcher) if one.__name__ == "BasicLauncher")
    launch = launcher.launch
    monkeypatch.setattr(launcher, "launch", lambda self, jobs, **given: launched.extend(jobs) or launch(self, jobs, **given))
    assert project("run", "experiment=mine").code == 0
    assert len(launched) == 2
