"""The text of a new experiment.yaml: what is set, among every other root value of conf/config.yaml with its comment."""

import re
from collections.abc import Iterator, Mapping
from math import inf
from typing import Any

import yaml

from ragsweep.places import packaged
from ragsweep.setups import CHOSEN

HEAD = "# {question}\n# A line that begins with # holds a default: take the # away to change it.\n"
"""The first lines of the file."""
_GROUP = re.compile(r"^  - (\w+): (\w+)$", re.MULTILINE)
_KEY = re.compile(r"( *)(\w+):\s*(.*?)\s*(#.*)?")
_COMMENT_COLUMN = 24


def experiment_file(question: str, values: Mapping[str, Any]) -> str:
    """The file with ``values`` by root key (``rag_type``, ``dataset.files``) set, and every other as a comment.

    A mapping at the root (``sweep``) is written a line each. A key that is none of the root raises KeyError.
    """
    config = (packaged("conf") / "config.yaml").read_text(encoding="utf-8")
    root = re.search(r"^dataset:.*?(?=\n\nexperiment_dir:)", config, re.MULTILINE | re.DOTALL)
    parts = ((name, default) for name, default in _GROUP.findall(config) if name in CHOSEN)
    groups = "\n".join(f"{f'{name}: {default}':<{_COMMENT_COLUMN - 2}}# {_options(name)}" for name, default in parts)
    dataset, _, others = root[0].partition("\n\n") if root else ("", "", "")
    left = dict(values)
    lines = [HEAD.format(question=question), *_rendered("\n\n".join((dataset, groups, others)), left)]
    if left:
        raise KeyError(*left)
    return "\n".join(lines) + "\n"


def _rendered(text: str, left: dict[str, Any]) -> Iterator[str]:
    """Every line of ``text``, live where ``left`` holds its key, which is taken from there; else as a comment."""
    section, live = "", False
    for line in text.splitlines():
        found = _KEY.fullmatch(line)
        if not found:
            yield line
            continue
        indent, key, default, comment = found.groups(default="")
        name = f"{section}.{key}" if indent else key
        if not indent:
            section, live = key, not default and any(each.startswith(f"{key}.") for each in left)
        value = left.pop(name, None)
        if value is not None:
            lines = isinstance(value, Mapping) and not indent
            yield _commented(f"{indent}{key}:" if lines else f"{indent}{key}: {_flow(value)}", comment)
            yield from (f"  {axis}: {_flow(each)}" for axis, each in (value.items() if lines else ()))
        elif live:
            yield line if not indent else f"{indent}# {line.strip()}"
        else:
            yield f"# {line}"


def _options(group: str) -> str:
    return ", ".join(sorted(path.stem for path in (packaged("conf") / group).glob("*.yaml")))


def _commented(text: str, comment: str) -> str:
    return f"{text:<{_COMMENT_COLUMN - 1}} {comment}".rstrip()


def _flow(value: Any) -> str:
    """A value as YAML on one line, in which OmegaConf finds no ``${...}`` to resolve."""
    written = _dump(value, allow_unicode=True)
    # PyYAML takes U+0085 and the like for letters and reads them as line ends: then everything unusual is escaped.
    return written if written.isprintable() else _dump(value, allow_unicode=False)


def _dump(value: Any, *, allow_unicode: bool) -> str:
    plain: str = yaml.safe_dump(
        [_literal(value)], default_flow_style=True, allow_unicode=allow_unicode, width=inf, sort_keys=False
    )
    return plain.strip()[1:-1]


def _literal(value: Any) -> Any:
    if isinstance(value, str):
        return re.sub(r"(\\*)\$\{", lambda found: rf"{found[1] * 2}\${{", value)
    if isinstance(value, Mapping):
        return {key: _literal(item) for key, item in value.items()}
    return [_literal(item) for item in value] if isinstance(value, list) else value
