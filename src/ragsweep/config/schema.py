"""The JSON schema of experiment.yaml, by which an editor completes and checks it: conf/experiment.schema.json, made from
the dataclasses, the options in conf/ and their comments.
"""

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, TypeAlias

import yaml

from ragsweep.config.door import adapter
from ragsweep.config.request import of_all
from ragsweep.config.root import ROOT_KEYS, RootConfig
from ragsweep.places import packaged
from ragsweep.reporting.columns import GATES, SORTS
from ragsweep.reporting.gate import is_least
from ragsweep.setups import CHOSEN, GROUPS, component_class

Schema: TypeAlias = dict[str, Any]


def schema_text() -> str:
    """What the file holds."""
    return json.dumps(experiment_schema(), ensure_ascii=False, indent=1) + "\n"


def experiment_schema() -> Schema:
    """The schema (draft 7). A value of a setup is defined once, and may stand at the root, in an axis and in a named setup."""
    root, comments = _schema(RootConfig)["properties"], _comments(packaged("conf") / "config.yaml")
    options = {group: _options(group) for group in CHOSEN}
    groups = {group: _group(options[group]) for group in CHOSEN}
    fields = {f"{group}.{key}": _field(key, options[group]) for group in CHOSEN for key in _keys(options[group])}
    of_root = {key: _described(_nullable(root[key]), comments.get(key)) for key in ROOT_KEYS}
    defined = {**groups, **{key: value for key, value in of_root.items() if not of_all(key)}, **fields}
    of_setup = {key: value for key, value in defined.items() if not of_all(key)}
    own: Schema = {
        **{key: value for key, value in of_root.items() if of_all(key)},
        "dataset": _section(root["dataset"], "dataset", comments),
        "store": _section(root["store"], "store", comments),
        "report": _section({"properties": {**root["report"]["properties"], "sort": {"enum": list(SORTS)}}}, "report", comments),
        "scorecard": _section(root["scorecard"], "scorecard", comments),
        "gate": _described(_nullable(_object({"setup": {"type": ["string", "null"]}, **_gates()})), comments["gate"]),
        "sweep": _described(_nullable(_object({key: _axis(value, key) for key, value in of_setup.items()})), comments["sweep"]),
        "setups": _described({"type": ["array", "null"], "items": _named(of_setup)}, comments["setups"]),
        "defaults": {"type": "array", "items": {"type": ["string", "object"]}},
        "hydra": {"type": "object"},
    }
    return {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": "An experiment of ragsweep",
        **_object(
            {
                **{group: {"anyOf": [_ref(group), _settings(group, fields)]} for group in CHOSEN},
                **{key: _ref(key) for key in defined if key in ROOT_KEYS or key in fields},
                **own,
            }
        ),
        "patternProperties": {r"^(dataset|store|report|scorecard|gate|sweep|hydra)\.\w": {}},  # their keys with a dot
        "definitions": defined,
    }


class _Option:
    """One option of a group: its line of meaning, and the schema and comment of each setting; those inside a part of it with a
    dot."""

    def __init__(self, path: Path) -> None:
        text = path.read_text(encoding="utf-8")
        self.name = path.stem
        self.meaning = text.partition("\n")[0].removeprefix("#").strip()
        self.comments = _comments(path)
        self.settings = dict(_flat(_schema(component_class(yaml.safe_load(text)["_target_"]))))


def _options(group: str) -> list[_Option]:
    return [_Option(path) for path in sorted((packaged("conf") / group).glob("*.yaml"))]


def _keys(options: list[_Option]) -> dict[str, None]:
    return dict.fromkeys(key for option in options for key in option.settings)


def _group(options: list[_Option]) -> Schema:
    return {"anyOf": [{"const": option.name, "description": option.meaning} for option in options]}


def _field(key: str, options: list[_Option]) -> Schema:
    """A setting of a part: what any option that has it takes."""
    owners = [option for option in options if key in option.settings]
    distinct = {json.dumps(option.settings[key]): option.settings[key] for option in owners}
    schema = {"anyOf": list(distinct.values())} if len(distinct) > 1 else owners[0].settings[key]
    said = next((option.comments[key] for option in owners if key in option.comments), None)
    of = f"of {', '.join(option.name for option in owners)}"
    return _described(_nullable(schema), f"{said} ({of})" if said else of)


