"""The text of a new experiment.yaml follows conf/config.yaml, and what is written in it is read back as it was."""

import re

import pytest
import yaml
from hypothesis import example, given, settings
from hypothesis import strategies as st
from omegaconf import OmegaConf

from ragsweep.config.experiment_file import experiment_file
from ragsweep.config.root import ROOT_KEYS
from ragsweep.places import packaged
from ragsweep.setups import CHOSEN

SET = {"dataset.files": ["../../a", "b, c"], "top_k": 7, "chunker": "page", "sweep": {"retriever": ["bm25", "dense"]}}


def test_with_every_hash_taken_away_it_holds_every_root_value_and_its_default():
    text = re.sub(r"^( *)# (?= *\w+: |\w+:$)", r"\1", experiment_file("Why?", {}), flags=re.MULTILINE)
    conf = yaml.safe_load((packaged("conf") / "config.yaml").read_text(encoding="utf-8"))
    groups = {name: option for entry in conf["defaults"] if isinstance(entry, dict) for name, option in entry.items()}
    expected = {name: groups[name] for name in CHOSEN} | {key: conf[key] for key in ROOT_KEYS}
    assert yaml.safe_load(text) == expected


def test_without_values_it_sets_nothing():
    assert yaml.safe_load(experiment_file("Why?", {})) is None


def test_comments_of_the_config_stand_beside_what_is_set():
    text = experiment_file("Why?", SET)
    assert text.startswith("# Why?\n")
    assert yaml.safe_load(text) == {
        "dataset": {"files": ["../../a", "b, c"]}, "top_k": 7, "chunker": "page", "sweep": {"retriever": ["bm25", "dense"]}
    }  # fmt: skip
    assert re.search(r"^top_k: 7 +# chunks retrieved$", text, re.MULTILINE)
    assert re.search(r"^chunker: page +# character, page, ", text, re.MULTILINE)
    assert "\n  # questions: null" in text  # inside dataset, which is not a comment
    assert "\n#   dir: null" in text


def test_a_key_that_is_none_is_no_line():
    with pytest.raises(KeyError, match="topk"):
        experiment_file("Why?", {"topk": 3})


PATHS = st.lists(st.one_of(st.characters(blacklist_categories=["Cs"]), st.sampled_from(["\\", "${", "}", "'", '"', "#"])))


@settings(max_examples=60)
@given(PATHS.map("".join))
@example("${oc.env:HOME}")
@example("a\\${b}")
@example("\x85")
def test_any_path_is_read_back(path):
    read = OmegaConf.create(yaml.safe_load(experiment_file("Why?", {"dataset.files": [path], "sweep": {"a": [path]}})))
    assert OmegaConf.to_container(read, resolve=True) == {"dataset": {"files": [path]}, "sweep": {"a": [path]}}
