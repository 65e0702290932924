"""Plain values onto dataclasses, strictly: unknown keys, wrong types and bad values are collected with their paths."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass
from difflib import get_close_matches
from functools import cache
from typing import Any, cast, get_args, get_origin, get_type_hints

from pydantic import ConfigDict, TypeAdapter, ValidationError

from ragsweep.config.prices import price_problems
from ragsweep.config.root import ROOT_KEYS, RootConfig
from ragsweep.errors import ImpossibleError, InputError, InputErrors, nearest
from ragsweep.judges.judging import Judge
from ragsweep.models.server import Server
from ragsweep.places import packaged
from ragsweep.reporting.naming import option as written
from ragsweep.setups import CHOSEN, GROUPS, Setup, component_class, field_name

_WRITE = {
    "int_type": "write a whole number",
    "int_from_float": "write a whole number",
    "float_type": "write a number",
    "string_type": "write text",
    "list_type": "write a list, as in [a, b]",
    "tuple_type": "write a list, as in [a, b]",
    "dict_type": "write keys and values",
    "dataclass_type": "write keys and values",
    "bool_type": "write true or false",
    "greater_than_equal": "write a whole number of 1 or more",
    "greater_than": "write a number over 0",
    "less_than_equal": "write a number up to 1",
}


AXES = ("chunk_size", "chunk_overlap", "top_k", "top_n", "context_words", "dedupe")
"""Root values of numbers of which a sweep may try several."""
METHODS = dict(zip(CHOSEN, ("answer", "split", "embed", "rank", "rerank", "generate", "judge"), strict=True))
"""The method by which a class is a part of its group (see the Protocols in ragsweep.types)."""


@cache
def adapter(cls: type) -> TypeAdapter[Any]:
    """The strict check of a dataclass, and its schema."""
    cls.__pydantic_config__ = ConfigDict(strict=True, extra="forbid")  # type: ignore[attr-defined]
    return TypeAdapter(cls)


def build(cls: type, values: Mapping[str, Any], path: str = "") -> Any:
    """An instance of the dataclass ``cls``, and of the dataclasses that its fields hold. Raises InputErrors.

    A null is a value that was not written.
    """
    try:
        # As JSON, because strict means an instance, not a mapping, for a dataclass given as a Python value.
        return adapter(cls).validate_json(json.dumps(_without_nulls(cls, values)))
    except ValidationError as error:
        impossible = all(problem["type"] == "value_error" for problem in error.errors())
        raise (ImpossibleError if impossible else InputErrors)(_messages(error, cls, path)) from None


def _without_nulls(cls: type, values: Mapping[str, Any]) -> dict[str, Any]:
    known = {entry.name for entry in fields(cls)}
    given = {field_name(str(key)): value for key, value in values.items()}
    given = {name: value for name, value in given.items() if not (value is None and name in known)}
    for name, hint in get_type_hints(cls).items():
        if is_dataclass(hint) and isinstance(given.get(name), Mapping):
            given[name] = _without_nulls(cast(type, hint), given[name])
    return given


def build_root(values: Mapping[str, Any]) -> RootConfig:
    """The root values, without the groups. Raises InputErrors."""
    if wrong := price_problems(values.get("prices") or {}):
        rest = {key: value for key, value in values.items() if key != "prices"}
        try:
            build_root(rest)
        except InputErrors as error:
            wrong += error.messages
        raise InputErrors(wrong)
    return cast(RootConfig, build(RootConfig, {key: value for key, value in values.items() if key not in CHOSEN}))


def build_setup(values: Mapping[str, Any]) -> Setup:
    """One composed config, as plain values, to its Setup.

    Raises InputErrors with every mistake, a lost model too; ImpossibleError when all values are right each for itself.
    """
    problems: list[str] = []
    impossible = True
    parts: dict[str, Any] = {}
    for group in GROUPS:
        try:
            parts[group] = _part(group, values[group])
        except InputErrors as error:
            problems.extend(error.messages)
            impossible &= isinstance(error, ImpossibleError)
    try:
        root = build_root(values)
        problems = [*root.impossible, *problems]
    except InputErrors as error:
        wrong = tuple(f".{message.partition('=')[0]}=" for message in error.messages)
        # A wrong root value is told once, not again for each part that takes it over.
        problems = [*error.messages, *(said for said in problems if not any(key in said for key in wrong))]
        impossible &= isinstance(error, ImpossibleError)
    if problems:
        raise (ImpossibleError if impossible else InputErrors)(problems)
    setup = Setup.of(parts, top_k=root.top_k, top_n=root.cut, dedupe=root.threshold, context_words=root.context_words)
    if setup.impossible:
        raise ImpossibleError(setup.impossible)
    try:
        setup.id(())
    except InputError as error:
        raise InputErrors([f"embedder: {error}"]) from None
    return setup


def build_judge(values: Mapping[str, Any]) -> Judge | None:
    """The judge of a composed config, None for nobody. Raises InputErrors."""
    judge = _part("judge", values["judge"])
    return cast(Judge, judge) if "server" in judge.needs else None


def _part(group: str, option: Any) -> Any:
    """One part of a composed config. Raises InputErrors; ImpossibleError when its values are right each for itself."""
    if not isinstance(option, Mapping):
        raise InputErrors([f"{group}={option!r}: write the name of one option; several are an axis of sweep:"])
    values = dict(option)
    try:
        cls = component_class(str(values.pop("_target_", "")))
        if not hasattr(cls, METHODS[group]):
            raise InputError(f"_target_={cls.__name__!r} is no {group}: it has no method {METHODS[group]}")
    except InputError as error:
        raise InputErrors([f"{group}: {error}"]) from None
    try:
        return build(cls, values, group)
    except ImpossibleError:
        raise
    except InputErrors as error:
        raise InputErrors([*error.messages, *_without_key(group, cls, values)]) from None


def _without_key(group: str, cls: Any, values: Mapping[str, Any]) -> list[str]:
    """That the key of a part's server is not there: it is asked for once a part is whole, and of one that is not by this."""
    written = {name: values.get(name) or getattr(cls, name, None) for name in ("base_url", "key_env")}
    known = "server" in cls.needs and all(isinstance(value, str | None) for value in written.values())
    if not known or written["base_url"] is None:
        return []
    try:
        Server(written["base_url"], written["key_env"]).key()
    except InputError as error:
        return [f"{group}: {error}"]
    return []