def _settings(group: str, fields: Mapping[str, Schema]) -> Schema:
    """The settings of a part as a mapping, nested where a key has a dot."""
    properties: Schema = {}
    for key in (key.removeprefix(f"{group}.") for key in fields if key.startswith(f"{group}.")):
        inner, _, name = key.rpartition(".")
        place = properties.setdefault(inner, _object({}))["properties"] if inner else properties
        place[name] = _ref(f"{group}.{key}")
    return _object(properties)


def _axis(value: Schema, key: str) -> Schema:
    """The values of an axis: a list, one value, or a text in the grammar of the command line."""
    texts = {
        "type": "string",
        "pattern": r"^\w+\(.*\)$|,",
        "description": "range(100,301,100), a,b" + ", glob(*)" * (key in GROUPS),
    }
    description = {"description": value["description"]} if "description" in value else {}
    return {**description, "anyOf": [{"type": "array", "items": _ref(key), "minItems": 1}, _ref(key), texts]}


def _named(of_setup: Mapping[str, Schema]) -> Schema:
    return {**_object({"name": {"type": "string"}, **{key: _ref(key) for key in of_setup}}), "required": ["name"]}


def _gates() -> Schema:
    return {
        key: _nullable(
            {
                "type": "number",
                "minimum": 0,
                **({"maximum": 1, "description": "at least"} if is_least(key) else {"description": "at most"}),
            }
        )
        for key in GATES
    }


def _section(schema: Schema, name: str, comments: Mapping[str, str]) -> Schema:
    """A section of root values, each with its comment."""
    found = {key: _described(_nullable(value), comments.get(f"{name}.{key}")) for key, value in schema["properties"].items()}
    return _nullable(_object(found))


def _schema(cls: type) -> Schema:
    """A dataclass's schema as the door checks it, without references, titles, defaults and docstrings."""
    whole = adapter(cls).json_schema()
    defined = whole.pop("$defs", {})

    def plain(node: Any) -> Any:
        if isinstance(node, list):
            return [plain(each) for each in node]
        if not isinstance(node, dict):
            return node
        if "$ref" in node:
            return plain(defined[node["$ref"].rpartition("/")[2]])
        kept = {key: value for key, value in node.items() if key not in ("title", "default", "description")}
        properties = {name: plain(value) for name, value in node.get("properties", {}).items()}
        return {key: plain(value) for key, value in kept.items() if key != "properties"} | (
            {"properties": properties} if properties else {}
        )

    schema: Schema = plain(whole)
    return schema


def _flat(schema: Schema, prefix: str = "") -> Iterator[tuple[str, Schema]]:
    for name, value in schema.get("properties", {}).items():
        key = f"{prefix}{name.rstrip('_')}"
        if "properties" in value:
            yield from _flat(value, f"{key}.")
        else:
            yield key, value


def _comments(path: Path) -> dict[str, str]:
    """The comment behind each key of a YAML file, those inside a section with a dot."""
    found: dict[str, str] = {}
    section = ""
    for line in path.read_text(encoding="utf-8").splitlines():
        if read := re.match(r"( *)(\w+):[^#]*(?:# (.*))?$", line):
            indent, key, comment = read.groups()
            section = section if indent else key
            if comment:
                found[f"{section}.{key}" if indent else key] = comment
    return found


def _object(properties: Schema) -> Schema:
    return {"type": "object", "properties": properties, "additionalProperties": False}


def _nullable(schema: Schema) -> Schema:
    """``null`` means the default, for every value."""
    choices = schema.get("anyOf", [schema])
    return schema if {"type": "null"} in choices else {"anyOf": [*choices, {"type": "null"}]}


def _described(schema: Schema, description: str | None) -> Schema:
    return {"description": description, **schema} if description else schema


def _ref(key: str) -> Schema:
    return {"$ref": f"#/definitions/{key}"}
