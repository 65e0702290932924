"""Compose each option once, put choices together and lay the values over them; equal to Hydra's own composition (tested)."""

from collections.abc import Iterator, Mapping
from typing import Any, cast

from hydra.core.config_loader import ConfigLoader
from hydra.core.override_parser.types import Glob
from hydra.plugins.config_source import ConfigResult
from hydra.types import RunMode
from omegaconf import DictConfig, OmegaConf
from omegaconf.errors import OmegaConfBaseException

from ragsweep.config.door import no_option, unknown_key
from ragsweep.config.explain import unresolved
from ragsweep.config.root import ROOT_KEYS
from ragsweep.errors import InputErrors
from ragsweep.setups import CHOSEN


class Composer:
    """Composes combinations of one experiment, from the config that Hydra composed of it.

    Any other choice of options is that config with the nodes of its options in place, each its file with what the experiment
    writes there over it, as long as the files stay in their groups; else Hydra composes it too.
    """

    def __init__(self, loader: ConfigLoader, config: DictConfig) -> None:
        choices = config.hydra.runtime.choices
        self._loader = loader
        self._experiment = [] if (name := choices.get("experiment")) is None else [f"experiment={name}"]
        self._defaults: dict[str, str] = {group: choices[group] for group in CHOSEN}
        self._files: dict[str, ConfigResult] = {}
        self._over: Any = self._read(f"experiment/{name}").config if name is not None else OmegaConf.create()
        self._composed = {tuple(self._defaults.values()): _without_hydra(config)}
        self._nodes: dict[tuple[str, str], DictConfig] = {}
        self._options: dict[str, list[str]] = {}
        self._asked: dict[str, dict[str, None]] = {group: {} for group in CHOSEN}

    def choices(self, asked: Mapping[str, Any]) -> dict[str, str]:
        """The option of every group; the default stands for one that does not exist, so that all else can be checked."""
        named = {group: asked[group] for group in CHOSEN if group in asked and asked[group] in self._options_of(group)}
        return {**self._defaults, **named}

    def _options_of(self, group: str) -> list[str]:
        if group not in self._options:
            self._options[group] = self._loader.get_group_options(group)
        return self._options[group]

    def matching(self, axes: Mapping[str, list[Any] | Glob]) -> tuple[dict[str, list[Any]], list[str]]:
        """``axes`` with the options that each glob matches, and a message for a glob that matches none."""
        expanded = {
            key: values.filter(self._options_of(key)) if isinstance(values, Glob) else values for key, values in axes.items()
        }
        none = [key for key, values in expanded.items() if not values]
        messages = [f"{key}: the glob matches none of {', '.join(self._options_of(key))}" for key in none]
        return {key: values for key, values in expanded.items() if values}, messages

    def unknown_options(self, asked: Mapping[str, Any]) -> list[str]:
        """A message for each option that does not exist."""
        return [
            no_option(group, name, self._options_of(group))
            for group, name in asked.items()
            if group in CHOSEN and name not in self._options_of(group)
        ]

    def prepare(self, asked: Mapping[str, Any]) -> None:
        """Compose the choice that ``asked`` makes, unless that was done, and learn the keys of its options."""
        chosen = self.choices(asked)
        self._of(chosen)
        for group, name in chosen.items():
            self._asked[group][name] = None

    def learn(self, group: str, name: str) -> None:
        """Know the keys of an option that no combination asks for."""
        if name in self._options_of(group):
            self._asked[group][name] = None

    def _of(self, chosen: Mapping[str, str]) -> DictConfig:
        """The config of a choice."""
        key = tuple(chosen.values())
        if key not in self._composed:
            if all(self._stays(*option) for option in [*self._defaults.items(), *chosen.items()]):
                config = self._of(self._defaults).copy()
                for group, name in chosen.items():
                    if name != self._defaults[group]:
                        config[group] = self._node(group, name)
            else:
                config = self._by_hydra(chosen)
            self._composed[key] = config
        return self._composed[key]

    def _node(self, group: str, name: str) -> DictConfig:
        """What an option that stays in its group is composed to, whatever else is chosen."""
        if (group, name) not in self._nodes:
            if all(entry == "_self_" or _chooses(entry) for entry in self._over.get("defaults", ())):
                node = OmegaConf.merge(self._read(f"{group}/{name}").config, self._over.get(group) or {})
            else:
                node = self._by_hydra({**self._defaults, group: name})[group]
            self._nodes[group, name] = cast(DictConfig, node)
        return self._nodes[group, name]

    def _stays(self, group: str, name: str) -> bool:
        """Whether an option's file, as it is written, stays in its group: it has no package and no defaults list of its own.

        The experiment needs no such look: Hydra reads its defaults list first, so that no option can be named in it.
        """
        file = self._read(f"{group}/{name}")
        return file.header["package"] is None and "defaults" not in file.config

    def _read(self, path: str) -> ConfigResult:
        if path not in self._files:
            sources = self._loader.get_sources()
            self._files[path] = next(source.load_config(path) for source in sources if source.is_config(path))
        return self._files[path]

    def _by_hydra(self, chosen: Mapping[str, str]) -> DictConfig:
        overrides = [*self._experiment, *(f"{group}={name}" for group, name in chosen.items())]
        return _without_hydra(self._loader.load_configuration("config", overrides, run_mode=RunMode.RUN))

    def _fields(self, group: str) -> set[str]:
        """The keys that the options of a group have which the sweep asks for."""
        return set().union(*(self._own_keys(group, name) for name in self._asked[group]))

    def _own_keys(self, group: str, name: str) -> set[str]:
        """The keys that the file of an option has: an experiment may have written those of another option beside them."""
        stays = self._stays(group, name)
        written = self._read(f"{group}/{name}").config if stays else self._of({**self._defaults, group: name})[group]
        return set(_keys(OmegaConf.to_container(written, resolve=False) if isinstance(written, DictConfig) else written))

    def unknown_keys(self, asked: Mapping[str, Any]) -> list[str]:
        """A message for each key that no option of the sweep has."""
        config = self._of(self.choices(asked))
        said = (self._unknown(key, value, config) for key, value in asked.items() if key not in CHOSEN)
        return [message for message in said if message]

    def plain(self, asked: Mapping[str, Any]) -> dict[str, Any]:
        """The composed config as plain values, with the values of ``asked`` laid over it.

        A key that only other options of the same sweep have is unused here, and passed over. Raises InputErrors for a reference
        that leads nowhere.
        """
        config = self._of(self.choices(asked)).copy()
        for key, value in asked.items():
            if key not in CHOSEN and self._exists(config, key):
                OmegaConf.update(config, key, value, force_add=True)
        for group, name in self.choices(asked).items():
            for key in set(self._over.get(group) or ()) & self._fields(group) - self._own_keys(group, name):
                del config[group][key]  # it is for another option of the sweep
        try:
            return cast(dict[str, Any], OmegaConf.to_container(config, resolve=True))
        except OmegaConfBaseException as error:
            raise InputErrors([unresolved(error)]) from None

    @staticmethod
    def _exists(config: DictConfig, key: str) -> bool:
        parent, _, name = key.rpartition(".")
        node = OmegaConf.select(config, parent) if parent else config
        return isinstance(node, DictConfig) and name in node

    def _unknown(self, key: str, value: Any, config: DictConfig) -> str | None:
        first, _, rest = key.partition(".")
        if first in CHOSEN:
            parent = rest.rpartition(".")[0]
            fields = self._fields(first)
            beside = sorted(known.rpartition(".")[2] for known in fields if known.rpartition(".")[0] == parent)
            if rest in fields:
                return None
            elsewhere = sorted(known for known in fields if f".{known}".endswith(f".{rest.rpartition('.')[2]}"))
            return f"{key}: unknown key; write {first}.{elsewhere[0]}" if elsewhere else unknown_key(key, value, beside)
        if not self._exists(config, key):
            section = OmegaConf.select(config, key.rpartition(".")[0]) if rest else None
            if rest and first in ROOT_KEYS and not isinstance(config.get(first), DictConfig):
                return f"{key}: {first} has no keys: write its whole value, {first}=..."
            at_root = [*CHOSEN, *ROOT_KEYS, "experiment"]
            return unknown_key(key, value, [str(name) for name in section] if isinstance(section, DictConfig) else at_root)
        return None


def _without_hydra(config: DictConfig) -> DictConfig:
    kept = OmegaConf.masked_copy(config, [str(name) for name in config if name != "hydra"])
    OmegaConf.set_struct(kept, False)
    return kept


def _chooses(entry: Any) -> bool:
    """Whether an entry of a defaults list only chooses an option, and brings in no file of its own."""
    return isinstance(entry, DictConfig) and all(str(key).startswith("override ") for key in entry)


def _keys(node: Any, prefix: str = "") -> Iterator[str]:
    """The keys of an option, those inside a part of it with a dot: k1, bm25.k1."""
    for name, value in node.items() if isinstance(node, dict) else ():
        if name != "_target_":
            yield f"{prefix}{name}"
            yield from _keys(value, f"{prefix}{name}.")
