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
    """Composes combinations of one experiment.

    Hydra composes the first choice of options, and each other option beside it. Any further choice is the first one with the
    nodes of its options in place, as long as the file of each option stays in its group; else Hydra composes it too.
    """

    def __init__(self, loader: ConfigLoader, experiment: str | None, defaults: Mapping[str, str]) -> None:
        self._loader = loader
        self._experiment = [] if experiment is None else [f"experiment={experiment}"]
        self._defaults = {group: defaults[group] for group in CHOSEN}
        self._first: Mapping[str, str] | None = None
        self._composed: dict[tuple[str, ...], DictConfig] = {}
        self._staying: dict[str, bool] = {}
        self._options = {group: self._loader.get_group_options(group) for group in CHOSEN}
        self._fields: dict[str, set[str]] = {group: set() for group in CHOSEN}
        self._own: dict[tuple[str, str], set[str]] = {}
        top: Any = self._read(f"experiment/{experiment}").config if experiment is not None else {}
        self._at_top = {group: set(top.get(group) or ()) for group in CHOSEN}

    def choices(self, asked: Mapping[str, Any]) -> dict[str, str]:
        """The option of every group; the default stands for one that does not exist, so that all else can be checked."""
        chosen = {group: asked.get(group, self._defaults[group]) for group in CHOSEN}
        return {group: name if name in self._options[group] else self._defaults[group] for group, name in chosen.items()}

    def matching(self, axes: Mapping[str, list[Any] | Glob]) -> tuple[dict[str, list[Any]], list[str]]:
        """``axes`` with the options that each glob matches, and a message for a glob that matches none."""
        expanded = {
            key: values.filter(self._options[key]) if isinstance(values, Glob) else values for key, values in axes.items()
        }
        none = [key for key, values in expanded.items() if not values]
        messages = [f"{key}: the glob matches none of {', '.join(self._options[key])}" for key in none]
        return {key: values for key, values in expanded.items() if values}, messages

    def unknown_options(self, asked: Mapping[str, Any]) -> list[str]:
        """A message for each option that does not exist."""
        return [
            no_option(group, name, self._options[group])
            for group, name in asked.items()
            if group in CHOSEN and name not in self._options[group]
        ]

    def prepare(self, asked: Mapping[str, Any]) -> None:
        """Compose the choice that ``asked`` makes, unless that was done, and learn the keys of its options."""
        self._of(self.choices(asked))

    def learn(self, group: str, name: str) -> None:
        """Know the keys of an option that no combination asks for."""
        if name in self._options[group]:
            self._fields[group] |= self._own_keys(group, name, {})

    def _of(self, chosen: Mapping[str, str]) -> DictConfig:
        """The config of a choice."""
        key = tuple(chosen.values())
        if key not in self._composed:
            first = self._first = self._first or chosen
            others = {group: name for group, name in chosen.items() if name != first[group]}
            if len(others) > 1 and all(self._stays(*option) for option in [*first.items(), *others.items()]):
                config = self._of(first).copy()
                for group, name in others.items():
                    config[group] = self._of({**first, group: name})[group]
            else:
                config = self._by_hydra(chosen)
            self._composed[key] = config
        return self._composed[key]

    def _stays(self, group: str, name: str) -> bool:
        """Whether an option's file, as it is written, stays in its group: it has no package and no defaults list of its own.

        The experiment needs no such look: Hydra reads its defaults list first, so that no option can be named in it.
        """
        path = f"{group}/{name}"
        if path not in self._staying:
            file = self._read(path)
            self._staying[path] = file.header["package"] is None and "defaults" not in file.config
        return self._staying[path]

    def _read(self, path: str) -> ConfigResult:
        return next(source.load_config(path) for source in self._loader.get_sources() if source.is_config(path))

    def _by_hydra(self, chosen: Mapping[str, str]) -> DictConfig:
        overrides = [*self._experiment, *(f"{group}={name}" for group, name in chosen.items())]
        config = self._loader.load_configuration("config", overrides, run_mode=RunMode.RUN)
        kept = OmegaConf.masked_copy(config, [str(name) for name in config if name != "hydra"])
        OmegaConf.set_struct(kept, False)
        written = cast(dict[str, Any], OmegaConf.to_container(kept, resolve=False))
        for group in CHOSEN:
            own = self._own.setdefault((group, chosen[group]), self._own_keys(group, chosen[group], written[group]))
            self._fields[group] |= own
        return kept

    def _own_keys(self, group: str, name: str, composed: Any) -> set[str]:
        """The keys that the file of an option has: an experiment may have written those of another option beside them."""
        written = self._read(f"{group}/{name}").config if self._stays(group, name) else composed
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
            node, own = config[group], self._own[group, name]
            for key in (self._at_top[group] & self._fields[group]) - own:
                del node[key]  # it is for another option of the sweep
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
            beside = sorted(known.rpartition(".")[2] for known in self._fields[first] if known.rpartition(".")[0] == parent)
            if rest in self._fields[first]:
                return None
            elsewhere = sorted(known for known in self._fields[first] if f".{known}".endswith(f".{rest.rpartition('.')[2]}"))
            return f"{key}: unknown key; write {first}.{elsewhere[0]}" if elsewhere else unknown_key(key, value, beside)
        if not self._exists(config, key):
            section = OmegaConf.select(config, key.rpartition(".")[0]) if rest else None
            if rest and first in ROOT_KEYS and not isinstance(config.get(first), DictConfig):
                return f"{key}: {first} has no keys: write its whole value, {first}=..."
            at_root = [*CHOSEN, *ROOT_KEYS, "experiment"]
            return unknown_key(key, value, [str(name) for name in section] if isinstance(section, DictConfig) else at_root)
        return None


def _keys(node: Any, prefix: str = "") -> Iterator[str]:
    """The keys of an option, those inside a part of it with a dot: k1, bm25.k1."""
    for name, value in node.items() if isinstance(node, dict) else ():
        if name != "_target_":
            yield f"{prefix}{name}"
            yield from _keys(value, f"{prefix}{name}.")
