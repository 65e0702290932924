"""`experiment=NAME` reads NAME/experiment.yaml from the user's experiments folder, else from the packaged ones."""

from pathlib import Path
from typing import Any, cast

from hydra.core.config_search_path import ConfigSearchPath, SearchPathQuery
from hydra.core.object_type import ObjectType
from hydra.plugins.config_source import ConfigLoadError, ConfigResult, ConfigSource
from hydra.plugins.search_path_plugin import SearchPathPlugin
from omegaconf import DictConfig, OmegaConf

from ragsweep.config.door import CALLED
from ragsweep.config.yaml_scan import load
from ragsweep.places import EXPERIMENTS_FOLDERS, experiment_name
from ragsweep.reporting.naming import option
from ragsweep.setups import CHOSEN

PREFIX = "experiment/"
SECTIONS = {
    "dataset": "files: documents, questions: questions.json",
    "sweep": "chunk_size: [100, 200]",
    "store": "dir: ../store",
    "report": "sort: ndcg",
    "gate": "recall: 0.9",
    "hydra": "launcher: {n_jobs: 2}",
}
"""Keys of keys, each with an example: Hydra would fail to merge anything else."""
LISTS = {"setups": "[{name: pages, chunker: page}]", "score_at": "[1, 5, top_k]"}
"""The same of lists."""


class ExperimentSource(ConfigSource):
    """Maps the config ``experiment/NAME`` to the file ``NAME/experiment.yaml`` of a folder, or to a file that is so called."""

    @staticmethod
    def scheme() -> str:
        """The scheme of its search path entries."""
        return "experiments"

    def available(self) -> bool:
        """Always: a folder that does not exist holds no experiment."""
        return True

    def is_group(self, config_path: str) -> bool:
        """Whether it is the group itself."""
        return config_path.strip("/") == "experiment"

    def is_config(self, config_path: str) -> bool:
        """Whether the experiment exists."""
        return config_path.startswith(PREFIX) and self._file(config_path).is_file()

    def list(self, config_path: str, results_filter: ObjectType | None) -> "list[str]":
        """The names of the experiments."""
        if not self.is_group(config_path):
            return ["experiment"] if config_path == "" and results_filter != ObjectType.CONFIG else []
        if Path(self.path).is_file():
            return [experiment_name(Path(self.path))]
        return sorted(path.parent.name for path in Path(self.path).glob("*/experiment.yaml"))

    def load_config(self, config_path: str) -> ConfigResult:
        """The experiment as a config at the root; ``chunker: page`` at its root chooses that option."""
        file = self._file(config_path)
        if not file.is_file():
            raise ConfigLoadError(f"Config not found : {file}")
        config = load(file)
        if not isinstance(config, DictConfig) or not OmegaConf.is_list(config.get("defaults", OmegaConf.create([]))):
            raise ConfigLoadError(f"{file.parent.name}/{file.name}: write keys and values, as in top_k: 10")
        named = [group for group in CHOSEN if group in config and not OmegaConf.is_config(config[group])]
        choices = [{f"override /{group}": option("", config.pop(group))[1:]} for group in named]
        config = OmegaConf.create(_nested(cast(dict[str, Any], OmegaConf.to_container(config))))
        if "hydra/sweeper" in str(config.get("defaults")):
            raise ConfigLoadError(
                f"{file.parent.name}/{file.name}: runs go through ragsweep's sweeper: leave hydra/sweeper out"
            )
        for key in {"worker", "experiment_dir"} & {str(key) for key in config}:
            raise ConfigLoadError(f"{file.parent.name}/{file.name}: {key} is set by ragsweep itself: leave it out")
        for key, example in SECTIONS.items():
            if OmegaConf.is_list(config.get(key)) or (key == "hydra" and key in config and not OmegaConf.is_dict(config[key])):
                raise ConfigLoadError(f"{key}: write keys and values, as in {key}: {{{example}}}")
        for key, example in LISTS.items():
            if OmegaConf.is_dict(config.get(key)):
                raise ConfigLoadError(f"{key}: write a list, as in {key}: {example}")
        for setting in ("launcher", "sweeper"):
            if isinstance(chosen := (config.get("hydra") or {}).get(setting), str):
                raise ConfigLoadError(
                    f"hydra: {{{setting}: {chosen}}}: write defaults: [override /hydra/{setting}: {chosen}, _self_]"
                )
        for group in CHOSEN:
            if OmegaConf.is_list(config.get(group)):
                names = ", ".join(CALLED.get(group, {}).get(str(name).lower(), option("", name)[1:]) for name in config[group])
                raise ConfigLoadError(
                    f"{group}: write the name of one option; several are an axis, sweep: {{{group}: [{names}]}}"
                )
        given: Any = OmegaConf.to_container(config.pop("defaults")) if "defaults" in config else ["_self_"]
        body = OmegaConf.create({"defaults": [*given, *choices]})
        body.merge_with(config, {"experiment_dir": str(file.parent)})
        return ConfigResult(self.provider, self.full_path(), body, {"package": "_global_"})

    def _file(self, config_path: str) -> Path:
        name = config_path.removeprefix(PREFIX).removesuffix(".yaml").strip("/")
        place = Path(self.path)
        return place if place.is_file() and name == experiment_name(place) else place / name / "experiment.yaml"


def _nested(values: dict[str, Any]) -> dict[str, Any]:
    """Keys with dots at the top of a file as keys of keys.

    >>> _nested({"report.sort": "p50", "dataset": {"files": "a"}, "dataset.root": "b"})
    {'dataset': {'files': 'a', 'root': 'b'}, 'report': {'sort': 'p50'}}
    """
    nested = {key: value for key, value in values.items() if "." not in key}
    for key, value in values.items():
        *parents, name = key.split(".")
        node = nested
        for parent in parents:
            node[parent] = {} if node.get(parent) is None else node[parent]
            node = node[parent]
            if not isinstance(node, dict):
                raise ConfigLoadError(f"{key}: {parent} has a value of its own: write one of them")
        if parents and name in node:
            raise ConfigLoadError(f"{key}: is written twice: write it once")
        node[name] = value
    return nested


class ExperimentsSearchPath(SearchPathPlugin):
    """Puts the user's folder before our conf, so that a local experiment wins over a packaged one. Idle in other apps."""

    def manipulate_search_path(self, search_path: ConfigSearchPath) -> None:
        """Add the folders that our entry names; none when the app is not ours."""
        folders = EXPERIMENTS_FOLDERS.get()
        for place, folder in enumerate(folders):
            path = f"{ExperimentSource.scheme()}://{folder}"
            if place < len(folders) - 1:
                search_path.prepend(f"experiments-{place}", path, SearchPathQuery(provider="main", path=None))
            else:
                search_path.append("experiments-packaged", path)
