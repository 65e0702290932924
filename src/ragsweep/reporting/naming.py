"""What a setup is called, and where its row stands."""

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ragsweep.results import Bounds, Description, Result
from ragsweep.setups import GROUPS

CHUNKING_KEYS = ("chunker", "chunk_size", "chunk_overlap", "length", "pdf", "context_words", "top_n")
"""What decides the floor and the ceiling: the chunks and the cut of the final view."""


def name(options: Mapping[str, Any], axes: Mapping[str, Sequence[Any]]) -> str:
    """A setup by what differs in the sweep: the words alone for groups, ``key=value`` for the rest; a lone setup by
    rag_type and chunker.

    >>> axes = {"chunk_size": [200, 300], "chunker": ["word", "paragraph"], "rag_type": ["simple", "adaptive"]}
    >>> name({"rag_type": "adaptive", "chunker": "paragraph", "chunk_size": 300, "top_k": 5}, axes)
    'adaptive + paragraph + chunk_size=300'
    >>> name({"rag_type": "simple", "chunker": "word", "chunk_size": 60}, {})
    'simple + word'
    """
    return _joined(options, _differing(axes)) or _joined(options, ("rag_type", "chunker"))


def chunking_name(options: Mapping[str, Any], axes: Mapping[str, Sequence[Any]]) -> str:
    """The chunks and the cut of a setup by what differs in the sweep, at least its chunker.

    >>> chunking_name({"rag_type": "simple", "chunker": "word", "chunk_size": 60}, {"chunk_size": [60, 90]})
    'word + chunk_size=60'
    """
    chunking = (key for key in _differing(axes) if key in CHUNKING_KEYS or key.startswith("chunker."))
    return _joined(options, dict.fromkeys(("chunker", *chunking)))


def cut_of(of: Description | Bounds) -> str:
    """What decides how many final hits there are."""
    return option("top_n", of.k) if of.context_words is None else option("context_words", of.context_words)


def embedding_name(setup: Description, several: Iterable[str]) -> str:
    """The embedder of a setup with what is swept of it, its chunks, and those of the keys ``several`` that it has."""
    return " + ".join([*embedder_of(setup), setup.chunking, *(option(key, setup.options[key]) for key in several)])


def embedder_of(setup: Description) -> tuple[str, ...]:
    """Its option and what is swept of it."""
    return tuple(str(value) for key, value in setup.options.items() if key.partition(".")[0] == "embedder")


def in_order(results: Iterable[Result], axes: Mapping[str, Sequence[Any]]) -> list[Result]:
    """By chunker, then the other axes, then RAG type, each in the order in which its values were written; others behind."""
    keys = sorted(axes, key=lambda key: {"chunker": 0, "rag_type": 2}.get(key, 1))
    places = {key: list(axes[key]) for key in keys}

    def place(result: Result) -> list[int]:
        shown = {key: result.setup.options.get(key) for key in places}  # a null that was swept shows as nothing
        return [values.index(shown[key]) if shown[key] in values else len(values) for key, values in places.items()]

    return sorted(results, key=place)


def option(key: str, value: Any) -> str:
    """``key=value`` as it is written in an override: null, true, false and lists in YAML's words.

    >>> option("top_n", None), option("dedupe", 0.9), option("chunker.separators", ["\\n", ""])
    ('top_n=null', 'dedupe=0.9', 'chunker.separators=["\\\\n", ""]')
    """
    plain = value is None or isinstance(value, bool | list)
    return f"{key}={json.dumps(value, ensure_ascii=False) if plain else value}"


def _differing(axes: Mapping[str, Sequence[Any]]) -> list[str]:
    """The keys with several values: groups in their own order, then the others as written."""
    several = [key for key, values in axes.items() if len(values) > 1]
    return [key for key in GROUPS if key in several] + [key for key in several if key not in GROUPS]


def _joined(options: Mapping[str, Any], keys: Iterable[str]) -> str:
    used = [key for key in keys if key in options]
    return " + ".join(str(options[key]) if key in GROUPS else option(key, options[key]) for key in used)
