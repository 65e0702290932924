"""Names of files in labels -> documents."""

from collections import defaultdict
from collections.abc import Mapping
from difflib import get_close_matches
from functools import lru_cache
from typing import Generic, TypeVar
from unicodedata import normalize

from ragsweep.errors import InputError

Named = TypeVar("Named")

_MOST_HINTS = 20
"""Unknown names for which near ones are looked up: hundreds of them have one cause, and the look-up takes its time."""
_MOST_LISTED = 10


class Names(Generic[Named]):
    """Documents, or what stands for them, by id and by bare file name, compared in NFC with ``\\`` read as ``/``."""

    def __init__(self, documents: Mapping[str, Named]) -> None:
        self._documents = documents
        self._by_bare: dict[str, list[str]] = defaultdict(list)
        for id in sorted(documents):
            self._by_bare[id.rpartition("/")[2]].append(id)
        self._near = lru_cache(maxsize=None)(self._look_up)
        self._hints = 0

    def get(self, name: str) -> Named | None:
        """The document with this id or, when only one has it, this bare name. Raises InputError when several have it."""
        clean = _clean(name)
        ids = [id for id in (normalize("NFC", name), clean) if id in self._documents] or self._by_bare.get(clean, [])
        if len(set(ids)) > 1:
            raise InputError(f"{len(ids)} files have this name: write {' or '.join(map(repr, ids))}")
        return self._documents[ids[0]] if ids else None

    def document(self, name: str) -> Named:
        """The same, with InputError and the nearest names when there is none."""
        found = self.get(name)
        if found is None:
            raise InputError(self._near(_clean(name)))
        return found

    def _look_up(self, name: str) -> str:
        for id in self._documents:
            if name.casefold() in (id.casefold(), id.rpartition("/")[2].casefold()):
                return f"upper and lower case count: write {id!r}"
        self._hints += 1
        near = list(self._by_bare.get(name.rpartition("/")[2], []))
        if not near and self._hints <= _MOST_HINTS:
            close = get_close_matches(name, [*self._documents, *self._by_bare], n=3, cutoff=0.6)
            near = [id for key in close for id in ([key] if key in self._documents else self._by_bare[key])]
        if near:
            return f"no document has this name; did you mean {' or '.join(repr(id) for id in dict.fromkeys(near[:3]))}?"
        listed = f": {', '.join(sorted(self._documents))}" if len(self._documents) <= _MOST_LISTED else ""
        return f"no document has this name; there are {len(self._documents)}{listed}"


def _clean(name: str) -> str:
    return normalize("NFC", name).replace("\\", "/").removeprefix("./")
