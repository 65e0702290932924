"""A Setup: one RAG pipeline, as the parts that it needs and nothing else. Its id is what it would compute."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields, is_dataclass
from functools import cache
from importlib import import_module
from importlib.metadata import entry_points
from keyword import iskeyword
from typing import Any, cast, get_type_hints

from ragsweep.embedders.minilm import MiniLM
from ragsweep.errors import InputError, contained
from ragsweep.files import digest
from ragsweep.parts import Chunker, Component, Embedder, Generator, Need, RagType, Reranker, Retriever
from ragsweep.text.keywords import Language

GROUPS = ("rag_type", "chunker", "embedder", "retriever", "reranker", "generator")
"""The replaceable parts, in the order in which names and tables show them."""
CHOSEN = (*GROUPS, "judge")
"""All that has options of its own: the parts of setups, and what is one for a run."""
_VALUES = ("top_k", "top_n", "dedupe", "context_words")
"""The root values that are a setup's own."""

SENTENCE_EMBEDDER: Embedder = MiniLM()
"""The extractive generator compares sentences by these vectors, whatever the embedder of the retriever (SPEC 6)."""


def component_class(target: str) -> type:
    """The class named by ``_target_``: inside ragsweep, or inside an installed package that declares ``ragsweep.components``.

    Raises InputError for any other place, so that a config cannot name arbitrary code.
    """
    module, _, name = target.rpartition(".")
    allowed = _packages()
    if module.partition(".")[0] not in allowed:
        raise InputError(
            f"_target_={target!r}: write a class inside {' or '.join(sorted(allowed))}; "
            "another package must declare the entry point group 'ragsweep.components'"
        )
    try:
        with contained():
            found = getattr(import_module(module), name)
    except (ImportError, AttributeError):
        raise InputError(f"_target_={target!r}: there is no such class") from None
    if not (isinstance(found, type) and is_dataclass(found)):
        raise InputError(f"_target_={target!r}: is no part: write a dataclass")
    return found


@cache
def _packages() -> set[str]:
    return {"ragsweep", *(point.value.partition(".")[0] for point in entry_points(group="ragsweep.components"))}


def describe(part: Component) -> dict[str, Any]:
    """What a part is, as JSON values: its class, version and fields. Its frozen form."""
    cls = type(part)
    return {"_target_": f"{cls.__module__}.{cls.__qualname__}", "version": cls.version, **asdict(cast(Any, part))}


NOT_OF_IDENTITY = ("path", "base_url", "key_env", "limits", "batch_size", "verify_batch")
"""Fields that say where a model is and how it is asked, and change nothing that it says."""


def identity(part: Component) -> dict[str, Any]:
    """Everything that another result of the same inputs could come from. Raises InputError when a local model is not there."""
    described = {name: value for name, value in describe(part).items() if name not in NOT_OF_IDENTITY}
    return {**described, "model": part.model} if hasattr(part, "model") else described


def restore(description: Mapping[str, Any]) -> Component:
    """The part that ``describe`` described."""
    return cast(Component, _restore(component_class(description["_target_"]), description))


def _restore(cls: Any, values: Mapping[str, Any]) -> Any:
    hints = _hints(cls)
    given = {entry.name: values[entry.name] for entry in fields(cls)}
    return cls(**{name: _restore(hints[name], value) if is_dataclass(hints[name]) else value for name, value in given.items()})


_hints = cache(get_type_hints)
"""A plan restores every setup, and reading annotations is most of the price."""


def field_name(key: str) -> str:
    """The field that a key names. A word of Python, such as lambda, has an underscore behind it in code.

    >>> field_name("k1"), field_name("lambda")
    ('k1', 'lambda_')
    """
    return f"{key}_" if iskeyword(key) else key


INSTEAD = {
    "reranker": "reranker=none, or a model behind a server: reranker=llm",
    "generator": "rag_type=search, which needs none, or a model behind a server: generator=openai, ollama or anthropic",
}
"""The parts that can read whatever a retriever brings."""


