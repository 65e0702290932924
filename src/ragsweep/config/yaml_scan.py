"""Scalars that YAML turns into something else (no, 010, 12:30, 1E234): found before composing, with a hint to quote them."""

import re
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import Any

import yaml
from omegaconf import OmegaConf
from omegaconf.errors import OmegaConfBaseException

from ragsweep.errors import InputError, InputErrors

_TURNED = {
    ("a truth value", "true or false"): re.compile(r"(?:yes|Yes|YES|no|No|NO|on|On|ON|off|Off|OFF)"),
    ("an octal number", "no leading 0"): re.compile(r"[-+]?0[0-7_]+"),
    ("a number to base 60", "the number"): re.compile(r"[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+(?:\.[0-9_]*)?"),
    # 1e-3 is left alone: it can only be meant as a number.
    ("a number with an exponent", "all its digits"): re.compile(r"[-+]?[0-9][0-9_]*[eE][+]?[0-9]+"),
}
MOST_BY_ALIASES = 10_000
"""Values that aliases may stand for; nine lines of ten aliases each stand for a billion."""
_TEXTS = ("tag:yaml.org,2002:str", "tag:yaml.org,2002:merge")
"""Kinds of keys: a text, and << for what is merged in."""
_MEANT = {("dedupe", "off"), ("dedupe", "Off"), ("dedupe", "OFF")}


def load(path: Path) -> Any:
    """What a YAML file holds, as a config. Raises InputError where it cannot be read, InputErrors for keys that are no text."""
    try:
        wrong = list(_keys_of_other_kinds(_composed(path), path.name))
        if wrong:
            raise InputErrors(wrong)
        return OmegaConf.load(path)
    except RecursionError:
        name = f"{path.parent.name}/{path.name}"
        raise InputError(f"{name}: a value holds itself (by an alias, *name), or is nested too deep: write it out") from None
    except (yaml.YAMLError, UnicodeDecodeError, OmegaConfBaseException) as error:
        raise InputError(f"{path.parent.name}/{path.name} is not YAML: {' '.join(str(error).split())}") from None


def _composed(path: Path) -> yaml.Node | None:
    root = yaml.compose(path.read_text(encoding="utf-8-sig"), Loader=yaml.SafeLoader)
    sizes: dict[int, int] = {}
    if root is not None and (more := _values(root, sizes) - len(sizes)) > MOST_BY_ALIASES:
        raise InputError(
            f"{path.parent.name}/{path.name}: its aliases (*name) stand for {more:,} more values, over {MOST_BY_ALIASES:,}: "
            "write out what is meant"
        )
    return root


def _values(node: yaml.Node, sizes: dict[int, int]) -> int:
    """How many values a node stands for, each alias written out; ``sizes`` are those of the distinct nodes, by identity."""
    if id(node) not in sizes:
        pairs = node.value if isinstance(node, yaml.CollectionNode) else []
        children = chain.from_iterable(pairs) if isinstance(node, yaml.MappingNode) else pairs
        sizes[id(node)] = 1 + sum(_values(child, sizes) for child in children)
    return sizes[id(node)]


def _keys_of_other_kinds(node: yaml.Node | None, name: str) -> Iterator[str]:
    """A message for each key of a mapping that is no text, at every level."""
    if isinstance(node, yaml.MappingNode):
        begun = ((key, value.value) for key, value in node.value if isinstance(value, yaml.ScalarNode))
        cut = next(((key.value, text) for key, text in begun if re.fullmatch(r"[a-z]+\([^)]*", text)), None)
        for key, value in node.value:
            if key.tag not in _TEXTS and cut is not None:
                where, (axis, text) = f"{name}:{key.start_mark.line + 1}", cut
                yield f"{where}: {axis}: {text}: YAML ends it at the comma: write it in quotes, {axis}: '{text},...'"
            elif key.tag not in _TEXTS:
                shown = key.value if isinstance(key, yaml.ScalarNode) else "a list or mapping"
                line = key.start_mark.line + 1
                yield f"{name}:{line}: the key {shown} is no text: write a name such as top_k, or put it in quotes"
            yield from _keys_of_other_kinds(value, name)
    elif isinstance(node, yaml.SequenceNode):
        for item in node.value:
            yield from _keys_of_other_kinds(item, name)


def turned_scalars(path: Path) -> list[str]:
    """One message a plain scalar of the file that would not be read as it is written."""
    root = _composed(path)
    problems: list[str] = []
    if root is not None:
        _scan(root, "", path.name, problems)
    return problems


def _scan(node: yaml.Node, key: str, name: str, problems: list[str]) -> None:
    if isinstance(node, yaml.MappingNode):
        for key_node, value in node.value:
            _scan(key_node, "", name, problems)
            _scan(value, str(key_node.value), name, problems)
    elif isinstance(node, yaml.SequenceNode):
        for item in node.value:
            _scan(item, key, name, problems)
    elif isinstance(node, yaml.ScalarNode) and node.style is None and (key, node.value) not in _MEANT:
        for (kind, instead), pattern in _TURNED.items():
            if pattern.fullmatch(node.value):
                problems.append(
                    f"{name}:{node.start_mark.line + 1}: {key + ': ' if key else ''}{node.value} is read as {kind}: "
                    f"write {node.value!r} in quotes for text, else {instead}"
                )