def unknown_key(key: str, value: Any, known: Sequence[str]) -> str:
    """The message for a key that nothing has; says so when it is a root value written under a group.

    >>> unknown_key("reranker.topn", 3, [])
    'reranker.topn: top_n is a root value: write top_n=3'
    """
    group, _, name = key.rpartition(".")
    root = get_close_matches(name, ROOT_KEYS, n=1) if group in CHOSEN and not get_close_matches(name, known) else []
    if root:
        shown = "..." if isinstance(value, str) else value  # a text may be a secret at the wrong place
        return f"{key}: {root[0]} is a root value: write {root[0]}={shown}"
    if "key_env" in known and "key" in name.lower():
        return f"{key}: a key is never written down: write {group}.key_env=NAME, the environment variable that holds it"
    none = group in CHOSEN and not known
    return f"{key}: unknown key; {f'the {group} that is chosen has none' if none else nearest(name, known)}"


CALLED: Mapping[str, Mapping[str, str]] = {
    "retriever": {"vector": "dense", "semantic": "dense", "embedding": "dense", "keyword": "bm25", "lexical": "bm25"},
    "reranker": {"none": "none", "null": "none", "off": "none", "no": "none", "false": "none"},
}
"""Other names of the field for the same thing, in lower case; YAML reads null as None, and off and no as False."""


def no_option(group: str, name: Any, options: Sequence[str]) -> str:
    """The message for an option that a group does not have.

    >>> no_option("reranker", None, ["blend", "none"])
    'reranker=null: there is no such option; use none (reranker=? lists all)'
    """
    known = CALLED.get(group, {}).get(str(name).lower())
    instead = f"use {known}" if known else nearest(str(name), options)
    return f"{written(group, name)}: there is no such option; {instead} ({group}=? lists all)"


def _messages(error: ValidationError, cls: type, path: str) -> list[str]:
    """One message a field: pydantic gives one for each type that a value might have been."""
    messages: dict[tuple[str, str], str] = {}
    for problem in error.errors():
        names, owner, hint = [path] if path else [], cls, cast(Any, cls)
        for name in map(str, problem["loc"]):
            names.append(name.rstrip("_"))
            hint = get_type_hints(hint).get(name) if is_dataclass(hint) else get_args(hint)[1]
            if is_dataclass(hint):
                owner = cast(type, hint)
            elif get_origin(hint) is not dict or not is_dataclass(get_args(hint)[1]):
                break
        said = str(problem["ctx"]) if problem["type"] == "value_error" else ""
        key = (".".join(names), said)
        if key not in messages:
            messages[key] = _message(key[0], problem, owner)
        elif problem["type"] == "literal_error":
            messages[key] += f" or {problem['ctx']['expected']}"
        elif problem["type"] in ("list_type", "dict_type"):
            messages[key] += f" or {_WRITE[problem['type']].removeprefix('write ')}"
    # InputErrors of a field's own check: each is one.
    return [line for message in messages.values() for line in message.splitlines()]


def _meaning(cls: type, name: str) -> str:
    """What conf/ says of a value of ``cls``, behind a colon; empty for a class that is not there."""
    texts = (path.read_text(encoding="utf-8") for path in sorted(packaged("conf").glob("*/*.yaml")))
    lines = (
        re.search(rf"^{re.escape(name)}: .*?# +(.+)$", text, re.MULTILINE)
        for text in texts
        if f"_target_: {cls.__module__}.{cls.__qualname__}\n" in text
    )
    return next((f": {line[1]}" for line in lines if line), "")


def _message(key: str, problem: Any, cls: type) -> str:
    kind, found = problem["type"], problem.get("input")
    if kind == "unexpected_keyword_argument":
        known = [*CHOSEN, *ROOT_KEYS] if cls is RootConfig else [entry.name for entry in fields(cls)]
        return unknown_key(key, found, known)
    if kind == "value_error":
        text = str(problem["ctx"]["error"])
        return text if not key or re.split(r"[.=:]", text)[0] in ROOT_KEYS else f"{key}: {text}"
    if kind == "missing":
        return f"{key}: write a value for it{_meaning(cls, key.rpartition('.')[2])}"
    if kind == "literal_error":
        known = re.findall("'(.*?)'", problem["ctx"]["expected"])
        instead = nearest(str(found).lower(), known) if len(known) > 5 else f"write {problem['ctx']['expected']}"
        return f"{key}={found!r}: {instead}"
    keys = f": {', '.join(entry.name for entry in fields(cls))}" if kind == "dataclass_type" else ""
    nullable = kind.endswith("_type") and any(
        entry.name == problem["loc"][-1] and entry.default is None for entry in fields(cls)
    )
    are_several = isinstance(found, list) or (isinstance(found, str) and re.match(r"range\(|.*,", found))
    several = f"; several are an axis, under sweep or as {key}=5,10 on the command line" if are_several and key in AXES else ""
    return f"{key}={found!r}: {_WRITE.get(kind, problem['msg'])}{keys}{', or null' if nullable else ''}{several}"