@dataclass(frozen=True)
class Setup:
    """One combination. ``embedder`` and ``generator`` are None when no part needs them. ``dedupe`` None keeps all copies.

    With contexts of another system there is no ``chunker``, and no copy of theirs is left out: they are ranked as they came.

    ``context_words`` is the room for final hits, None when only their number, ``top_n``, is limited.
    """

    rag_type: RagType
    chunker: Chunker | None
    embedder: Embedder | None
    retriever: Retriever
    reranker: Reranker
    generator: Generator | None
    top_k: int
    top_n: int
    dedupe: float | None
    context_words: int | None = None

    @classmethod
    def of(cls, parts: Mapping[str, Any], **values: Any) -> "Setup":
        """A setup of ``parts`` by group name, without those that the others do not need, and of its root values."""
        needs = _needs(parts["rag_type"], parts["retriever"], parts["reranker"])
        kept = dict(parts)
        if "generator" not in needs:
            kept["generator"] = None
        if "vectors" not in needs:
            kept["embedder"] = None
        if "contexts" in needs:
            kept["chunker"] = values["dedupe"] = None
        return cls(**kept, **values)

    @property
    def needs(self) -> frozenset[Need]:
        """What has to be prepared for this setup."""
        return _needs(self.rag_type, self.retriever, self.reranker, self.generator)

    @property
    def impossible(self) -> list[str]:
        """Why its parts cannot stand together: some need what is made of chunks, and there are none."""
        if self.chunker is not None:
            return []
        parts = {group: getattr(self, group) for group in INSTEAD}
        return [
            f"{group}: {type(part).__name__} needs {' and '.join(sorted(lacking))} of chunks that ragsweep cuts, and the "
            f"retriever brings contexts of its own: write {INSTEAD[group]}"
            for group, part in parts.items()
            if (lacking := _needs(part) & {"vectors", "bm25", "sentences"})
        ]

    @property
    def query_embedders(self) -> tuple[Embedder, ...]:
        """The distinct embedders whose vectors of queries its parts ask for."""
        wanted = [self.embedder, SENTENCE_EMBEDDER if "sentences" in self.needs else None]
        return tuple(dict.fromkeys(embedder for embedder in wanted if embedder is not None))

    @property
    def sentence_language(self) -> Language:
        """The language of the stems of its sentences: that of the generator, which compares them."""
        language: Language = getattr(self.generator, "language", "english")
        return language

    @property
    def is_ours(self) -> bool:
        """Whether all its parts are of ragsweep, and none of another package."""
        parts = (getattr(self, group) for group in GROUPS)
        return all(part is None or type(part).__module__.startswith("ragsweep.") for part in parts)

    def describe(self) -> dict[str, Any]:
        """The setup as JSON values; ``Setup.restore`` is its inverse."""
        parts = {group: getattr(self, group) for group in GROUPS}
        described = {group: describe(part) if part is not None else None for group, part in parts.items()}
        return {**described, **{key: getattr(self, key) for key in _VALUES}}

    @classmethod
    def restore(cls, description: Mapping[str, Any]) -> "Setup":
        """The setup that ``describe`` described."""
        parts = {group: restore(description[group]) if description[group] else None for group in GROUPS}
        values = {key: description[key] for key in _VALUES}
        return cls(**cast(Any, parts), **values)

    def id(self, documents: Sequence[tuple[str, str]]) -> str:
        """16 hex digits of what the setup computes over ``documents``, given as (id, key of the parsed text)."""
        parts = {group: getattr(self, group) for group in GROUPS}
        setup = {group: identity(part) if part is not None else None for group, part in parts.items()}
        setup |= {key: getattr(self, key) for key in _VALUES}
        return digest({"setup": setup, "documents": [list(pair) for pair in documents]})[:16]


def _needs(*parts: Component | None) -> frozenset[Need]:
    return frozenset[Need]().union(*(part.needs for part in parts if part is not None))
