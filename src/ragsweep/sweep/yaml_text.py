"""Plain values as YAML that a person can read and Hydra reads back."""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

# What YAML takes for the end of a line or refuses, and JSON leaves as it is.
_ESCAPED = re.compile("[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff\ud800-\udfff]")


def yaml_lines(values: Mapping[str, Any], indent: str = "") -> Iterator[str]:
    """A line for each value, nested mappings indented: every JSON scalar and list is one of YAML."""
    for key, value in values.items():
        if isinstance(value, Mapping) and value:
            yield f"{indent}{key}:"
            yield from yaml_lines(value, indent + "  ")
        else:
            yield f"{indent}{key}: {scalar(value)}"


def scalar(value: Any) -> str:
    """A value on one line."""
    return _ESCAPED.sub(lambda found: f"\\u{ord(found[0]):04x}", json.dumps(value, ensure_ascii=False))


def literal(value: Any) -> Any:
    """``value`` with every text in it written so that Hydra takes no ``${...}`` in it for a reference.

    >>> print(literal("costs ${x}"))
    costs \\${x}
    """
    if isinstance(value, Mapping):
        return {key: literal(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [literal(each) for each in value]
    return re.sub(r"(\\*)\$\{", r"\1\1\\${", value) if isinstance(value, str) else value
