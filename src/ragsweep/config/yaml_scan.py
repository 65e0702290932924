"""Scalars that YAML 1.1 turns into something else (no, 010, 12:30): found before composing, with a hint to quote them."""

import re
from pathlib import Path

import yaml

_TURNED = {
    "a truth value": re.compile(r"(?:yes|Yes|YES|no|No|NO|on|On|ON|off|Off|OFF)"),
    "an octal number": re.compile(r"[-+]?0[0-7_]+"),
    "a number to base 60": re.compile(r"[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+(?:\.[0-9_]*)?"),
}
_MEANT = {("dedupe", "off"), ("dedupe", "Off"), ("dedupe", "OFF")}


def turned_scalars(path: Path) -> list[str]:
    """One message a plain scalar of the file that would not be read as it is written; one for a file that is no YAML."""
    try:
        root = yaml.compose(path.read_text(encoding="utf-8-sig"), Loader=yaml.SafeLoader)
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        return [f"{path.name}: is not YAML: {' '.join(str(error).split())}"]
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
        for kind, pattern in _TURNED.items():
            if pattern.fullmatch(node.value):
                problems.append(
                    f"{name}:{node.start_mark.line + 1}: {key + ': ' if key else ''}{node.value} is read as {kind}: "
                    f"write it in quotes, {node.value!r}, if text is meant"
                )
