"""Has Hydra look for options in ``conf`` beside this folder."""

from pathlib import Path

from hydra.core.config_search_path import ConfigSearchPath
from hydra.plugins.search_path_plugin import SearchPathPlugin


class CheapConf(SearchPathPlugin):
    def manipulate_search_path(self, search_path: ConfigSearchPath) -> None:
        search_path.append("cheap", str(Path(__file__).parents[2] / "conf"))
